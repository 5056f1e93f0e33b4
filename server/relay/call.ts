// One attempt at one channel: builds the request, sends it through the outbound door, and reads the answer as far as is
// needed to know whether it is one.
import { headerLines, readAll, type Answer, type OutboundCall } from '#server/egress/index.ts';
import { isObject } from '#server/formats/openai-usage.ts';
import type { Channel } from './catalog.ts';
import type { Core, RunningCall } from './core.ts';
import { failureOf, httpFailure, insideFailure, networkFailure, type UpstreamFailure } from './failure.ts';
import { mapStatus } from './mapping.ts';
import { CallStream } from './stream-call.ts';

/** A whole answer; `json` when it is an object. */
export interface WholeAnswer {
  kind: 'whole';
  status: number;
  contentType: string;
  body: Buffer;
  json: Record<string, unknown> | undefined;
}

export type AttemptResult =
  | WholeAnswer
  | { kind: 'stream'; stream: CallStream; contentType: string }
  | { kind: 'failure'; failure: UpstreamFailure };

const answerLimitBytes = 128 * 1024 * 1024;
const errorLimitBytes = 256 * 1024;
const eventLimitBytes = 1024 * 1024;
/** Pictures travel inside one event. */
const mediaEventLimitBytes = 32 * 1024 * 1024;

/** Client headers that mean something to the upstream; everything else stays here. */
const forwardedHeaders = ['openai-beta'];

export async function attempt(core: Core, call: RunningCall, channel: Channel): Promise<AttemptResult> {
  const begunAt = performance.now();
  // Noted at once: a short stream is settled, with its path, before this function returns.
  const entry = { channel: channel.id, status: 0, milliseconds: 0 };
  call.record.attempts.push(entry);
  let isStreaming = false;
  try {
    const outbound = await dispatch(core, call, channel);
    if (outbound === undefined) return { kind: 'failure', failure: networkFailure('client_left') };
    const answer = await outbound.answer;
    entry.status = answer.status;
    entry.milliseconds = Math.round(performance.now() - begunAt);
    if (answer.status < 200 || answer.status > 299) return await refused(channel, outbound, answer);
    // Asked for identity; unpacking what comes all the same is not ours to do, and could be a bomb.
    const encoding = answer.header('content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      outbound.abort();
      return { kind: 'failure', failure: networkFailure('network') };
    }
    const contentType = answer.header('content-type') ?? 'application/json';
    if (call.prepared.isStream && contentType.startsWith('text/event-stream')) {
      const stream = openStream(core, call, outbound, answer);
      await stream.events.first;
      isStreaming = true;
      return { kind: 'stream', stream, contentType };
    }
    return await whole(outbound, answer, contentType);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    entry.milliseconds = Math.round(performance.now() - begunAt);
    return { kind: 'failure', failure };
  } finally {
    // A stream goes on; its end is told by whoever settles it.
    if (!isStreaming) core.breaker.end(channel.id);
  }
}

async function dispatch(core: Core, call: RunningCall, channel: Channel): Promise<OutboundCall | undefined> {
  const { endpoint } = call.prepared;
  const { body, contentType, model } = call.prepared.bodyFor(channel);
  call.record.upstreamModel = model;
  const url = addressOf(channel, endpoint.format, endpoint.path, model, call.prepared.isStream);
  const found = core.dependencies.egress.target('channel', url.origin);
  const target = found instanceof Promise ? await found : found;
  if (call.hasLeft) return undefined;
  const outbound = core.dependencies.egress.open(target, {
    method: 'POST',
    path: url.path,
    headers: channel.headerLines + contentHeaders(contentType) + forwarded(call.request.headers),
    body,
    timeouts: core.timeouts,
  });
  call.outbound = outbound;
  core.dependencies.ledger.dispatched(call.requestId);
  return outbound;
}

function openStream(core: Core, call: RunningCall, outbound: OutboundCall, answer: Answer): CallStream {
  const { endpoint, wantsUsage } = call.prepared;
  const stream = new CallStream(core, call, outbound, answer, {
    hidesUsage: endpoint.asksForUsage && !wantsUsage,
    endsWithDone: endpoint.asksForUsage,
    eventLimitBytes: endpoint.asksForUsage ? eventLimitBytes : mediaEventLimitBytes,
  });
  call.stream = stream;
  stream.events.start();
  return stream;
}

async function refused(channel: Channel, outbound: OutboundCall, answer: Answer): Promise<AttemptResult> {
  const { status } = answer;
  const body = await readAll(outbound, answer, errorLimitBytes).catch(() => Buffer.alloc(0));
  const mapped = mapStatus(channel.statusMapping, status);
  const failure = httpFailure(status, mapped, body.toString(), answer.header('retry-after'));
  return { kind: 'failure', failure };
}

async function whole(outbound: OutboundCall, answer: Answer, contentType: string): Promise<AttemptResult> {
  const body = await readAll(outbound, answer, answerLimitBytes);
  const json = contentType.includes('json') ? parseObject(body) : undefined;
  if (contentType.includes('json') && json === undefined) {
    return { kind: 'failure', failure: networkFailure('network') };
  }
  if (
    json !== undefined &&
    isObject(json['error']) &&
    !('choices' in json) &&
    !('output' in json) &&
    !('data' in json)
  ) {
    return { kind: 'failure', failure: insideFailure(json['error']) };
  }
  return { kind: 'whole', status: answer.status, contentType, body, json };
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (isObject(value)) return value;
    return Array.isArray(value) ? { data: value } : undefined;
  } catch {
    return undefined;
  }
}

const contentHeaderLines = new Map<string, string>();

function contentHeaders(contentType: string): string {
  let lines = contentHeaderLines.get(contentType);
  if (lines === undefined) {
    lines = headerLines({ 'Content-Type': contentType, Accept: '*/*', 'User-Agent': 'Tollgate' });
    // Multipart boundaries differ each time and are not worth keeping.
    if (contentHeaderLines.size < 16) contentHeaderLines.set(contentType, lines);
  }
  return lines;
}

function forwarded(headers: Headers): string {
  let lines = '';
  for (const name of forwardedHeaders) {
    const value = headers.get(name);
    if (value !== null) lines += headerLines({ [name]: value.slice(0, 500) });
  }
  return lines;
}

interface ChannelAddress {
  origin: string;
  path: string;
}

const addresses = new WeakMap<Channel, Map<string, ChannelAddress>>();

function addressOf(
  channel: Channel,
  format: Parameters<typeof channel.provider.url>[1]['format'],
  path: string,
  model: string,
  isStream: boolean,
) {
  let known = addresses.get(channel);
  if (known === undefined) addresses.set(channel, (known = new Map()));
  const key = isStream ? `${path} ${model} stream` : `${path} ${model}`;
  let address = known.get(key);
  if (address === undefined) {
    const url = new URL(channel.provider.url(channel, { format, path, model, isStream }));
    address = { origin: url.origin, path: url.pathname + url.search };
    if (known.size >= 1000) known.clear();
    known.set(key, address);
  }
  return address;
}
