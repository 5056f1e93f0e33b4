// What a running call has to do with the cached answers. The relay below the pipeline knows only this interface; server/relay/answer-cache
// implements it.
import type { Usage } from '#server/money/prices/usage.ts';
import type { CallRecord } from '#server/relay/money/log-row.ts';

/** Of one stream: another attempt of the same call has another. */
export interface StreamRecord {
  /** Whole events, as the caller gets them. */
  add(events: string): void;
  /** `exact`: what was charged, where the answer is complete and the upstream's report was believed as it was. */
  end(closing: string, exact: Usage | undefined): void;
}

export interface WholeRecord {
  readonly body: Uint8Array | string;
  readonly contentType: string;
}

/** The call whose answer comes. */
export interface RecordedCall {
  readonly record: CallRecord;
}

/** Keeps the answer of one call, if it turns out to be one that may be kept. */
export interface AnswerKeeper {
  stream(call: RecordedCall): StreamRecord;
  whole(call: RecordedCall, answer: WholeRecord, exact: Usage | undefined): void;
}

export interface CallCache {
  readonly state: 'miss' | 'bypass';
  /** Of the entry; undefined: the call has none. */
  readonly key: string | undefined;
  /** Undefined: the answer is not kept. */
  readonly keeper: AnswerKeeper | undefined;
}
