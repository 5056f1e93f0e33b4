// The state of a key now, for conditions: an enabled one is expired or exhausted before its row is updated.
import { sql } from 'kysely';
import { TOKEN_NEVER_EXPIRES, TOKEN_STATUS } from '#contract/admin/tokens.ts';

/** `tokenStatusAt` of contract/admin/tokens.ts as SQL. */
export function statusExpression(now: number) {
  return sql<number>`case
    when status <> ${sql.lit(TOKEN_STATUS.enabled)} then status
    when expired_time <> ${sql.lit(TOKEN_NEVER_EXPIRES)} and expired_time <= ${now}
      then ${sql.lit(TOKEN_STATUS.expired)}
    when unlimited_quota = 0 and remain_quota <= 0 then ${sql.lit(TOKEN_STATUS.exhausted)}
    else ${sql.lit(TOKEN_STATUS.enabled)} end`;
}
