// Agents for administrators: the list with its totals, and making, changing or ending an agency.
import { sql, type Kysely } from 'kysely';
import { agencyFields, type agents, type AgentTotals, type AgentView } from '#contract/money/resellers.ts';
import { AppError } from '#contract/errors.ts';
import { pageSizeOf } from '#contract/lists.ts';
import {
  agencyOf,
  percentOfRate,
  rateOfPercent,
  saveAgency,
  type AgentParts,
} from '#server/money/resellers/index.ts';
import {
  DIVIDEND_BACK_KIND,
  DIVIDEND_KIND,
  DIVIDEND_TRANSFER_KIND,
} from '#server/money/ledger/idempotency.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { sumOf } from './sums.ts';

const agentRows = (db: Kysely<Schema>) =>
  db.selectFrom('agents').innerJoin('users', 'users.id', 'agents.user_id');

const withdrawnIn = (status: string) => sql<number>`(
  select cast(coalesce(sum(quota), 0) as bigint) from withdrawals
  where user_id = agents.user_id and status in (${sql.raw(status)}))`;

function withFigures(rows: ReturnType<typeof agentRows>) {
  return rows.select([
    'agents.user_id',
    'users.username',
    'agents.active',
    'agents.rate',
    'agents.created_at',
    'users.dividend_quota as balance',
    'agents.owed_quota as owed',
    sql<number>`(select cast(coalesce(sum(amount), 0) as bigint) from dividends
      where agent_id = agents.user_id)`.as('dividends'),
    sql<number>`(select count(*) from users c where c.inviter_id = agents.user_id)`.as('customers'),
    withdrawnIn(`'requested', 'approved'`).as('withdrawing'),
    withdrawnIn(`'paid'`).as('withdrawn'),
  ]);
}

type FigureRow = Awaited<ReturnType<ReturnType<typeof withFigures>['executeTakeFirstOrThrow']>>;

const viewOf = ({ active, rate, ...row }: FigureRow): AgentView => ({
  ...row,
  active: active === 1,
  rate_percent: percentOfRate(rate),
});

export function listAgents({ store }: AgentParts): Handler<typeof agents.list> {
  return async ({ query }) => {
    const { keyword, ended } = query;
    const pageSize = pageSizeOf(query);
    let rows = agentRows(store.db);
    if (!ended) rows = rows.where('agents.active', '=', 1);
    if (keyword !== '')
      rows = rows.where((eb) =>
        eb.or([
          containsText('users.username', keyword),
          ...(/^\d{1,15}$/.test(keyword) ? [eb('agents.user_id', '=', Number(keyword))] : []),
        ]),
      );
    const [items, { total }, totals] = await Promise.all([
      withFigures(rows)
        .orderBy('agents.created_at', 'desc')
        .orderBy('agents.user_id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      rows.select((builder) => builder.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      totalsOf(store),
    ]);
    return { items: items.map(viewOf), total, page: query.p, page_size: pageSize, totals };
  };
}

/** Of all agents, also those whose agency has ended. */
async function totalsOf({ db }: Store): Promise<AgentTotals> {
  const [entries, withdrawals, balances] = await Promise.all([
    db
      .selectFrom('ledger')
      .select([
        sumOf(
          sql`case kind when ${DIVIDEND_KIND} then amount when ${DIVIDEND_BACK_KIND} then -amount else 0 end`,
        ).as('dividends'),
        sumOf(sql`case kind when ${DIVIDEND_TRANSFER_KIND} then amount else 0 end`).as('transferred'),
      ])
      .where('user_id', 'in', (builder) => builder.selectFrom('agents').select('user_id'))
      // The same condition as the index of the ledger's rows by user.
      .where('kind', '<>', 'use')
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('withdrawals')
      .select([
        sumOf(sql`case when status in ('requested', 'approved') then quota else 0 end`).as('withdrawing'),
        sumOf(sql`case when status = 'paid' then quota else 0 end`).as('withdrawn'),
        sumOf(sql`case when status = 'paid' then fee_quota else 0 end`).as('fees'),
      ])
      .executeTakeFirstOrThrow(),
    agentRows(db)
      .select([sumOf(sql`dividend_quota`).as('balance'), sumOf(sql`owed_quota`).as('owed')])
      .executeTakeFirstOrThrow(),
  ]);
  return { ...entries, ...withdrawals, ...balances };
}

export function setAgent({ store }: AgentParts): Handler<typeof agents.set> {
  return async ({ body }, context) => {
    const caller = callerOf(context);
    const { user_id } = body;
    const target = `user:${user_id}` as const;
    return await store.db.transaction().execute(async (transaction) => {
      const user = await lockRow(store, transaction, 'users', user_id);
      if (user?.kind !== 'person') throw new AppError('user_unavailable');
      if (user.deleted_at !== null) throw new AppError('user_is_deleted');
      if (user.role >= caller.role) throw new AppError('user_not_manageable');
      const before = await agencyOf(transaction, user_id);
      // Lists of users show no rate of an agency that has ended.
      const isRateHidden = before?.active !== 1 && body.based_on?.['rate_percent'] === null;
      const present = {
        active: before?.active === 1,
        rate_percent: before === undefined || isRateHidden ? null : percentOfRate(before.rate),
      };
      const auditedAs = { rate_percent: 'rate' };
      await refuseConflict(transaction, { fields: agencyFields, body, present, target, auditedAs });
      const { active = present.active, rate_percent } = editedFields(agencyFields, body);
      if (before === undefined && !active) throw new AppError('not_found');
      const agency = {
        active: active ? 1 : 0,
        rate:
          rate_percent === undefined && before
            ? before.rate
            : rateOfPercent(rate_percent ?? body.rate_percent),
      } as const;
      await saveAgency(transaction, user_id, agency);
      const view = await withFigures(agentRows(transaction))
        .where('agents.user_id', '=', user_id)
        .executeTakeFirstOrThrow();
      await context.audit(transaction, 'agent.set', target, before, agency);
      return viewOf(view);
    });
  };
}
