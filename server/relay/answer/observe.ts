// Gives sampled answers of chat models to the checks of suppliers.
import { KeptEvents, type AnswerObserver } from '#server/relay/call/answer-observer.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/json.ts';
import { eventsIn } from '#server/relay/answer/event-text.ts';
import { credibleUsage } from '#server/relay/money/settlement.ts';
import { dialectOf } from './dialects/index.ts';
import type { StreamParts, StreamResult } from './event-stream.ts';
import type { WholeAnswer } from './whole-answer.ts';

const OBSERVED_FORMATS = new Set<string>([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
]);

function isSampled(observer: AnswerObserver | undefined, { prepared, record }: RunningCall): boolean {
  if (observer === undefined || !OBSERVED_FORMATS.has(prepared.endpoint.format)) return false;
  return observer.samples(record.channelId, record.upstreamModel);
}

/** Where the events of a stream are kept if it is sampled, or copied to another model. */
export function keptFor(observer: AnswerObserver | undefined, call: RunningCall): KeptEvents | undefined {
  const isObserved = isSampled(observer, call);
  return isObserved || call.copy !== undefined ? new KeptEvents(isObserved) : undefined;
}

/** The content of a stream; undefined where it was too long to be kept. */
export function streamTexts(format: string, { text }: KeptEvents): (() => readonly string[]) | undefined {
  if (text === undefined) return undefined;
  const dialect = dialectOf(format);
  return () => [...eventsIn(text)].flatMap((event) => dialect.textsOf(event));
}

/** The content of an answer in one piece. */
export function wholeTexts(
  { prepared }: Pick<RunningCall, 'prepared'>,
  { json }: Pick<WholeAnswer, 'json'>,
): (() => readonly string[]) | undefined {
  if (json === undefined) return undefined;
  const { output } = json;
  return Array.isArray(output)
    ? () => responseTexts(output)
    : () => dialectOf(prepared.endpoint.format).textsOf(json);
}

/** Of a Responses answer: what it says and which tools it calls. */
function responseTexts(output: readonly unknown[]): string[] {
  return output.flatMap((item) => {
    if (!isObject(item)) return [];
    const parts = Array.isArray(item['content']) ? (item['content'] as unknown[]) : [];
    const said = parts.map((part) => (isObject(part) ? (part['text'] ?? part['refusal']) : undefined));
    return [...said, item['name'], item['arguments']].filter((text) => typeof text === 'string');
  });
}

function requestOf({ requestId, caller, record, prepared, isNewPrompt }: RunningCall) {
  const { channelId, upstreamModel: model } = record;
  return { requestId, userId: caller.userId, channelId, model, request: prepared, isNewPrompt };
}

export function observeStream(
  observer: AnswerObserver | undefined,
  call: RunningCall,
  { kept, attemptedAt }: Pick<StreamParts, 'kept' | 'attemptedAt'>,
  result: StreamResult,
): void {
  if (kept?.isSampled !== true) return;
  const { firstEventAt, namedModel, ending, usage } = result;
  observer?.answered({
    ...requestOf(call),
    namedModel,
    ending,
    reported: credibleUsage(usage),
    stream: {
      firstTokenMilliseconds: firstEventAt - attemptedAt,
      milliseconds: performance.now() - firstEventAt,
    },
    texts: streamTexts(call.prepared.endpoint.format, kept),
  });
}

export function observeWhole(
  observer: AnswerObserver | undefined,
  call: RunningCall,
  { json, namedModel }: WholeAnswer,
  reported: CanonicalUsage | undefined,
): void {
  if (!isSampled(observer, call)) return;
  observer?.answered({
    ...requestOf(call),
    namedModel,
    ending: 'complete',
    reported,
    stream: undefined,
    texts: json && (() => dialectOf(call.prepared.endpoint.format).textsOf(json)),
  });
}
