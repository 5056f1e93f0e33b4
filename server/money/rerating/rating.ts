// Computes the new charges of a day: of all users for a dry run, of one user for the notes. It writes nothing, so a worker
// thread runs it (rating-thread.ts); the relay's thread gets sums, or the calls to book.
import { sql } from 'kysely';
import type { LeftOutReason } from '#contract/money/rerating.ts';
import type { AuditSource, Pause } from '#server/money/audit/breach.ts';
import { priceOf } from '#server/money/ledger/corrections/shares.ts';
import { isChanged, rateSlices, type RatedCall } from './calls.ts';
import { dayOf, filterOf, pricesOfRun, type Run } from './run.ts';

/** Calls of one user, day and model whose price changes. */
export interface Sum {
  user_id: number;
  day: number;
  model_name: string;
  calls: number;
  before: number;
  after: number;
}

export type LeftOut = Partial<Record<LeftOutReason, { calls: number; quota: number }>>;

export interface DayFigures {
  examined: number;
  /** Sum of what calls cost less, and of what they cost more. */
  credit: number;
  debit: number;
  leftOut: LeftOut;
  sums: Sum[];
}

export interface Span {
  from: number;
  to: number;
}

export interface Rating {
  rateDay(run: Run, span: Span): Promise<DayFigures>;
  /** Calls of this user whose price changes, and those that the run has corrected. */
  rateUser(run: Run, span: Span, userId: number): Promise<RatedCall[]>;
  close(): Promise<void>;
}

/** In this thread; `pause` is between two slices. */
export function ratingOn(source: AuditSource & { close(): Promise<void> }, pause: Pause): Rating {
  return {
    async rateDay(run, span) {
      const filter = filterOf(run);
      const prices = await pricesOfRun(source, run);
      const figures = { examined: 0, credit: 0, debit: 0, leftOut: {} as LeftOut };
      const sums = new Sums();
      const read = { calls: 0, quota: 0 };
      const slices = rateSlices(source, { ...span, filter, prices });
      for (;;) {
        const { value: slice } = await pause(() => slices.next());
        if (slice === undefined) break;
        read.calls += slice.rows;
        read.quota += slice.quota;
        figures.examined += slice.calls.length;
        for (const { reason, quota } of slice.leftOut) skip(figures.leftOut, reason, { calls: 1, quota });
        for (const call of slice.calls) {
          if (!isChanged(call)) continue;
          const [before, after] = [priceOf(call.before), priceOf(call.wanted)];
          if (after < before) figures.credit += before - after;
          else figures.debit += after - before;
          sums.add(call, before, after);
        }
      }
      const counted = await countCalls(source, span, filter.models);
      const missing = { calls: counted.calls - read.calls, quota: counted.quota - read.quota };
      if (missing.calls > 0) skip(figures.leftOut, 'missing', missing);
      return { ...figures, sums: sums.all };
    },
    async rateUser(run, span, userId) {
      const prices = await pricesOfRun(source, run);
      const calls: RatedCall[] = [];
      const slices = rateSlices(source, { ...span, filter: filterOf(run), prices, userId });
      for await (const slice of slices)
        calls.push(...slice.calls.filter((call) => call.correctedBy === run.id || isChanged(call)));
      return calls;
    },
    close: () => source.close(),
  };
}

export class Sums {
  readonly #byKey = new Map<string, Sum>();

  add({ userId, createdAt, modelName }: RatedCall, before: number, after: number): void {
    const key = `${userId} ${modelName}`;
    const sum = this.#byKey.get(key);
    if (sum === undefined) {
      const day = dayOf(createdAt);
      this.#byKey.set(key, { user_id: userId, day, model_name: modelName, calls: 1, before, after });
      return;
    }
    sum.calls += 1;
    sum.before += before;
    sum.after += after;
  }

  get all(): Sum[] {
    return [...this.#byKey.values()];
  }
}

export function skip(
  leftOut: LeftOut,
  reason: LeftOutReason,
  { calls, quota }: { calls: number; quota: number },
): void {
  const known = leftOut[reason] ?? { calls: 0, quota: 0 };
  leftOut[reason] = { calls: known.calls + calls, quota: known.quota + quota };
}

/** Calls that were charged, by the hourly figures, which are kept when log rows are removed. */
async function countCalls({ db }: AuditSource, { from, to }: Span, models: readonly string[]) {
  let query = db
    .selectFrom('usage_hours')
    .select(({ fn }) => [
      fn.sum<number | null>('count').as('calls'),
      fn.sum<number | null>('quota').as('quota'),
    ])
    .where('hour', '>=', from)
    .where('hour', '<', to);
  if (models.length > 0) query = query.where('model_name', 'in', models);
  const { calls, quota } = await query.executeTakeFirstOrThrow();
  return { calls: calls ?? 0, quota: quota ?? 0 };
}

/** What the range looks like: new calls, late settlements, other runs and a cleaned log change it. A run covers whole hours. */
export async function fingerprintOf(
  { db }: AuditSource,
  run: Pick<Run, 'from_at' | 'to_at'>,
): Promise<string> {
  const { rows } = await sql<Record<string, number | string>>`
    select coalesce(sum(count), 0) as calls, coalesce(sum(quota), 0) as quota,
      coalesce(sum(prompt_tokens), 0) as input, coalesce(sum(completion_tokens), 0) as output,
      (select coalesce(max(booking), 0) from rerate_runs
        where from_at < ${run.to_at} and to_at > ${run.from_at}) as bookings,
      (select cleaned_before from log_cleaning) as cleaned
    from usage_hours where hour >= ${run.from_at} and hour < ${run.to_at}`.execute(db);
  const { calls, quota, input, output, bookings, cleaned } = rows[0] ?? {};
  // The retention of the log moves every day; it matters once it reaches the range.
  return [calls, quota, input, output, bookings, Math.max(Number(cleaned), run.from_at)].join(' ');
}
