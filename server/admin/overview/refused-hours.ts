// Refused calls by the hour. The rows of a finished hour no longer change, so what was read of it is kept in memory: a reader waits
// for the last hours only, however many calls were refused in a day.
import { sql } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Refusals are counted in memory for a moment before they are written. */
const SETTLED_SECONDS = 300;

export interface RefusedCause {
  count: number;
  users: Set<number>;
  keys: Set<number>;
  /** Model → calls. */
  models: Map<string, number>;
}
type Hour = ReadonlyMap<string, RefusedCause>;

const kept = new WeakMap<Store, Map<number, Hour>>();

export const noCause = (): RefusedCause => ({
  count: 0,
  users: new Set(),
  keys: new Set(),
  models: new Map(),
});

export function addCause(to: RefusedCause, { count, users, keys, models }: RefusedCause): void {
  to.count += count;
  for (const user of users) to.users.add(user);
  for (const key of keys) to.keys.add(key);
  for (const [model, calls] of models) to.models.set(model, (to.models.get(model) ?? 0) + calls);
}

/** By code, from the hour of `start` on. `ignored`: codes that are of no interest. */
export async function readRefusedSince(
  store: Store,
  start: number,
  now: number,
  ignored: ReadonlySet<string>,
): Promise<Map<string, RefusedCause>> {
  const known = kept.get(store) ?? new Map<number, Hour>();
  kept.set(store, known);
  const first = start - (start % HOUR_SECONDS);
  for (const hour of known.keys()) if (hour < first) known.delete(hour);
  let from = first;
  while (known.has(from)) from += HOUR_SECONDS;
  const read = await readHours(store, from, ignored);
  const total = new Map<string, RefusedCause>();
  for (let hour = first; hour <= now; hour += HOUR_SECONDS) {
    const causes = hour < from ? known.get(hour) : (read.get(hour) ?? new Map<string, RefusedCause>());
    if (causes === undefined) continue;
    if (hour + HOUR_SECONDS + SETTLED_SECONDS <= now) known.set(hour, causes);
    for (const [code, cause] of causes) {
      const sum = total.get(code) ?? noCause();
      total.set(code, sum);
      addCause(sum, cause);
    }
  }
  return total;
}

interface Row {
  hour: number;
  code: string;
  user_id: number;
  token_id: number;
  model_name: string;
  count: number;
}

/** One read of the index by minute. */
async function readHours(
  { db }: Store,
  from: number,
  ignored: ReadonlySet<string>,
): Promise<Map<number, Map<string, RefusedCause>>> {
  const { rows } = await sql<Row>`
    select minute - minute % ${sql.lit(HOUR_SECONDS)} as hour, code, user_id, token_id, model_name,
      cast(sum(count) as bigint) as count
    from refused_calls where minute >= ${from} and code not in (${sql.join([...ignored])})
    group by 1, code, user_id, token_id, model_name`.execute(db);
  const hours = new Map<number, Map<string, RefusedCause>>();
  for (const { hour, code, user_id, token_id, model_name, count } of rows) {
    const causes = hours.get(hour) ?? new Map<string, RefusedCause>();
    hours.set(hour, causes);
    const cause = causes.get(code) ?? noCause();
    causes.set(code, cause);
    cause.count += count;
    if (user_id > 0) cause.users.add(user_id);
    if (token_id > 0) cause.keys.add(token_id);
    if (model_name !== '') cause.models.set(model_name, (cause.models.get(model_name) ?? 0) + count);
  }
  return hours;
}
