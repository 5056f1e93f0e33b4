// How metrics and traces learn of calls. The relay knows only this interface; server/operating/telemetry implements it.
import type { Usage } from '#server/money/prices/usage.ts';
import type { CallRecord } from './log-row.ts';

export interface EndedCall {
  readonly requestId: string;
  readonly record: CallRecord;
  /** Undefined for a call that was not charged. */
  readonly usage: Usage | undefined;
  readonly charge: number;
  /** What the call held at its end. */
  readonly held: number;
  readonly milliseconds: number;
  /** Undefined for answers that are not streams. */
  readonly firstTokenMilliseconds: number | undefined;
  /** Why the call ended early, or how it failed; empty for an ordinary end. */
  readonly ending: string;
}

export interface CallWatcher {
  /** The caller's trace, read while the request is there; undefined when no traces are sent. */
  parentOf(headers: Pick<Headers, 'get'>): string | undefined;
  ended(call: EndedCall): void;
  /** A call that was refused before any attempt. */
  refused(code: string): void;
}
