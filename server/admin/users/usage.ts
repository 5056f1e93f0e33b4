// A user's recent activity: thirty days of calls from the hourly figures, the most expensive models, and the last changes of
// the balance other than calls.
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { DIVIDEND_BACK_KIND, DIVIDEND_KIND } from '#server/money/ledger/idempotency.ts';
import { USAGE_DAYS, type userManagement, type UserUsage } from '#contract/admin/user-management.ts';
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { lastDayStarts } from '#server/admin/day-sums.ts';
import { readUsedPerDay } from '#server/admin/used-per-day.ts';
import { inviteFlags } from './invite-flags.ts';
import { maySee } from './levels.ts';
import type { ManagementDependencies } from './management-dependencies.ts';

const TOP_MODELS = 5;
const LAST_ENTRIES = 8;

const total = (expression: string) => sql<number>`cast(sum(${sql.raw(expression)}) as bigint)`;

export function userUsage({
  store,
  settings,
}: Pick<ManagementDependencies, 'store' | 'settings'>): Handler<typeof userManagement.usage> {
  return async ({ params: { id } }, context) => {
    const target = await store.db
      .selectFrom('users')
      .select(['id', 'role'])
      .where('id', '=', id)
      .where('kind', '=', 'person')
      .executeTakeFirst();
    if (!target) throw new AppError('not_found');
    if (!maySee(callerOf(context), target)) throw new AppError('user_level_too_high');
    const now = unixSeconds();
    const zone = settings.current.SiteTimeZone;
    const from = lastDayStarts(zone, USAGE_DAYS, now)[0] ?? now;
    const [days, models, tokens, entries, last_call_at, invites] = await Promise.all([
      readUsedPerDay(store, id, { zone, now }),
      modelsOf(store, id, from),
      tokensOf(store, id),
      entriesOf(store, id),
      lastCallOf(store, id),
      inviteFlags(store, id),
    ]);
    return { days, models, tokens, entries, last_call_at, invites };
  };
}

async function modelsOf({ db }: Store, userId: number, from: number): Promise<UserUsage['models']> {
  return await db
    .selectFrom('usage_hours')
    .select(['model_name', total('quota').as('quota'), total('count').as('count')])
    .where('user_id', '=', userId)
    .where('hour', '>=', from)
    .groupBy('model_name')
    .having(sql`sum(count)`, '>', 0)
    .orderBy(sql`sum(quota)`, 'desc')
    .orderBy('model_name')
    .limit(TOP_MODELS)
    .execute();
}

async function tokensOf({ db }: Store, userId: number): Promise<UserUsage['tokens']> {
  return await db
    .selectFrom('tokens')
    .select((builder) => [
      builder.fn.countAll<number>().as('total'),
      sql<number>`count(case when status = ${sql.lit(TOKEN_STATUS.enabled)} then 1 end)`.as('enabled'),
    ])
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
}

async function entriesOf({ db }: Store, userId: number): Promise<UserUsage['entries']> {
  const rows = await db
    .selectFrom('ledger')
    .select(['id', 'created_at', 'kind', 'amount', 'debit_account', 'reference'])
    .where('user_id', '=', userId)
    .where('kind', '<>', 'use')
    // Many, and not of the balance: the agents page shows them.
    .where('kind', 'not in', [DIVIDEND_KIND, DIVIDEND_BACK_KIND])
    .orderBy('id', 'desc')
    .limit(LAST_ENTRIES)
    .execute();
  return rows.map(({ amount, debit_account, reference, ...row }) => ({
    ...row,
    amount: debit_account === `user:${userId}` ? -amount : amount,
    content: reference,
  }));
}

export async function lastCallOf({ db }: Store, userId: number): Promise<number> {
  const row = await db
    .selectFrom('usage_hours')
    .select('hour')
    .where('user_id', '=', userId)
    .orderBy('hour', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.hour ?? 0;
}
