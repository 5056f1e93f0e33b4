// The queue of withdrawals for administrators. Like every action on a user, a decision needs a higher role than the
// agent's: no administrator decides about the own money or an equal's.
import type { agents } from '#contract/money/resellers.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { decideWithdrawal, type AgentParts } from '#server/money/resellers/index.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import { adminWithdrawalViewOf } from './view.ts';

type Filter = Input<typeof agents.allWithdrawals>['query'];

const withdrawals = (db: Kysely<Schema>) =>
  db.selectFrom('withdrawals').innerJoin('users', 'users.id', 'withdrawals.user_id');

function matching(db: Kysely<Schema>, { status, keyword }: Filter) {
  let rows = withdrawals(db);
  if (status !== undefined) rows = rows.where('withdrawals.status', '=', status);
  if (keyword === '') return rows;
  return rows.where((eb) =>
    eb.or([
      containsText('users.username', keyword),
      ...(/^\d{1,15}$/.test(keyword) ? [eb('withdrawals.user_id', '=', Number(keyword))] : []),
    ]),
  );
}

const COLUMNS = ['users.username', 'users.role'] as const;

export function listWithdrawals({ store }: AgentParts): Handler<typeof agents.allWithdrawals> {
  return async ({ query }, context) => {
    const caller = callerOf(context);
    const pageSize = pageSizeOf(query);
    const rows = matching(store.db, query);
    const [items, { total }] = await Promise.all([
      rows
        .selectAll('withdrawals')
        .select(COLUMNS)
        .orderBy('withdrawals.id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      rows.select((builder) => builder.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    return {
      items: items.map((row) => adminWithdrawalViewOf(row, caller)),
      total,
      page: query.p,
      page_size: pageSize,
    };
  };
}

export function decide(parts: AgentParts): Handler<typeof agents.decide> {
  return async ({ params: { id }, body: { action, note } }, context) => {
    const caller = callerOf(context);
    if (action === 'refuse' && note === '') throw invalidField('note', 'required');
    // The money is paid outside: a decision that a failover could lose must not be answered as made.
    return await parts.store.confirmedDb.transaction().execute(async (transaction) => {
      const before = await withdrawals(transaction)
        .select(['withdrawals.status', ...COLUMNS])
        .where('withdrawals.id', '=', id)
        .executeTakeFirst();
      if (before === undefined) throw new AppError('not_found');
      if (before.role >= caller.role) throw new AppError('user_not_manageable');
      const decided = await decideWithdrawal(parts, transaction, id, { action, note, actorId: caller.id });
      await context.audit(
        transaction,
        `withdrawal.${action}`,
        `withdrawal:${id}`,
        { status: before.status },
        { status: decided.status, user_id: decided.user_id, quota: decided.quota, note },
      );
      return adminWithdrawalViewOf({ ...decided, username: before.username, role: before.role }, caller);
    });
  };
}
