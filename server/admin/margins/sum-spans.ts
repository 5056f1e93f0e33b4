// Sums the margins of days and weeks that are over, and of the hours of these days. `margin_days` stays the source: a charge that is written into a past day
// marks its spans as not summed in the same transaction, and they are read from `margin_days` until they are summed again.
import { sql, type RawBuilder } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import { jsonRows } from '#server/money/ledger/corrections/json-rows.ts';
import { inPieces, periodsWithRows, type Pause } from '#server/money/sums/engine.ts';
import {
  HOURS_OF_A_DAY,
  spanEnd,
  SPANS,
  spanStart,
  type MarginSpan,
} from '#server/money/sums/margin-spans.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { databaseSeconds } from '#server/platform/store/leases.ts';
import type { Store } from '#server/platform/store/store.ts';
import { FIGURES, wholeDay } from './hours.ts';
import { KINDS, type SummedColumn } from './kinds.ts';
import type { MarginDependencies } from './report.ts';
import { logHours } from './unsummed-hours.ts';

/**
 * Writers mark no day that was not over when their transaction began: none of these transactions may still run when the day
 * is summed.
 */
const CLOSED_AFTER_SECONDS = 3600;
/** A node without a heartbeat for so long has ended. */
const SILENT_SECONDS = 300;
const ROWS_PER_STATEMENT = 500;

const COLUMNS = {
  day: 'integer',
  channel_id: 'integer',
  model_name: 'text',
  group: 'text',
  user_id: 'integer',
  count: 'integer',
  quota: 'integer',
  cost: 'integer',
  costed_count: 'integer',
  costed_quota: 'integer',
} as const;
type SumRow = Record<keyof typeof COLUMNS, string | number>;

/** Stops when `pause` gives false. Returns how many days and weeks were summed. */
export async function sumMarginSpans(
  dependencies: MarginDependencies,
  pause: Pause = async () => true,
): Promise<number> {
  const { store } = dependencies;
  // The clock that decides for the writers which day is over.
  const clock = await databaseSeconds(store);
  if (await isUpgrading(store, clock)) return 0;
  const now = Math.min(nowSeconds(dependencies), clock);
  const end = spanStart(now - CLOSED_AFTER_SECONDS, 1);
  // Summed while the clock was wrong: their charges were not marked.
  await sql`update margin_summed set is_summed = 0, changes = changes + 1
    where is_summed = 1 and day + (case when days = 0 then 1 else days end) * ${sql.lit(DAY_SECONDS)} > ${end}`.execute(
    store.db,
  );
  let count = 0;
  for (const span of await spansToSum(store, end)) {
    const claim = await claimSpan(store, span);
    const isWritten = await writeSums(store, span, claim, pause);
    if (!isWritten) return count;
    if (await closeSpan(store, span, claim)) count += 1;
  }
  return count;
}

/** Nodes that began before these tables were made mark nothing, so nothing is summed beside them. */
async function isUpgrading({ db, dialect }: Store, clock: number): Promise<boolean> {
  if (dialect === 'sqlite') return false;
  const versions = await db
    .selectFrom('nodes')
    .select('version')
    .distinct()
    .where('heartbeat_at', '>', clock - SILENT_SECONDS)
    .execute();
  return versions.length > 1;
}

/** Newest first: these are looked at most. */
async function spansToSum({ db }: Store, end: number): Promise<MarginSpan[]> {
  const { rows: summed } = await sql<MarginSpan>`
    select days, day from margin_summed where is_summed = 1`.execute(db);
  const known = new Set(summed.map(({ days, day }) => `${days} ${day}`));
  const spans = new Map<string, MarginSpan>();
  for await (const day of periodsWithRows(db, ['margin_days', 'day'], DAY_SECONDS, { from: 0, end }))
    for (const days of SPANS) {
      const span = { days, day: spanStart(day, days) };
      const key = `${days} ${span.day}`;
      if (spanEnd(span) <= end && !known.has(key)) spans.set(key, span);
    }
  return [...spans.values()].toReversed();
}

/** Returns the number that is there until another write or another run changes it. */
async function claimSpan({ db }: Store, span: MarginSpan): Promise<number> {
  const { changes } = await db
    .insertInto('margin_summed')
    .values({ ...span, changes: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['days', 'day'])
        .doUpdateSet({ is_summed: 0, changes: sql`margin_summed.changes + 1` }),
    )
    .returning('changes')
    .executeTakeFirstOrThrow();
  return changes;
}

/** Read by a reader and written in pieces: a day of many users must not hold up the charges of calls. */
async function writeSums(store: Store, span: MarginSpan, claim: number, pause: Pause): Promise<boolean> {
  const isOfHours = span.days === HOURS_OF_A_DAY;
  const source = isOfHours ? await hourSource(store, span.day) : daySource(span);
  for (const [kind, columns] of Object.entries(KINDS)) {
    const rows = await sumsOf(store, source, columns);
    if (isOfHours) await forgetHours(store, kind, span.day, claim);
    const write = (piece: SumRow[]) => writePiece(store, { kind, span, claim }, piece);
    if (!(await inPieces(rows, ROWS_PER_STATEMENT, write, pause))) return false;
  }
  return true;
}

async function sumsOf(
  { db }: Store,
  source: RawBuilder<unknown>,
  columns: readonly SummedColumn[],
): Promise<SumRow[]> {
  const key = (name: SummedColumn, empty: 0 | '') =>
    columns.includes(name) ? sql.ref(name) : sql`${sql.lit(empty)} as ${sql.ref(name)}`;
  const sum = (name: string) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`;
  const { rows } = await sql<SumRow>`
    select day, ${key('channel_id', 0)}, ${key('model_name', '')}, "group", ${key('user_id', 0)}, ${sum('count')},
      ${sum('quota')}, ${sum('cost')}, ${sum('costed_count')}, ${sum('costed_quota')}
    from (${source}) as source group by day, ${sql.join(columns.map((name) => sql.ref(name)))}, "group"`.execute(
    db,
  );
  return rows;
}

const daySource = (span: MarginSpan) =>
  sql`select ${sql.lit(span.day)} as day, channel_id, model_name, "group", user_id, ${FIGURES}
    from margin_days where day >= ${span.day} and day < ${spanEnd(span)}`;

/**
 * The hours of a day from the log, where its rows are exactly what the sums of the day were made of. Where they are not (rows
 * were cleaned or brought in from another gateway, or are not written), the day stays whole, in its middle hour.
 */
async function hourSource({ db }: Store, day: number): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from (
      select 1 from (
        select channel_id, model_name, "group", user_id, ${FIGURES} from margin_days where day = ${day}
        union all
        select channel_id, model_name, "group", user_id, -count, -quota, -cost, -costed_count, -costed_quota
        from (${logHours(day, day + DAY_SECONDS)}) as logged) as both_ways
      group by channel_id, model_name, "group", user_id
      having sum(count) <> 0 or sum(quota) <> 0 or sum(cost) <> 0 or sum(costed_count) <> 0 or sum(costed_quota) <> 0
    ) as different`.execute(db);
  return rows[0]?.differences === 0 ? logHours(day, day + DAY_SECONDS) : wholeDay(day);
}

/** An earlier run may have put calls into other hours. */
async function forgetHours({ db, dialect }: Store, kind: string, day: number, claim: number): Promise<void> {
  await sql`delete from margin_sums where kind = ${kind} and days = 0 and day >= ${day} and day < ${day + DAY_SECONDS}
    and ${isClaimed(dialect, { days: HOURS_OF_A_DAY, day }, claim)}`.execute(db);
}

const isClaimed = (dialect: Store['dialect'], { days, day }: MarginSpan, claim: number) =>
  sql`exists (select 1 from margin_summed
      where days = ${days} and day = ${day} and changes = ${claim} and is_summed = 0 ${dialect === 'postgres' ? sql`for share` : sql``})`;

/**
 * Writes nothing when the claim is gone: a run that was stopped for longer than its lease must not replace newer sums. Of days
 * and weeks no row is deleted first, because no row of `margin_days` ever is.
 */
async function writePiece(
  { db, dialect }: Store,
  { kind, span, claim }: { kind: string; span: MarginSpan; claim: number },
  rows: readonly SumRow[],
): Promise<void> {
  const names = sql.join(Object.keys(COLUMNS).map((name) => sql.ref(name)));
  await sql`insert into margin_sums (kind, days, ${names})
    select ${sql.lit(kind)}, ${sql.lit(span.days)}, ${names} from ${jsonRows({ dialect }, COLUMNS, rows)}
    where ${isClaimed(dialect, span, claim)}
    on conflict (kind, days, day, channel_id, model_name, "group", user_id) do update set count = excluded.count,
      quota = excluded.quota, cost = excluded.cost, costed_count = excluded.costed_count,
      costed_quota = excluded.costed_quota`.execute(db);
}

/** False: a charge came meanwhile, and a later run sums the span again. */
async function closeSpan({ db }: Store, { days, day }: MarginSpan, claim: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('margin_summed')
    .set({ is_summed: 1 })
    .where('days', '=', days)
    .where('day', '=', day)
    .where('changes', '=', claim)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
