// Gives sampled answers of chat models to the checks of suppliers.
import { KeptEvents, type AnswerObserver } from '#server/relay/call/answer-observer.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
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

/** Where the events of a stream are kept if it is sampled. */
export function keptFor(observer: AnswerObserver | undefined, call: RunningCall): KeptEvents | undefined {
  return isSampled(observer, call) ? new KeptEvents() : undefined;
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
  if (kept === undefined) return;
  const { firstEventAt, namedModel, ending, usage } = result;
  const { text } = kept;
  const dialect = dialectOf(call.prepared.endpoint.format);
  observer?.answered({
    ...requestOf(call),
    namedModel,
    ending,
    reported: credibleUsage(usage),
    stream: {
      firstTokenMilliseconds: firstEventAt - attemptedAt,
      milliseconds: performance.now() - firstEventAt,
    },
    texts:
      text === undefined ? undefined : () => [...eventsIn(text)].flatMap((event) => dialect.textsOf(event)),
  });
}

export function observeWhole(
  observer: AnswerObserver | undefined,
  call: RunningCall,
  { json, namedModel }: WholeAnswer,
  reported: CanonicalUsage | undefined,
): void {
  if (!isSampled(observer, call)) return;
  const dialect = dialectOf(call.prepared.endpoint.format);
  observer?.answered({
    ...requestOf(call),
    namedModel,
    ending: 'complete',
    reported,
    stream: undefined,
    texts: json === undefined ? undefined : () => dialect.textsOf(json),
  });
}
