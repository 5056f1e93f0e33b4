// Serves an image from our own URL, which hides the upstream's. The URL contains a digest that cannot be guessed and is the
// only authorization. Only image types pass.
import { answerHeaders } from '#server/relay/caller/answer-headers.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { serves } from '#server/tasks/channels.ts';
import type { TaskParts } from '#server/tasks/parts.ts';
import { isPictureProof } from './addresses.ts';
import { midjourney } from './midjourney.ts';

const mostBytes = 40 * 1024 * 1024;
const seconds = 30;
const mostHops = 3;
/** Image types that cannot contain scripts. */
const pictures = /^image\/(?:png|jpeg|webp|gif|avif)\b/i;

export async function showPicture(parts: TaskParts, incoming: Incoming, id: string): Promise<Response> {
  const { core, rows } = parts;
  const { store } = core;
  const proof = new URL(incoming.request.url).searchParams.get('key') ?? '';
  const tasks = await rows.anyNamed(midjourney.name, id);
  const task = tasks.find((each) => each.result_url !== '' && isPictureProof(store.vault, each, proof));
  if (task === undefined) throw new RelayError('task_unknown');
  const channel = core.catalog.current.channel(task.channel_id);
  const proxy = serves(channel, midjourney.format) ? channel.setting.proxy : '';
  const picture = await load(parts, task.result_url, proxy);
  const headers = answerHeaders(incoming.request, incoming.requestId, picture.type);
  // The preview changes until the drawing is finished.
  const isFinal = task.status === 'SUCCESS';
  headers.set('Cache-Control', isFinal ? 'private, max-age=86400, immutable' : 'no-store');
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  return new Response(picture.bytes, { headers });
}

/** Follows redirects by hand, so that egress checks each address. */
async function load(
  { core }: TaskParts,
  address: string,
  proxy: string,
): Promise<{ type: string; bytes: Uint8Array }> {
  let url = address;
  for (let hop = 0; hop <= mostHops; hop += 1) {
    const response = await core.egress
      .fetch('channel', url, {
        headers: { Accept: 'image/*' },
        timeoutSeconds: seconds,
        limitBytes: mostBytes,
        ...(proxy === '' ? {} : { proxy }),
      })
      .catch((error: unknown) => {
        core.log.warn('a picture could not be read', { error });
        throw new RelayError('upstream_failed');
      });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      const next = URL.parse(location, url);
      if (next === null) break;
      url = next.href;
      continue;
    }
    const type = response.headers.get('content-type') ?? '';
    if (response.status !== 200 || !pictures.test(type)) break;
    return { type, bytes: await response.bytes() };
  }
  throw new RelayError('upstream_failed');
}
