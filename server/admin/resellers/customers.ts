// An agent's customers: the users the agent invited and, where there is a second level, the users those invited. Of a
// customer only the masked name leaves the server.
import { sql, type RawBuilder } from 'kysely';
import type { agents } from '#contract/money/resellers.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { AgentParts } from '#server/money/resellers/index.ts';
import type { Handler } from '#server/admin/context.ts';
import { agentOf } from './agent-of.ts';
import { maskedName } from './masked-name.ts';
import { signedBase } from './sums.ts';

interface CustomerRow {
  username: string;
  level: number;
  revenue: number;
  dividends: number;
}

export function customersOf(agentId: number, hasSecondLevel: boolean): RawBuilder<unknown> {
  const direct = sql`select id, username, 1 as level from users where inviter_id = ${agentId} and id <> ${agentId}`;
  if (!hasSecondLevel) return direct;
  return sql`${direct} union all
    select c.id, c.username, 2 from users i join users c on c.inviter_id = i.id
    where i.inviter_id = ${agentId} and i.id <> ${agentId} and c.id <> ${agentId}`;
}

export function listCustomers({ store, settings }: AgentParts): Handler<typeof agents.customers> {
  return async ({ query }, context) => {
    const { user_id: agentId } = await agentOf(store, context);
    const pageSize = pageSizeOf(query);
    const customers = customersOf(agentId, settings.current.DividendSecondLevelPercent > 0);
    const [page, count] = await Promise.all([
      sql<CustomerRow>`
        select c.username, c.level,
          (select cast(coalesce(sum(${signedBase}), 0) as bigint) from dividends d
            where d.agent_id = ${agentId} and d.customer_id = c.id) as revenue,
          (select cast(coalesce(sum(amount - owed), 0) as bigint) from dividends d
            where d.agent_id = ${agentId} and d.customer_id = c.id) as dividends
        from (${customers}) c order by c.level, c.id desc limit ${pageSize} offset ${(query.p - 1) * pageSize}`.execute(
        store.db,
      ),
      sql<{ total: number }>`select count(*) as total from (${customers}) c`.execute(store.db),
    ]);
    return {
      items: page.rows.map(({ username, ...row }) => ({ customer: maskedName(username), ...row })),
      total: count.rows[0]?.total ?? 0,
      page: query.p,
      page_size: pageSize,
    };
  };
}
