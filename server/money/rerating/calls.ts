// Log rows of a range in slices, each call with its shares so far and its new price.
import { sql, type Expression, type SqlBool } from 'kysely';
import type { AuditSource } from '#server/money/audit/breach.ts';
import type { CallCorrection } from '#server/money/ledger/corrections/correction.ts';
import { priceOf, sharesAt, type Shares } from '#server/money/ledger/corrections/shares.ts';
import { lateKey, suspenseKey } from '#server/money/ledger/engine/late.ts';
import type { PriceSettings } from '#server/money/prices/price.ts';
import type { LeftOutReason } from '#contract/money/rerating.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { rate, RATED_COLUMNS, type RatedRow, type Rating } from './rate.ts';
import type { Filter } from './run.ts';

/** Small enough that the thread rests between two slices before calls notice it. */
const ROWS_PER_SLICE = 500;
const CONSUMPTION = 2;

export interface Selection {
  from: number;
  to: number;
  filter: Filter;
  prices: PriceSettings;
  /** Only this user's. */
  userId?: number;
}

export interface RatedCall extends CallCorrection {
  userId: number;
  /** The run of the last correction; 0: none. */
  correctedBy: number;
}

export interface RatedSlice {
  /** Rows that were read, before the filters of group and version. */
  rows: number;
  quota: number;
  /** Calls with a price by the run's version, also those whose price stays. */
  calls: RatedCall[];
  leftOut: { reason: LeftOutReason; quota: number }[];
}

export async function* rateSlices(source: AuditSource, selection: Selection): AsyncGenerator<RatedSlice> {
  let after = { at: selection.from - 1, id: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const rows = await readSlice(source, selection, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield await rateSlice(source, selection, rows);
    if (rows.length < ROWS_PER_SLICE) return;
    after = { at: last.created_at, id: last.id };
  }
}

async function readSlice(
  { db }: AuditSource,
  { from, to, filter, userId }: Selection,
  after: { at: number; id: number },
): Promise<RatedRow[]> {
  let query = db
    .selectFrom('logs')
    .select([...RATED_COLUMNS])
    .where('type', '=', CONSUMPTION)
    .where('created_at', '>=', Math.max(from, after.at))
    .where('created_at', '<', to)
    .where(sql<SqlBool>`(created_at, id) > (${after.at}, ${after.id})` as Expression<SqlBool>)
    .orderBy('created_at')
    .orderBy('id')
    .limit(ROWS_PER_SLICE);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (filter.models.length > 0) query = query.where('model_name', 'in', filter.models);
  return await query.execute();
}

type Rated = Extract<Rating, { kind: 'rated' }>;

async function rateSlice(
  source: AuditSource,
  { prices, filter }: Selection,
  rows: readonly RatedRow[],
): Promise<RatedSlice> {
  const ratings = rows.map((row) => ({ row, rating: rate(prices, filter, row) }));
  const rated = ratings.filter(
    (each): each is { row: RatedRow; rating: Rated } => each.rating.kind === 'rated',
  );
  const corrected = await lastCorrections(
    source,
    rated.filter(({ rating }) => rating.isCorrected).map(({ row }) => row.id),
  );
  const suspense = await suspenseOf(
    source,
    rated.map(({ row }) => row.request_id),
  );
  return {
    rows: rows.length,
    quota: rows.reduce((sum, { quota }) => sum + quota, 0),
    calls: rated.map(({ row, rating }) => {
      const correction = corrected.get(row.id);
      const { subscription, quota: plan } = rating.plan;
      const before = correction?.after ?? {
        wallet: row.quota - plan,
        plan,
        suspense: suspense.get(row.request_id) ?? 0,
      };
      return {
        logId: row.id,
        userId: row.user_id,
        createdAt: row.created_at,
        requestId: row.request_id,
        modelName: row.model_name,
        tokenId: row.token_id,
        channelId: row.channel_id,
        group: row.group,
        isCosted: row.cost !== null,
        subscriptionId: correction?.subscriptionId ?? subscription,
        correctedBy: correction?.runId ?? 0,
        before,
        wanted: sharesAt(before, rating.price),
      };
    }),
    leftOut: ratings.flatMap(({ row, rating }) =>
      rating.kind === 'left_out' ? [{ reason: rating.reason, quota: row.quota }] : [],
    ),
  };
}

export interface LastCorrection {
  runId: number;
  subscriptionId: number;
  after: Shares;
  before: Shares;
}

/** The newest correction of each of these log rows. */
export async function lastCorrections(
  { db }: AuditSource,
  logIds: readonly number[],
): Promise<Map<number, LastCorrection>> {
  if (logIds.length === 0) return new Map();
  // In the order of the runs that booked them: an undo has a higher number than what it undoes, but a dry run can be older than
  // a run that was applied before it, so the time decides.
  const rows = await db
    .selectFrom('rerate_calls')
    .innerJoin('rerate_runs', 'rerate_runs.id', 'rerate_calls.run_id')
    .selectAll('rerate_calls')
    .where('log_id', 'in', logIds)
    .orderBy('rerate_runs.booking')
    .execute();
  return new Map(rows.map((row) => [row.log_id, correctionOf(row)]));
}

export function correctionOf(row: Row<'rerate_calls'>): LastCorrection {
  return {
    runId: row.run_id,
    subscriptionId: row.subscription_id,
    before: { wallet: row.wallet_before, plan: row.plan_before, suspense: row.suspense_before },
    after: { wallet: row.wallet_after, plan: row.plan_after, suspense: row.suspense_after },
  };
}

/** What each call could not pay when it was settled. */
async function suspenseOf({ db }: AuditSource, requestIds: readonly string[]): Promise<Map<string, number>> {
  if (requestIds.length === 0) return new Map();
  const keys = requestIds.flatMap((id) => [suspenseKey(id), suspenseKey(lateKey(id))]);
  const rows = await db
    .selectFrom('ledger')
    .select(['reference', 'amount', 'debit_account'])
    .where('idem', 'in', keys)
    .execute();
  const sums = new Map<string, number>();
  for (const { reference, amount, debit_account } of rows)
    sums.set(reference, (sums.get(reference) ?? 0) + (debit_account === 'suspense' ? amount : -amount));
  return sums;
}

export const isChanged = ({ before, wanted }: CallCorrection): boolean => priceOf(before) !== priceOf(wanted);
