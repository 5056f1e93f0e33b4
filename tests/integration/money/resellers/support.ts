// A shop with agents and their customers.
import type { AgentParts } from '#server/money/resellers/index.ts';
import type { Actor } from '#tests/support/application.ts';
import { newId, outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { order, orderRow, type Shop } from '#tests/integration/money/payments/support.ts';

/** Quota of the order that `pay` places. */
export const ORDER_QUOTA = 5_000_000;

export const partsOf = ({ app: { store, settings, ledger } }: Shop): AgentParts => ({
  store,
  settings,
  ledger,
});

/** A signed-in user with a rate, who may be invited too. */
export async function makeAgent(shop: Shop, root: Actor, percent: number, inviterId = 0): Promise<Actor> {
  const agent = await shop.app.actor({ row: { inviter_id: inviterId } });
  await setAgent(shop, root, agent.id, percent);
  return agent;
}

export const setAgent = (shop: Shop, root: Actor, user_id: number, rate_percent: number, active = true) =>
  shop.app.client(root).agents.set({ body: { user_id, rate_percent, active } });

export const customerOf = (shop: Shop, inviter: Pick<Actor, 'id'>, quota = 0): Promise<Actor> =>
  shop.app.actor({ quota, row: { inviter_id: inviter.id } });

/** Pays an order through Epay; returns its number. */
export async function pay(shop: Shop, payer: Actor): Promise<string> {
  const { tradeNo } = await order(shop, payer);
  const answer = await shop.epay.notify(tradeNo);
  if (answer !== 'success') throw new Error(answer);
  return tradeNo;
}

export async function refund(
  shop: Shop,
  root: Actor,
  tradeNo: string,
  { minor, atProvider = false }: { minor?: number; atProvider?: boolean } = {},
) {
  const { id, amount_minor } = await orderRow(shop, tradeNo);
  return await shop.app.request(`/api/order/${id}/refund`, {
    as: root,
    body: {
      reason: 'asked for',
      amount_minor: minor ?? amount_minor,
      at_provider: atProvider,
      request_id: `refund-${newId()}`,
    },
  });
}

/** A settled call. */
export async function spend({ app }: Pick<Shop, 'app'>, userId: number, quota: number): Promise<void> {
  const { requestId } = await reserve(app.ledger, userId, 0, quota);
  await app.ledger.settle(requestId, outcome(quota, { log: null }));
}

export async function moneyOf({ app }: Shop, { id }: Pick<Actor, 'id'>) {
  return await app.store.db
    .selectFrom('users')
    .leftJoin('agents', 'agents.user_id', 'users.id')
    .select(['quota', 'dividend_quota as dividends', 'owed_quota as owed'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** `kind`, amount and change of what is owed of each record, oldest first. */
export async function recordsOf({ app }: Shop, { id }: Pick<Actor, 'id'>) {
  const rows = await app.store.db
    .selectFrom('dividends')
    .select(['kind', 'level', 'amount', 'owed'])
    .where('agent_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ kind, level, amount, owed }) => [kind, level, amount, owed]);
}
