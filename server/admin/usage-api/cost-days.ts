// The charges of days that are over. The hourly figures stay the source: days that are not summed are read from them, and so is a day
// into which a charge was written after it was summed, however late: the transaction of that charge marks the day (`margin_summed`).
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { jsonRows } from '#server/money/ledger/corrections/json-rows.ts';
import { inPieces, positionOf, type Pause, type PeriodSum } from '#server/money/sums/engine.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

const ROWS_PER_STATEMENT = 500;
const COLUMNS = {
  day: 'integer',
  user_id: 'integer',
  token_id: 'integer',
  model_name: 'text',
  quota: 'integer',
} as const;

export const costDays: PeriodSum = {
  name: 'costs',
  periodSeconds: DAY_SECONDS,
  closedAfterSeconds: 3 * HOUR_SECONDS,
  againSeconds: 2 * DAY_SECONDS,
  sum: sumDay,
};

/** Days that were summed before a charge was written into them. `sumAlso`: what else is kept of such a day. */
export async function sumChangedDays(
  store: Store,
  pause: Pause,
  sumAlso: (day: number) => Promise<void>,
): Promise<number> {
  const to = await positionOf(store, 'costs');
  let count = 0;
  for (const day of await readChangedDays(store, { from: 0, to })) {
    if (!(await sumDay(store, day, pause, sumAlso))) break;
    count += 1;
  }
  return count;
}

/** Also those that a run is summing. */
export async function readChangedDays(
  { db }: Pick<Store, 'db'>,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const inSpan = (day: string): RawBuilder<SqlBool> =>
    sql`${sql.ref(day)} >= ${from} and ${sql.ref(day)} < ${to}`;
  const { rows } = await sql<{ day: number }>`
    select written.day from margin_summed written left join cost_days_summed summed on summed.day = written.day
      where written.days = 1 and ${inSpan('written.day')}
        and (summed.day is null or summed.is_summed = 0 or summed.changes <> written.changes)
    union select day from cost_days_summed where is_summed = 0 and ${inSpan('day')} order by 1`.execute(db);
  return rows.map(({ day }) => day);
}

/** Read by a reader and written in pieces: a day of many users must not hold up the charges of calls. */
async function sumDay(
  store: Store,
  day: number,
  pause: Pause,
  sumAlso: (day: number) => Promise<void> = async () => {},
): Promise<boolean> {
  const { db } = store;
  const claim = await claimDay(store, day);
  // Before the charges are read: one that comes now is summed twice rather than never.
  const written = await db
    .selectFrom('margin_summed')
    .select('changes')
    .where('days', '=', 1)
    .where('day', '=', day)
    .executeTakeFirst();
  await sumAlso(day);
  const { rows } = await sql<Row<'cost_days'>>`
    select cast(${day} as bigint) as day, user_id, token_id, model_name, cast(sum(quota) as bigint) as quota
    from usage_hours where hour >= ${day} and hour < ${day + DAY_SECONDS}
    group by user_id, token_id, model_name`.execute(db);
  const write = (piece: Row<'cost_days'>[]) => writePiece(store, { day, claim }, piece);
  if (!(await inPieces(rows, ROWS_PER_STATEMENT, write, pause))) return false;
  await db
    .updateTable('cost_days_summed')
    .set({ is_summed: 1, changes: written?.changes ?? 0 })
    .where('day', '=', day)
    .where('claims', '=', claim)
    .execute();
  return true;
}

/** Returns the number that is there until another run takes the day. */
async function claimDay({ db }: Store, day: number): Promise<number> {
  const { claims } = await db
    .insertInto('cost_days_summed')
    .values({ day, claims: 1 })
    .onConflict((conflict) =>
      conflict.column('day').doUpdateSet({ is_summed: 0, claims: sql`cost_days_summed.claims + 1` }),
    )
    .returning('claims')
    .executeTakeFirstOrThrow();
  return claims;
}

/** Writes nothing when the claim is gone: what this run has read may be older than what the other one has. */
async function writePiece(
  { db, dialect }: Store,
  { day, claim }: { day: number; claim: number },
  rows: readonly Row<'cost_days'>[],
): Promise<void> {
  const names = sql.join(Object.keys(COLUMNS).map((name) => sql.ref(name)));
  const lock = dialect === 'postgres' ? sql`for share` : sql``;
  await sql`insert into cost_days (${names})
    select ${names} from ${jsonRows({ dialect }, COLUMNS, rows)}
    where exists (select 1 from cost_days_summed where day = ${day} and claims = ${claim} ${lock})
    on conflict (day, user_id, token_id, model_name) do update set quota = excluded.quota`.execute(db);
}
