// How a call is seen by what copies a share of calls to another model (ADR 124). The relay knows only this; server/relay/shadow-calls
// implements it. Nothing here waits: the caller's answer ends as it does without.
import type { Usage } from '#server/money/prices/usage.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';

/** What the caller's answer took and cost. */
export interface AnswerFigures {
  readonly model: string;
  readonly channelId: number;
  readonly usage: Usage;
  /** What the operator pays, in quota units; null: unknown. */
  readonly cost: number | null;
  readonly milliseconds: number;
  /** Undefined: it came in one piece. */
  readonly firstTokenMilliseconds: number | undefined;
  /** Empty for an ordinary end. */
  readonly ending: string;
}

/** A call that was chosen. */
export interface CopiedCall {
  /** At its settlement. */
  settled(figures: AnswerFigures): void;
  /** After the end of the answer was given to the caller. `texts` is read later, once; undefined: they were not kept. */
  ended(texts: (() => readonly string[]) | undefined): void;
}

export interface CallCopies {
  /** One look where nothing is compared. */
  choose(incoming: Incoming, caller: Caller, prepared: PreparedCall): CopiedCall | undefined;
}
