// What waits for a person to decide: withdrawals, refunds without a result, re-ratings, drafts and proposals of prices.
import { sql } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';

const MOST_ROWS = 200;

export async function checkDecisions(dependencies: AttentionDependencies): Promise<Found[]> {
  const { store } = dependencies;
  const items = await Promise.all([
    withdrawals(store),
    refunds(store, nowSeconds(dependencies) - HOUR_SECONDS),
    reratings(store),
    drafts(store),
    proposals(store),
  ]);
  return items.flat();
}

const oldest = (rows: readonly { created_at: number }[]): number =>
  Math.min(...rows.map(({ created_at }) => created_at));
const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);

async function withdrawals({ db }: Store): Promise<Found[]> {
  const rows = await db
    .selectFrom('withdrawals')
    .leftJoin('users', 'users.id', 'withdrawals.user_id')
    .select([
      'withdrawals.id',
      'withdrawals.user_id',
      'withdrawals.quota',
      'withdrawals.created_at',
      'users.username',
    ])
    .where('withdrawals.status', '=', 'requested')
    .orderBy('withdrawals.id')
    .limit(MOST_ROWS)
    .execute();
  if (rows.length === 0) return [];
  const held_quota = rows.reduce((sum, { quota }) => sum + quota, 0);
  return [
    found('withdrawal_waits', {
      mark: markOf(idsOf(rows)),
      since: oldest(rows),
      subjects: rows.map(({ user_id, username }) => ({
        kind: 'user',
        id: String(user_id),
        name: username ?? '',
      })),
      users: new Set(rows.map(({ user_id }) => user_id)).size,
      held_quota,
      values: { held_quota },
      address: '/agent',
    }),
  ];
}

/** A provider that cannot be asked again leaves them open; an hour is more than the others need. */
async function refunds({ db }: Store, before: number): Promise<Found[]> {
  const rows = await db
    .selectFrom('refunds')
    .innerJoin('orders', 'orders.id', 'refunds.order_id')
    .select([
      'refunds.id',
      'refunds.user_id',
      'refunds.amount_minor',
      'refunds.quota',
      'refunds.created_at',
      'orders.currency',
      'orders.trade_no',
      'orders.id as order_id',
    ])
    .where('refunds.status', '=', 'pending')
    .where('refunds.created_at', '<', before)
    .orderBy('refunds.created_at')
    .limit(MOST_ROWS)
    .execute();
  if (rows.length === 0) return [];
  const held = Map.groupBy(rows, ({ currency }) => currency);
  return [
    found('refund_waits', {
      mark: markOf(idsOf(rows)),
      since: oldest(rows),
      subjects: rows.map(({ order_id, trade_no }) => ({
        kind: 'order',
        id: String(order_id),
        name: trade_no,
      })),
      users: new Set(rows.map(({ user_id }) => user_id)).size,
      held_quota: rows.reduce((sum, { quota }) => sum + quota, 0),
      held: [...held].map(([currency, of]) => ({
        currency,
        amount_minor: of.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
      })),
      values: {},
      address: rows.length === 1 ? `/order/${rows[0]?.order_id}` : '/order',
    }),
  ];
}

/** Rated, and neither applied nor discarded. */
async function reratings({ db }: Store): Promise<Found[]> {
  const rows = await db
    .selectFrom('rerate_runs')
    .select(['id', 'created_at', 'calls', 'users', 'credit', 'debit'])
    .where('state', '=', 'ready')
    .where('kind', '=', 'rerate')
    .orderBy('id')
    .limit(MOST_ROWS)
    .execute();
  if (rows.length === 0) return [];
  const sum = (name: 'calls' | 'users' | 'credit' | 'debit') =>
    rows.reduce((total, row) => total + row[name], 0);
  return [
    found('rerating_waits', {
      mark: markOf(idsOf(rows)),
      since: oldest(rows),
      subjects: rows.map(({ id }) => ({ kind: 'run', id: String(id), name: `#${id}` })),
      users: sum('users'),
      held_quota: sum('credit'),
      values: { calls_changed: sum('calls'), credit_quota: sum('credit'), debit_quota: sum('debit') },
      address: '/rerating',
    }),
  ];
}

/** Price drafts that are not published yet, and scheduled ones whose publication failed. */
async function drafts({ db }: Store): Promise<Found[]> {
  const { rows } = await sql<{ id: number; created_at: number; revision: number; error: string }>`
    select id, created_at, revision, error from price_drafts
    where status = 'draft' or (status = 'scheduled' and error <> '') order by id limit ${MOST_ROWS}`.execute(
    db,
  );
  if (rows.length === 0) return [];
  return [
    found('draft_waits', {
      mark: markOf(rows.map(({ id, error }) => `${id} ${error}`)),
      since: oldest(rows),
      subjects: rows.map(({ id }) => ({ kind: 'draft', id: String(id), name: `#${id}` })),
      values: { error: rows.find(({ error }) => error !== '')?.error.slice(0, 300) ?? '' },
      address: '/prices',
    }),
  ];
}

async function proposals({ db }: Store): Promise<Found[]> {
  const rows = await db
    .selectFrom('price_proposals')
    .select(['id', 'created_at', 'model'])
    .where('status', '=', 'open')
    .orderBy('id')
    .limit(MOST_ROWS)
    .execute();
  if (rows.length === 0) return [];
  const models = [...new Set(rows.map(({ model }) => model))];
  return [
    found('proposal_waits', {
      mark: markOf(idsOf(rows)),
      since: oldest(rows),
      subjects: models.map((model) => ({ kind: 'model', id: model, name: model })),
      values: {},
      address: '/prices',
    }),
  ];
}
