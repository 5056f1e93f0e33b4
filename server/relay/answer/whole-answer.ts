// Answers in one piece: passed on, or told in the caller's words when the upstream spoke others. Also the two in between: a
// stream collected for a caller who wants it whole, and a whole answer told as a stream.
import {
  ascii,
  byteText,
  bytesOf,
  ConnectionError,
  encodeText,
  isAscii,
  readAll,
  type Answer,
  type BodySink,
  type ByteText,
  type OutboundCall,
} from '#server/egress/index.ts';
import type { CanonicalEvent, CanonicalUsage } from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/json.ts';
import { tokensOfEvent, type Conversion } from '#server/relay/upstream/conversion.ts';
import {
  insideFailure,
  networkFailure,
  refusalFailure,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import { frameReader } from './frame-reader.ts';
import { jsonArray } from './json-array.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { UpstreamBody } from '#server/relay/upstream/body-parts.ts';

/** A whole answer; `json` when it is an object. */
export interface WholeAnswer {
  kind: 'whole';
  status: number;
  contentType: string;
  /** A text when it could be read as one without loss. */
  body: Buffer | string;
  /** The text is one of bytes. */
  isEncoded: boolean;
  json: Record<string, unknown> | undefined;
  /** What a converted answer told; an answer that passed is read where it is settled. */
  told: { usage: CanonicalUsage | undefined; contentTokens: number } | undefined;
}

export type Whole = WholeAnswer | { kind: 'failure'; failure: UpstreamFailure };

/** How the caller wants it: in one piece, as server-sent events, or as a stream that is one JSON array. */
export type Way = 'whole' | 'events' | 'array';

const answerLimitBytes = 128 * 1024 * 1024;

const broken: Whole = { kind: 'failure', failure: networkFailure('network') };

/** At once when all of it has arrived. */
export function readWhole(
  outbound: OutboundCall,
  answer: Answer,
  contentType: string,
  channel: Channel,
  upstream: UpstreamBody,
  way: Way,
): Whole | Promise<Whole> {
  const bytes = bytesAtOnce(answer, contentType);
  const text = bytes === undefined ? undefined : textOf(bytes);
  if (text !== undefined) return wholeOf(text, bytes, answer, contentType, channel, upstream, way);
  return readLater(outbound, answer, contentType, channel, upstream, way);
}

async function readLater(
  outbound: OutboundCall,
  answer: Answer,
  contentType: string,
  channel: Channel,
  upstream: UpstreamBody,
  way: Way,
): Promise<Whole> {
  const body = await readAll(outbound, answer, answerLimitBytes);
  return wholeOf(body, undefined, answer, contentType, channel, upstream, way);
}

/** `bytes`: the same as `body`, to be passed on as they came. */
function wholeOf(
  body: Buffer | string,
  bytes: ByteText | undefined,
  { status }: Answer,
  contentType: string,
  channel: Channel,
  upstream: UpstreamBody,
  way: Way,
): Whole {
  const { conversion, task } = upstream;
  const isJson = contentType.includes('json') || conversion !== undefined;
  const json = isJson ? parseObject(body) : undefined;
  if (isJson && json === undefined) return broken;
  if (json !== undefined) {
    const refused = channel.provider.refusalIn?.(json, status);
    if (refused !== undefined) return { kind: 'failure', failure: refusalFailure(refused, status) };
    if (conversion !== undefined) return converted(conversion, json, status, way);
    if (isObject(json['error']) && !holdsAnswer(json))
      return { kind: 'failure', failure: insideFailure(json['error']) };
    if (task !== undefined) return taskAnswer(task, json, status);
  }
  const isEncoded = bytes !== undefined;
  return { kind: 'whole', status, contentType, body: bytes ?? body, isEncoded, json, told: undefined };
}

function holdsAnswer(json: Record<string, unknown>): boolean {
  return 'choices' in json || 'output' in json || 'data' in json || 'candidates' in json;
}

function taskAnswer(
  { conversion, request }: NonNullable<UpstreamBody['task']>,
  answer: Record<string, unknown>,
  status: number,
): WholeAnswer {
  if (conversion.decodeFile !== undefined) {
    const { contentType, bytes } = conversion.decodeFile(answer, request);
    return whole(status, contentType, Buffer.from(bytes), undefined, undefined);
  }
  const json = conversion.decodeResponse(answer, request);
  return whole(status, 'application/json', JSON.stringify(json), json, undefined);
}

function converted(conversion: Conversion, json: Record<string, unknown>, status: number, way: Way): Whole {
  return told(conversion, conversion.upstream.decodeResponse(json), status, way);
}

function told(conversion: Conversion, decoded: readonly CanonicalEvent[], status: number, way: Way): Whole {
  const failed = decoded.find((event) => event.type === 'error');
  if (failed !== undefined) {
    const { message, code, status: own, kind } = failed;
    return { kind: 'failure', failure: insideFailure({ message, code, type: kind ?? '', status: own }) };
  }
  if (decoded.length === 0) return broken;
  const events = decoded.flatMap(conversion.reshaper());
  let usage: CanonicalUsage | undefined;
  let contentTokens = 0;
  for (const event of events) {
    if (event.type === 'usage') usage = event.usage;
    else contentTokens += tokensOfEvent(event);
  }
  const { caller, options } = conversion;
  const facts = { usage, contentTokens };
  if (way !== 'whole') {
    const encoder = caller.encodeStream(options);
    let text = '';
    for (const event of events) text += encoder.push(event);
    text += encoder.end();
    const array = way === 'array' ? jsonArray() : undefined;
    const body = array === undefined ? text : bytesOf(ascii(array.frame(encodeText(text)) + array.close()));
    const contentType = array === undefined ? 'text/event-stream' : 'application/json';
    return whole(status, contentType, body, undefined, facts);
  }
  const encoded = caller.encodeResponse(events, options);
  const json = isObject(encoded) ? (conversion.shape?.(encoded) ?? encoded) : undefined;
  return whole(status, 'application/json', JSON.stringify(json ?? encoded), json, facts);
}

/** An answer in our own words. */
const whole = (
  status: number,
  contentType: string,
  body: WholeAnswer['body'],
  json: WholeAnswer['json'],
  facts: WholeAnswer['told'],
): WholeAnswer => ({ kind: 'whole', status, contentType, body, isEncoded: false, json, told: facts });

/** A stream of an upstream that knows nothing else, for a caller who wants one answer. */
export async function collect(
  outbound: OutboundCall,
  answer: Answer,
  conversion: Conversion,
  eventLimitBytes: number,
): Promise<Whole> {
  const reader = frameReader(conversion.framing, eventLimitBytes);
  const decoder = conversion.upstream.decodeStream();
  const events: CanonicalEvent[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let bytes = 0;
  const sink: BodySink = {
    data(part, start, end) {
      bytes += end - start;
      try {
        if (bytes > answerLimitBytes) throw new Error('the answer is too large');
        for (const { event, data } of reader.push(part.subarray(start, end)))
          if (data !== '[DONE]') events.push(...decoder.push(event, data));
      } catch (error) {
        outbound.abort();
        reject(error);
      }
    },
    flush() {},
    end() {
      try {
        for (const { event, data } of reader.end())
          if (data !== '[DONE]') events.push(...decoder.push(event, data));
        events.push(...decoder.end());
        resolve();
      } catch (error) {
        reject(error);
      }
    },
    fail: reject,
  };
  answer.receive(sink);
  try {
    await promise;
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    return broken;
  }
  return told(conversion, events, answer.status, 'whole');
}

/** The usual case, without a copy: JSON that came in one piece. */
function bytesAtOnce({ whole: came }: Answer, contentType: string): ByteText | undefined {
  if (came === undefined || !contentType.includes('json')) return undefined;
  const { bytes, start, text: seen } = came;
  return seen.length === bytes.length
    ? (seen.slice(start) as ByteText)
    : byteText(bytes, start, bytes.length);
}

/** undefined: not the encoding of any text. */
function textOf(bytes: ByteText): string | undefined {
  if (isAscii(bytes)) return bytes;
  const text = bytesOf(bytes).toString();
  return Buffer.byteLength(text) === bytes.length ? text : undefined;
}

function parseObject(body: Buffer | string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (isObject(value)) return value;
    return Array.isArray(value) ? { data: value } : undefined;
  } catch {
    return undefined;
  }
}
