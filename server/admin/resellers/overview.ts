// An agent's own page: rate, balance, this month, customers, and the terms of a withdrawal.
import { sql } from 'kysely';
import type { agents, AgentOverview } from '#contract/money/resellers.ts';
import { siteMonth, siteMonthSpan } from '#contract/site-day.ts';
import { unixSeconds } from '#contract/time.ts';
import { percentOfRate, withdrawalTerms, type AgentParts } from '#server/money/resellers/index.ts';
import type { Handler } from '#server/admin/context.ts';
import type { Store } from '#server/platform/store/store.ts';
import { agentOf } from './agent-of.ts';
import { customersOf } from './customers.ts';
import { signedBase, sumOf } from './sums.ts';

export function readOverview({ store, settings }: AgentParts): Handler<typeof agents.overview> {
  return async (_, context): Promise<AgentOverview> => {
    const agent = await agentOf(store, context);
    const { user_id: id } = agent;
    const { current } = settings;
    const { SiteTimeZone: zone } = current;
    const [user, records, customers, withdrawals] = await Promise.all([
      store.db
        .selectFrom('users')
        .select(['aff_code', 'dividend_quota'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
      recordSums(store, id, siteMonthSpan(zone, siteMonth(zone, unixSeconds())).start),
      customerCounts(store, id, current.DividendSecondLevelPercent > 0),
      withdrawalSums(store, id),
    ]);
    const { methods, minimum, feePercent } = withdrawalTerms(settings);
    return {
      active: agent.active === 1,
      rate_percent: percentOfRate(agent.rate),
      second_level_percent: current.DividendSecondLevelPercent,
      basis: current.DividendBasis,
      aff_code: user.aff_code,
      balance: user.dividend_quota,
      owed: agent.owed_quota,
      ...records,
      ...customers,
      ...withdrawals,
      withdrawal: { methods: [...methods], minimum, fee_percent: feePercent },
    };
  };
}

/** `monthStart`: of the running month of the site. */
async function recordSums({ db }: Store, agentId: number, monthStart: number) {
  const thisMonth = sql`created_at >= ${monthStart}`;
  return await db
    .selectFrom('dividends')
    .select([
      sumOf(sql`amount`).as('dividends'),
      sumOf(signedBase).as('revenue'),
      sumOf(sql`case when ${thisMonth} then amount else 0 end`).as('month_dividends'),
      sumOf(sql`case when ${thisMonth} then ${signedBase} else 0 end`).as('month_revenue'),
    ])
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
}

async function customerCounts({ db }: Store, agentId: number, hasSecondLevel: boolean) {
  const { rows } = await sql<{ level: number; count: number }>`
    select level, count(*) as count from (${customersOf(agentId, hasSecondLevel)}) customers group by level`.execute(
    db,
  );
  const count = (wanted: number) => rows.find(({ level }) => level === wanted)?.count ?? 0;
  return { customers: count(1), second_level_customers: count(2) };
}

async function withdrawalSums({ db }: Store, agentId: number) {
  return await db
    .selectFrom('withdrawals')
    .select([
      sumOf(sql`case when status in ('requested', 'approved') then quota else 0 end`).as('withdrawing'),
      sumOf(sql`case when status = 'paid' then quota else 0 end`).as('withdrawn'),
    ])
    .where('user_id', '=', agentId)
    .executeTakeFirstOrThrow();
}
