// What an audit finds.
import type { Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';

export interface Breach {
  invariant: string;
  /** 0 when no single user is concerned. */
  userId: number;
  detail: string;
}

/** A store or one of its readers. */
export interface AuditSource {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Schema>;
}

/** The rows with `from < id <= through`. */
export interface Slice {
  from: number;
  through: number;
  /** When these rows of the ledger were written: their log rows are in the partitions of that time. */
  times?: { first: number; last: number };
}

/** Reading this many rows takes a fraction of a second, so a snapshot is never held for long. */
export const ROWS_PER_SLICE = 20_000;
/** So many slices are summed in memory before their sums are written. */
export const SLICES_PER_WRITE = 25;

/** One broken rule can concern every row; a hundred findings are enough for a report. */
export const MOST_FINDINGS = 100;

/** The one invariant that suspends a user. */
export const BALANCE_INVARIANT = 'a balance is the sum of its transfers';

/** Lets calls have the machine between two slices: waits this many times as long as the slice took. */
const PAUSE_FACTOR = 15;
const LONGEST_PAUSE_MS = 10_000;
/** A slice shorter than this needs no pause. */
const BRIEF_MS = 10;

export type Pause = <T>(work: () => Promise<T>) => Promise<T>;

export const withoutPause: Pause = (work) => work();

export const withPause: Pause = async (work) => {
  const started = performance.now();
  const result = await work();
  const tookMs = performance.now() - started;
  if (tookMs > BRIEF_MS) await Bun.sleep(Math.min(tookMs * PAUSE_FACTOR, LONGEST_PAUSE_MS));
  return result;
};
