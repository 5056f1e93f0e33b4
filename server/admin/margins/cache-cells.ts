// Adds new log rows to what upstreams' caches of prompts saved. What a call saved stands in its row, because prices change later; rows
// from before that was recorded count as calls whose saving is not known. A cached answer (ADR 123) names no channel: no upstream read a prompt.
import { sql, type RawBuilder } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { inPieces, logSlices, startOf, type FollowingSum } from '#server/money/sums/engine.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

const ROWS_PER_SLICE = 2000;
/** Of 11 parameters each. */
const CELLS_PER_STATEMENT = 200;

const KEYS = ['seconds', 'start', 'channel_id', 'model_name'] as const;
const FIGURES = [
  'prompt_tokens',
  'cache_read',
  'cached_calls',
  'priced_calls',
  'saved_quota',
  'costed_calls',
  'saved_cost',
] as const;

type Cell = Record<(typeof FIGURES)[number], number> & Pick<NewRow<'cache_cells'>, (typeof KEYS)[number]>;

/** Null: the row does not have it. */
type ReadNumber = (path: string) => RawBuilder<number | null>;

const sqliteNumber: ReadNumber = (path) =>
  sql`cast(json_extract(detail, ${sql.lit(`$.${path}`)}) as integer)`;

/** By splitting the text: JSON functions fail for the whole statement on text that JSON allows and PostgreSQL does not. */
const postgresNumber: ReadNumber = (path) => {
  const name = sql.lit(`"${path.replace(/^.*\./, '')}":`);
  return sql`substring(left(split_part(detail, ${name}, 2), 20) from '^-?[0-9]{1,16}')::bigint`;
};

export const cacheCells = (
  store: Pick<Store, 'dialect'>,
  rowsPerSlice = ROWS_PER_SLICE,
): FollowingSum<Cell[]> => ({
  name: 'cache',
  source: 'logs',
  endOfSlice: logSlices(rowsPerSlice),
  async read(db, { from, through }) {
    const isSqlite = store.dialect === 'sqlite';
    const number = isSqlite ? sqliteNumber : postgresNumber;
    const detail = isSqlite ? sql`case when json_valid(other) then other else '{}' end` : sql`other`;
    const whole = (value: RawBuilder<unknown>) => sql`cast(coalesce(sum(${value}), 0) as bigint)`;
    const { rows } = await sql<Omit<Cell, 'seconds'>>`
      select start, channel_id, model_name, ${whole(sql`prompt_tokens`)} as prompt_tokens,
        ${whole(sql`coalesce(read_tokens, 0)`)} as cache_read,
        ${whole(sql`case when coalesce(read_tokens, 0) + coalesce(written, 0) + coalesce(written_1h, 0) > 0 then 1 else 0 end`)} as cached_calls,
        cast(count(quota_saved) as bigint) as priced_calls, ${whole(sql`quota_saved`)} as saved_quota,
        cast(count(cost_saved) as bigint) as costed_calls, ${whole(sql`cost_saved`)} as saved_cost
      from (select start, channel_id, model_name, prompt_tokens, ${number('usage.cacheRead')} as read_tokens,
          ${number('usage.cacheWrite5m')} as written, ${number('usage.cacheWrite1h')} as written_1h,
          ${number('admin_info.cache_saved_quota')} as quota_saved, ${number('admin_info.cache_saved_cost')} as cost_saved
        from (select created_at - created_at % ${sql.lit(HOUR_SECONDS)} as start, channel_id, model_name, prompt_tokens,
            ${detail} as detail
          from logs where type = 2 and channel_id > 0 and prompt_tokens > 0 and id > ${from} and id <= ${through}) as found) as calls
      group by start, channel_id, model_name`.execute(db);
    return withDays(rows.map((row) => ({ ...row, seconds: HOUR_SECONDS })));
  },
  /** Always in the order of the key: nothing else writes these rows. */
  async add(transaction, cells) {
    const sums = Object.fromEntries(
      FIGURES.map((name) => [
        name,
        sql<number>`${sql.ref(`cache_cells.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
      ]),
    );
    await inPieces(cells, CELLS_PER_STATEMENT, (piece) =>
      transaction
        .insertInto('cache_cells')
        .values(piece)
        .onConflict((conflict) => conflict.columns(KEYS).doUpdateSet(sums))
        .execute(),
    );
  },
});

/** The same by day: a report of months reads few rows. */
function withDays(hours: readonly Cell[]): Cell[] {
  const days = new Map<string, Cell>();
  for (const hour of hours) {
    const start = startOf(hour.start, DAY_SECONDS);
    const key = `${start} ${hour.channel_id} ${hour.model_name}`;
    const day = days.get(key);
    if (day === undefined) days.set(key, { ...hour, seconds: DAY_SECONDS, start });
    else for (const name of FIGURES) day[name] += hour[name];
  }
  return [...hours, ...days.values()];
}
