// The bytes of a video, passed on as they arrive through the outbound door, with ranges and a bound on the size. Only video and
// image types pass, under our own headers.
import { answerHeaders } from '#server/relay/caller/response.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { withHeaders, type Answer, type OutboundCall } from '#server/platform/egress/index.ts';
import { classOfResult, MediaError, type InlineSource, type Source } from '#server/relay/media/index.ts';
import { askedRange, bytesOf, rangeText, type AskedRange } from '#server/relay/media/range.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { failureOf } from '#server/relay/errors/upstream-failure.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { fileName, originOf } from '#server/relay/tasks/files.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { factsOf } from './facts.ts';
import { platformOf } from './registry.ts';
import { callUpstream, signRequest } from './upstream.ts';

const MOST_BYTES = 2 * 1024 ** 3;
const MOST_HOPS = 3;
const TIMEOUTS = { firstByteSeconds: 60, idleSeconds: 60, totalSeconds: 3600 };
const SHOWN_TYPES = /^(?:video\/(?:mp4|webm|quicktime|x-matroska)|image\/(?:png|jpeg|webp|gif|avif))\b/i;
const PLAIN_TYPES = /^(?:application|binary)\/octet-stream\b/i;
const VARIANTS = new Set(['video', 'thumbnail', 'spritesheet']);

export interface ContentWish {
  readonly variant: string;
  readonly range: AskedRange | undefined;
}

export async function videoContent(parts: TaskParts, incoming: Incoming, task: Task): Promise<Response> {
  const { request, requestId, connection } = incoming;
  const variant = new URL(request.url).searchParams.get('variant') ?? 'video';
  if (!VARIANTS.has(variant))
    throw new RelayError('invalid_field', { field: 'variant' }, { param: 'variant' });
  const copy = variant === 'video' ? await copyKeptVideo(parts, incoming, task) : undefined;
  if (copy !== undefined) return copy;
  const wish = { variant, range: askedRange(request.headers.get('range')) };
  const content = await openContent(parts.core, task, wish);
  const headers = answerHeaders(request, requestId, content.type);
  for (const [name, value] of content.headers) headers.set(name, value);
  headers.set('Cache-Control', 'private, max-age=3600');
  const release = connection.keepOpen();
  return new Response(content.stream(release), { status: content.status, headers });
}

/** The upstream may have deleted it since it was kept. */
async function copyKeptVideo({ files, media }: TaskParts, incoming: Incoming, task: Task) {
  const file = files.of(task).find(({ name }) => name === fileName('video', 0));
  return file && (await media.copy(incoming, file));
}

export interface Content {
  readonly status: number;
  readonly type: string;
  /** Length and range. */
  readonly headers: readonly (readonly [string, string])[];
  /** `onEnd` is called once, when the last byte was read or the reader left. */
  stream(onEnd: () => void): ReadableStream<Uint8Array>;
}

/** For the console: where the bytes are when the upstream gives no public address. Without a video: undefined. */
export function hiddenVideo(
  core: Core,
  channel: Channel,
  task: Task,
): (() => Promise<Source | InlineSource>) | undefined {
  if (task.status !== 'SUCCESS' || task.result_url !== '') return undefined;
  return async () =>
    await sourceOf(core, channel, task, 'video').catch((error: unknown) => {
      throw new MediaError(error instanceof Error ? error.message : String(error));
    });
}

/** Throws when there are no bytes to be had. Also for results that are shown elsewhere. */
export async function openContent(core: Core, task: Task, wish: ContentWish): Promise<Content> {
  if (task.status !== 'SUCCESS') throw new RelayError('task_unfinished');
  const channel = core.catalog.current.channel(task.channel_id);
  try {
    const source = await sourceOf(core, channel, task, wish.variant);
    return 'bytes' in source ? fromMemory(source, wish.range) : await fromUpstream(core, source, wish.range);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    if (failureOf(error) === undefined) throw error;
    core.log.warn('a video could not be read', { task: task.id, error });
    throw new RelayError('upstream_failed');
  }
}

async function sourceOf(
  core: Core,
  channel: Channel | undefined,
  task: Task,
  variant: string,
): Promise<Source | InlineSource> {
  const { file, imageUrl } = factsOf(task);
  const proxy = channel?.setting.proxy ?? '';
  const home = channel === undefined ? '' : originOf(channel);
  const address = variant === 'video' ? task.result_url : imageUrl;
  if (address !== '') return { url: address, home, headers: {}, proxy };
  const platform = channel && platformOf(channel);
  if (channel === undefined || platform === undefined) throw new RelayError('task_channel_away');
  const request = platform.contentAt?.(task.task_id, variant, file);
  // Only OpenAI's API has other variants.
  if (request === undefined || (variant !== 'video' && platform.name !== 'sora'))
    throw new RelayError('task_unknown');
  if (platform.contentIn === undefined) {
    const { url, headers } = await signRequest(core, channel, request);
    return { url, home: URL.parse(url)?.origin ?? '', headers, proxy };
  }
  const reply = await callUpstream(core, channel, request, { timeoutSeconds: TIMEOUTS.firstByteSeconds });
  const found = 'failure' in reply ? undefined : platform.contentIn(reply.value);
  if (found === undefined || ('url' in found && found.url === '')) throw new RelayError('upstream_failed');
  if ('url' in found) return { url: found.url, home, headers: {}, proxy };
  return { type: found.type, bytes: Buffer.from(found.base64, 'base64') };
}

/** Follows redirects by hand, so that egress checks each address, and sends the key to the first one only. */
async function fromUpstream(core: Core, source: Source, range: AskedRange | undefined): Promise<Content> {
  let url = URL.parse(source.url);
  for (let hop = 0; hop <= MOST_HOPS && url !== null; hop += 1) {
    const { origin, pathname, search }: URL = url;
    const target = await core.egress.target(classOfResult(origin, source.home), origin, source.proxy);
    const isFirst = hop === 0;
    const headers = withHeaders(new Headers(), {
      ...(isFirst ? source.headers : {}),
      Accept: '*/*',
      ...(range === undefined ? {} : { Range: rangeText(range) }),
    });
    const call = core.egress.open(target, {
      method: 'GET',
      path: pathname + search,
      headers,
      timeouts: TIMEOUTS,
    });
    const answer = await call.answer;
    const location = answer.header('location');
    if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
      call.drain();
      url = URL.parse(location, url.href);
      continue;
    }
    return passedOn(call, answer);
  }
  throw new RelayError('upstream_failed');
}

function passedOn(call: OutboundCall, answer: Answer): Content {
  const { status } = answer;
  const type = typeOf(answer.header('content-type') ?? '');
  const length = Number(answer.header('content-length') ?? 0);
  const isGood = status === 416 || ((status === 200 || status === 206) && type !== undefined);
  if (!isGood || length > MOST_BYTES) {
    call.abort();
    throw new RelayError('upstream_failed');
  }
  const kept = ['content-length', 'content-range', 'accept-ranges'].flatMap((name) => {
    const value = answer.header(name);
    return value === undefined || status === 416 ? [] : [[name, value] as const];
  });
  if (status === 416) call.drain();
  return {
    status,
    type: type ?? 'video/mp4',
    headers: kept,
    stream: (onEnd) => (status === 416 ? emptyStream(onEnd) : answerStream(call, answer, onEnd)),
  };
}

function typeOf(type: string): string | undefined {
  if (SHOWN_TYPES.test(type)) return type.split(';')[0]?.trim();
  return PLAIN_TYPES.test(type) ? 'video/mp4' : undefined;
}

function emptyStream(onEnd: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      onEnd();
      controller.close();
    },
  });
}

function answerStream(call: OutboundCall, answer: Answer, onEnd: () => void): ReadableStream<Uint8Array> {
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const piece = await answer.read();
        if (piece === undefined) {
          onEnd();
          return controller.close();
        }
        bytes += piece.length;
        if (bytes > MOST_BYTES) throw new RelayError('upstream_failed');
        controller.enqueue(piece);
      } catch (error) {
        call.abort();
        onEnd();
        controller.error(error);
      }
    },
    cancel() {
      call.abort();
      onEnd();
    },
  });
}

function fromMemory({ type, bytes }: InlineSource, range: AskedRange | undefined): Content {
  const shown = typeOf(type) ?? 'video/mp4';
  const total = bytes.length;
  const place = range === undefined ? { start: 0, end: total } : bytesOf(range, total);
  const part = place === undefined ? new Uint8Array() : bytes.subarray(place.start, place.end);
  const contentRange =
    place === undefined ? `bytes */${total}` : `bytes ${place.start}-${place.end - 1}/${total}`;
  return {
    status: range === undefined ? 200 : place === undefined ? 416 : 206,
    type: shown,
    headers: [
      ['accept-ranges', 'bytes'],
      ['content-length', String(part.length)],
      ...(range === undefined ? [] : [['content-range', contentRange] as const]),
    ],
    stream: (onEnd) =>
      new ReadableStream({
        start(controller) {
          if (part.length > 0) controller.enqueue(part);
          onEnd();
          controller.close();
        },
      }),
  };
}
