// Answers in one piece: passed on, or converted when the upstream has another format. Also the two mixed cases: a stream
// collected for a caller who wants one answer, and a whole answer sent as a stream.
import { ConnectionError, readAll, type Answer, type OutboundCall } from '#server/platform/egress/index.ts';
import { noteAnswerLoss, noteUnread } from '#server/models/formats/answer-losses.ts';
import type { CanonicalEvent, CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/json.ts';
import { tokensOfEvent, type Conversion } from '#server/relay/upstream-body/conversion.ts';
import {
  foreignFailure,
  insideFailure,
  networkFailure,
  refusalFailure,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { isAnswerOf, isFileOf, streamsEvents } from './answer-shape.ts';
import type { Frame } from '#server/models/formats/frames/frames.ts';
import { frameReader } from './frame-reader.ts';
import { jsonArray } from './reframing.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { UpstreamBody } from '#server/relay/upstream-body/upstream-body.ts';

/** A whole answer; `json` when it is an object. */
export interface WholeAnswer {
  kind: 'whole';
  status: number;
  contentType: string;
  body: Uint8Array | string;
  json: Record<string, unknown> | undefined;
  /** As the upstream's answer names it. */
  namedModel?: string | undefined;
  /** What a converted answer reports; an answer that passed is read where it is settled. */
  converted:
    | { usage: CanonicalUsage | undefined; contentTokens: number; namedModel: string | undefined }
    | undefined;
}

export type Whole = WholeAnswer | { kind: 'failure'; failure: UpstreamFailure };

/** How the caller wants it: in one piece, as server-sent events, or as a stream that is one JSON array. */
export type Way = 'whole' | 'events' | 'array';

const ANSWER_LIMIT_BYTES = 128 * 1024 * 1024;

const broken: Whole = { kind: 'failure', failure: networkFailure('network') };

/** What an answer is read for: the request, and the body that was sent for it. */
export interface Asked {
  readonly prepared: Pick<PreparedCall, 'endpoint' | 'fields'>;
  readonly channel: Channel;
  readonly upstream: UpstreamBody;
  readonly way: Way;
}

export async function readWhole(outbound: OutboundCall, answer: Answer, asked: Asked): Promise<Whole> {
  const { status } = answer;
  const { prepared, channel, upstream, way } = asked;
  const { conversion, task, format } = upstream;
  const named = answer.header('content-type');
  const body = await readAll(outbound, answer, ANSWER_LIMIT_BYTES);
  const isFile =
    conversion === undefined &&
    task === undefined &&
    isFileOf(format, prepared.fields, { contentType: named ?? '', bytes: body });
  const json = isFile && named?.includes('json') !== true ? undefined : parseObject(body);
  if (json === undefined) {
    if (!isFile) return foreign(status, named, body);
    const contentType = named ?? 'application/octet-stream';
    return { kind: 'whole', status, contentType, body, json, converted: undefined };
  }
  const refused = channel.provider.refusalIn?.(json, status);
  if (refused !== undefined) return { kind: 'failure', failure: refusalFailure(refused, status) };
  if (conversion !== undefined) {
    const unread = new Set<string>();
    const decoded = conversion.upstream.decodeResponse(json, unread);
    const isAnswer = isAnswerOf(format, json) || decoded.some(({ type }) => type === 'error');
    if (!isAnswer) return foreign(status, named, body);
    noteUnread(unread, conversion.answerNotes);
    return encode(conversion, decoded, status, way);
  }
  if (isObject(json['error']) && !holdsAnswer(json))
    return { kind: 'failure', failure: insideFailure(json['error']) };
  if (task !== undefined) {
    const made = taskAnswer(task, json, status);
    const isAnswer = made.json === undefined || isAnswerOf(prepared.endpoint.format, made.json);
    return isAnswer ? made : foreign(status, named, body);
  }
  // A caller who waits for events cannot read an answer in one piece.
  const isMisplaced = way !== 'whole' && streamsEvents(format);
  if (isMisplaced || !isAnswerOf(format, json)) return foreign(status, named, body);
  const contentType = named?.includes('json') === true ? named : 'application/json';
  return { kind: 'whole', status, contentType, body, json, converted: undefined };
}

/** Not an answer of the endpoint. */
function foreign(status: number, contentType: string | undefined, body: Buffer): Whole {
  const start = body.subarray(0, 1000).toString().replaceAll(/\s+/g, ' ').slice(0, 300);
  return {
    kind: 'failure',
    failure: foreignFailure(`answered ${status} ${contentType ?? 'without a type'}: ${start}`),
  };
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

/** A decoded answer in the caller's format. */
function encode(conversion: Conversion, decoded: readonly CanonicalEvent[], status: number, way: Way): Whole {
  const failed = decoded.find((event) => event.type === 'error');
  if (failed !== undefined) {
    const { message, code, status: own, kind } = failed;
    return { kind: 'failure', failure: insideFailure({ message, code, type: kind ?? '', status: own }) };
  }
  // Only a begin and a count: there is no answer in it.
  if (decoded.every(({ type }) => type === 'start' || type === 'usage')) return broken;
  const events = decoded.flatMap(conversion.reshaper());
  let usage: CanonicalUsage | undefined;
  let contentTokens = 0;
  const shape = { format: conversion.request.format, isStream: way !== 'whole' };
  for (const event of events) {
    noteAnswerLoss(shape, event, conversion.answerNotes);
    if (event.type === 'usage') usage = event.usage;
    else contentTokens += tokensOfEvent(event);
  }
  const { caller, options } = conversion;
  const namedModel = decoded.find((event) => event.type === 'start')?.model;
  const facts = { usage, contentTokens, namedModel };
  if (way !== 'whole') {
    const encoder = caller.encodeStream(options);
    let text = '';
    for (const event of events) text += encoder.push(event);
    text += encoder.end();
    const array = way === 'array' ? jsonArray() : undefined;
    const body = array === undefined ? text : array.frame(text) + array.close();
    const contentType = array === undefined ? 'text/event-stream' : 'application/json';
    return whole(status, contentType, body, undefined, facts);
  }
  const encoded = caller.encodeResponse(events, options);
  const json = isObject(encoded) ? (conversion.shape?.(encoded) ?? encoded) : undefined;
  return whole(status, 'application/json', JSON.stringify(json ?? encoded), json, facts);
}

/** An answer that was written here. */
const whole = (
  status: number,
  contentType: string,
  body: WholeAnswer['body'],
  json: WholeAnswer['json'],
  converted: WholeAnswer['converted'],
): WholeAnswer => ({ kind: 'whole', status, contentType, body, json, converted });

/** A stream of an upstream that can only stream, for a caller who wants one answer. */
export async function collect(
  outbound: OutboundCall,
  answer: Answer,
  conversion: Conversion,
  eventLimitBytes: number,
): Promise<Whole> {
  const reader = frameReader(conversion.framing, eventLimitBytes);
  const unread = new Set<string>();
  const decoder = conversion.upstream.decodeStream(unread);
  const events: CanonicalEvent[] = [];
  /** Whether the last event was among them. */
  const add = (frames: readonly Frame[]): boolean => {
    for (const { event, data } of frames) {
      if (data !== '[DONE]') events.push(...decoder.push(event, data));
      if (conversion.isClosing(event, data)) return true;
    }
    return false;
  };
  let bytes = 0;
  try {
    let isComplete = false;
    while (!isComplete) {
      const piece = await answer.read();
      if (piece === undefined) break;
      bytes += piece.length;
      if (bytes > ANSWER_LIMIT_BYTES) throw new ConnectionError('too_large', 'the answer is too large');
      isComplete = add(reader.push(piece));
    }
    // The upstream may keep the connection open after the last event.
    if (isComplete) outbound.drain();
    else add(reader.end());
    events.push(...decoder.end());
  } catch (error) {
    outbound.abort();
    if (error instanceof ConnectionError) throw error;
    return broken;
  }
  noteUnread(unread, conversion.answerNotes);
  return encode(conversion, events, answer.status, 'whole');
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
