// Dividend records: an agent's own, as a list and as a file, and all of them for administrators.
import { sql } from 'kysely';
import type { agents, AdminDividendRecord, DividendRecord } from '#contract/money/resellers.ts';
import type { Input } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { percentOfRate, type AgentParts } from '#server/money/resellers/index.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { EXPORT_ROWS_PER_PIECE, exportFile } from '#server/admin/export-file.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { agentOf } from './agent-of.ts';
import { maskedName } from './masked-name.ts';

type Filter = Omit<Input<typeof agents.allRecords>['query'], 'p' | 'size' | 'page_size'>;
type RecordRow = Row<'dividends'> & { customer: string };

function matching({ db }: Store, filter: Filter) {
  const { agent_id, kind, start_timestamp: start, end_timestamp: end } = filter;
  let rows = db.selectFrom('dividends');
  if (agent_id !== undefined) rows = rows.where('dividends.agent_id', '=', agent_id);
  if (kind !== undefined) rows = rows.where('dividends.kind', '=', kind);
  if (start !== undefined) rows = rows.where('dividends.created_at', '>=', start);
  if (end !== undefined) rows = rows.where('dividends.created_at', '<=', end);
  return rows;
}

function withNames(store: Store, filter: Filter) {
  return matching(store, filter)
    .leftJoin('users as customer', 'customer.id', 'dividends.customer_id')
    .leftJoin('users as agent', 'agent.id', 'dividends.agent_id')
    .selectAll('dividends')
    .select([
      sql<string>`coalesce(customer.username, '')`.as('customer'),
      sql<string>`coalesce(agent.username, '')`.as('agent'),
    ])
    .orderBy('dividends.id', 'desc');
}

async function countOf(store: Store, filter: Filter): Promise<number> {
  const { total } = await matching(store, filter)
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export function listOwnRecords({ store }: AgentParts): Handler<typeof agents.records> {
  return async ({ query }, context) => {
    const filter = { ...query, agent_id: (await agentOf(store, context)).user_id };
    const pageSize = pageSizeOf(query);
    const [rows, total] = await Promise.all([
      withNames(store, filter)
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      countOf(store, filter),
    ]);
    return { items: rows.map(recordOf), total, page: query.p, page_size: pageSize };
  };
}

export function listAllRecords({ store }: AgentParts): Handler<typeof agents.allRecords> {
  return async ({ query }) => {
    const pageSize = pageSizeOf(query);
    const [rows, total] = await Promise.all([
      withNames(store, query)
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      countOf(store, query),
    ]);
    const items = rows.map((row): AdminDividendRecord => {
      const { agent_id, agent, customer_id, order_id, customer } = row;
      return { ...recordOf(row), agent_id, agent, customer_id, order_id, customer };
    });
    return { items, total, page: query.p, page_size: pageSize };
  };
}

const COLUMNS = [
  'id',
  'created_at',
  'kind',
  'level',
  'customer',
  'base_quota',
  'rate_percent',
  'amount',
  'owed',
] as const satisfies readonly (keyof DividendRecord)[];

export function exportOwnRecords({ store }: AgentParts) {
  return async (
    { query: { format, ...filter } }: Pick<Input<typeof agents.exportRecords>, 'query'>,
    context: RequestContext,
  ): Promise<Response> => {
    const { user_id: agent_id } = await agentOf(store, context);
    return exportFile({
      name: 'dividends',
      format,
      pieces: pieces(store, { ...filter, agent_id }),
      columns: COLUMNS,
      cells: (row) => COLUMNS.map((column) => row[column]),
    });
  };
}

async function* pieces(store: Store, filter: Filter): AsyncGenerator<DividendRecord[], void> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = await withNames(store, filter)
      .where('dividends.id', '<', before)
      .limit(EXPORT_ROWS_PER_PIECE)
      .execute();
    if (rows.length > 0) yield rows.map(recordOf);
    if (rows.length < EXPORT_ROWS_PER_PIECE) return;
    before = rows.at(-1)?.id ?? 0;
  }
}

function recordOf({ id, created_at, kind, level, customer, customer_id, ...row }: RecordRow): DividendRecord {
  const { base_quota, rate, amount, owed } = row;
  return {
    id,
    created_at,
    kind,
    level,
    customer: customer_id === 0 ? '' : maskedName(customer),
    base_quota,
    rate_percent: percentOfRate(rate),
    amount,
    owed,
  };
}
