// What an agent does with dividends: move them to the balance, or ask for a withdrawal.
import type { agents } from '#contract/money/resellers.ts';
import { AppError } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { requestWithdrawal, type AgentParts } from '#server/money/resellers/index.ts';
import { DIVIDEND_TRANSFER_KIND } from '#server/money/ledger/idempotency.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { agentOf } from './agent-of.ts';
import { withdrawalViewOf } from './view.ts';

export function transferDividends({ store, ledger }: AgentParts): Handler<typeof agents.transfer> {
  return async ({ body: { quota, request_id } }, context) => {
    await agentOf(store, context);
    const { id, username } = callerOf(context);
    return await store.db.transaction().execute(async (transaction) => {
      const result = await ledger.transferWithin(transaction, {
        idem: `dividend_transfer:${id}:${request_id}:${quota}`,
        userId: id,
        amount: quota,
        from: 'agent',
        to: 'user',
        kind: DIVIDEND_TRANSFER_KIND,
        reference: `user:${id}`,
        log: {
          type: LOG_TYPE.system,
          user_id: id,
          username,
          quota,
          content: factText('dividends', { quota }),
        },
      });
      if (!result.ok) throw new AppError('dividend_quota_insufficient', {}, { field: 'quota' });
      if (!result.duplicate)
        await context.audit(transaction, 'agent.transfer', `user:${id}`, undefined, { quota });
      return { quota: result.quota, balance: result.dividendQuota };
    });
  };
}

export function withdraw(parts: AgentParts): Handler<typeof agents.withdraw> {
  return async ({ body: { quota, method, account, request_id } }, context) => {
    const { store } = parts;
    await agentOf(store, context);
    const { id, username } = callerOf(context);
    const withdrawal = await store.db.transaction().execute(async (transaction) => {
      const { withdrawal: booked, isNew } = await requestWithdrawal(parts, transaction, {
        user: { id, username },
        quota,
        method,
        account,
        requestId: request_id,
      });
      if (isNew)
        await context.audit(transaction, 'withdrawal.request', `withdrawal:${booked.id}`, undefined, {
          quota,
          fee_quota: booked.fee_quota,
          method,
        });
      return booked;
    });
    return withdrawalViewOf(withdrawal);
  };
}

export function listOwnWithdrawals({ store }: AgentParts): Handler<typeof agents.withdrawals> {
  return async ({ query }, context) => {
    const { user_id } = await agentOf(store, context);
    const pageSize = pageSizeOf(query);
    const rows = store.db.selectFrom('withdrawals').where('user_id', '=', user_id);
    const [items, { total }] = await Promise.all([
      rows
        .selectAll()
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      rows.select((builder) => builder.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    return { items: items.map(withdrawalViewOf), total, page: query.p, page_size: pageSize };
  };
}
