// What corrected calls of an organization are attributed to. A call whose log row is gone stays in the totals of its key and model,
// and is attributed to nobody.
import { sql, type Transaction } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import { tagPairs } from '#server/money/ledger/engine/holders.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { BookedCall, Dialect } from './correction.ts';
import type { LogTexts } from './figures.ts';
import { jsonRows } from './json-rows.ts';
import { paidOf } from './shares.ts';

const COLUMNS = {
  user_id: 'integer',
  tag_key: 'text',
  hour: 'integer',
  tag_value: 'text',
  member_id: 'integer',
  service_account_id: 'integer',
  project_id: 'integer',
  token_id: 'integer',
  model_name: 'text',
  quota: 'integer',
} as const;

type Sum = Record<Exclude<keyof typeof COLUMNS, 'quota'>, string | number> & { quota: number };

/** In the order of their keys, so that two transactions wait for each other instead of deadlocking. */
export async function correctHolders(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  userId: number,
  calls: readonly BookedCall[],
  logs: LogTexts,
): Promise<void> {
  const sums = new Map<string, Sum>();
  for (const { logId, createdAt, tokenId, modelName, before, after } of calls) {
    const log = logs.get(logId);
    if (log === undefined) continue;
    const { member_id, service_account_id, project_id, tags } = log;
    if (member_id === 0 && service_account_id === 0 && project_id === 0) continue;
    const quota = paidOf(after) - paidOf(before);
    for (const [tag_key, tag_value] of tagPairs(tags)) {
      const keys = {
        user_id: userId,
        tag_key,
        hour: createdAt - (createdAt % HOUR_SECONDS),
        tag_value,
        member_id,
        service_account_id,
        project_id,
        token_id: tokenId,
        model_name: modelName,
      };
      const name = JSON.stringify(keys);
      const known = sums.get(name);
      if (known === undefined) sums.set(name, { ...keys, quota });
      else known.quota += quota;
    }
  }
  if (sums.size === 0) return;
  const names = Object.keys(COLUMNS);
  const keys = names.filter((name) => name !== 'quota').map((name) => sql.ref(name));
  await sql`insert into holder_hours (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => sql.ref(`v.${name}`)))}
    from ${jsonRows({ dialect }, COLUMNS, [...sums.values()])} where true
    order by 1, 2, 3, 4, 5, 6, 7, 8, 9
    on conflict (${sql.join(keys)}) do update set quota = holder_hours.quota + excluded.quota`.execute(
    transaction,
  );
}
