// Intact books with a bit of everything, and direct writes into them, for tests of the audit.
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import { withoutPause } from '#server/money/audit/breach.ts';
import { orderIdem, redemptionIdem } from '#server/money/ledger/idempotency.ts';
import { checkInvariants, type Breach } from '#server/money/audit/invariants.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { planFirst, subscribe } from '#tests/integration/money/plans/world.ts';
import { addVersion, apply, dryRun, makeCall, startPrices } from '#tests/integration/money/rerating/world.ts';
import { createWorld, logRow, newId, outcome, reserve } from './world.ts';

export type Books = Awaited<ReturnType<typeof openBooks>>;

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** One account of each kind. */
export const accountsOf = ({ userId, plan }: Pick<Books, 'userId' | 'plan'>) => [
  'revenue',
  'suspense',
  'world:admin',
  `user:${userId}`,
  `aff:${userId}`,
  `agent:${userId}`,
  `plan:${plan}`,
];

/** A user with a settled call of 420, a hold of 300 and a subscription of 1000. */
export async function openBooks(store: Store) {
  const { db } = store;
  const world = await createWorld(store);
  const userId = await world.user(10_000);
  const tokenId = await world.token(userId);
  const { requestId } = await reserve(world.ledger, userId, tokenId, 500);
  await world.ledger.settle(requestId, outcome(420, { log: logRow(userId, tokenId) }));
  await reserve(world.ledger, userId, tokenId, 300);
  const plan = await subscribe(world, userId);

  const audited: Breach[] = [];
  const moveDividend = (idem: string, kind: string) =>
    db.transaction().execute((transaction) =>
      world.ledger.transferWithin(transaction, {
        idem,
        userId,
        amount: 50,
        from: 'world:dividend',
        to: 'agent',
        kind,
        reference: '',
      }),
    );

  return {
    store,
    world,
    userId,
    tokenId,
    plan,
    requestId,
    /** Set by a state: runs before the audit compares the balances of a page of users. */
    onArrival: undefined as (() => Promise<void>) | undefined,
    /** What the regular audit has reported. */
    audited,
    startAudit: (source = store) =>
      createMoneyAudit({ store: source, onBreach: (breach) => audited.push(breach), pause: withoutPause }),

    user: () => db.updateTable('users').where('id', '=', userId),
    use: () => db.updateTable('ledger').where('user_id', '=', userId).where('kind', '=', 'use'),
    subscription: () => db.updateTable('subscriptions').where('id', '=', plan),

    paidOrder: async (quota: number, booked: number): Promise<void> => {
      const tradeNumber = newId();
      await db
        .insertInto('orders')
        .values({
          trade_no: tradeNumber,
          user_id: userId,
          provider: 'epay',
          amount_minor: 100,
          currency: 'CNY',
          quota,
          status: 'paid',
          created_at: nowSeconds(),
        })
        .execute();
      if (booked === 0) return;
      const entry = {
        idem: orderIdem(tradeNumber),
        userId,
        amount: booked,
        kind: 'topup',
        reference: tradeNumber,
      };
      await world.ledger.credit({ ...entry, from: 'world:topup:epay' });
    },
    usedCode: async (quota: number, booked: number): Promise<void> => {
      const { id } = await db
        .insertInto('redemptions')
        .values({ key_digest: newId(), quota, status: 3, used_user_id: userId })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (booked === 0) return;
      const entry = { idem: redemptionIdem(id), userId, amount: booked, kind: 'redeem', reference: '' };
      await world.ledger.credit({ ...entry, from: 'world:redeem' });
    },
    refund: (quota: number) =>
      db
        .insertInto('refunds')
        .values({ request_id: newId(), order_id: 1, user_id: userId, created_at: 1, quota })
        .execute(),
    credit: (kind: string, from: 'world:topup:epay' | 'world:redeem' | 'world:checkin') =>
      world.ledger.credit({ idem: newId(), userId, amount: 5, from, kind, reference: '' }),

    /** A call that both pockets pay for. */
    dividedCall: async (): Promise<string> => {
      const divided = await reserve(world.ledger, userId, tokenId, 1500, planFirst(plan));
      await world.ledger.settle(divided.requestId, outcome(1200, { log: logRow(userId, tokenId) }));
      return divided.requestId;
    },
    /** A call of 500 that a re-rating has made 250. */
    correctedCall: async (): Promise<string> => {
      await addVersion(store, startPrices);
      const call = { userId, tokenId, channelId: 7, model: 'alpha', group: 'default' } as const;
      const usage = { input: 100, output: 100, cacheRead: 0 };
      const corrected = await makeCall(world, { ...call, usage }, startPrices);
      const version_id = await addVersion(store, { ...startPrices, alpha: 50 });
      await apply(store, await dryRun(store, { version_id }));
      const found = await checkInvariants(store);
      if (found.length > 0) throw new Error(JSON.stringify(found));
      return corrected;
    },

    agent: (owed_quota: number) =>
      db
        .insertInto('agents')
        .values({ user_id: userId, rate: 1000, owed_quota, created_at: 1, updated_at: 1 })
        .execute(),
    dividend: (columns: Partial<NewRow<'dividends'>> & { amount: number }) =>
      db
        .insertInto('dividends')
        .values({ idem: newId(), created_at: 1, agent_id: userId, customer_id: 1, level: 1, ...columns })
        .execute(),
    moveDividend,
    payDividend: (idem: string) => moveDividend(idem, 'dividend'),
    withdrawal: async (
      status: 'requested' | 'refused' = 'requested',
      columns: Partial<NewRow<'withdrawals'>> = {},
    ): Promise<number> => {
      const request = { request_id: newId(), created_at: 1, method: 'bank', account: 'somebody' };
      const { id } = await db
        .insertInto('withdrawals')
        .values({ ...request, user_id: userId, quota: 50, status, ...columns })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },

    /** One row of the ledger, past every rule. */
    entry: async (columns: Partial<NewRow<'ledger'>> = {}): Promise<string> => {
      const row = {
        idem: newId(),
        created_at: nowSeconds(),
        user_id: userId,
        debit_account: 'world:admin',
        credit_account: `user:${userId}`,
        amount: 5,
        kind: 'admin',
        ...columns,
      };
      await db.insertInto('ledger').values(row).execute();
      return row.idem;
    },
    log: async (columns: Partial<NewRow<'logs'>>): Promise<number> => {
      const { id } = await db
        .insertInto('logs')
        .values({ type: 2, created_at: nowSeconds(), user_id: userId, ...columns })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    order: async (columns: Partial<NewRow<'orders'>> = {}): Promise<{ id: number; tradeNumber: string }> => {
      const tradeNumber = newId();
      const money = { amount_minor: 100, currency: 'CNY', quota: 5 };
      const { id } = await db
        .insertInto('orders')
        .values({
          trade_no: tradeNumber,
          user_id: userId,
          provider: 'epay',
          ...money,
          status: 'paid',
          created_at: nowSeconds(),
          paid_at: nowSeconds(),
          ...columns,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, tradeNumber };
    },
    code: async (columns: Partial<NewRow<'redemptions'>> = {}): Promise<number> => {
      const used = { status: 3, used_user_id: userId, redeemed_time: nowSeconds() };
      const { id } = await db
        .insertInto('redemptions')
        .values({ key_digest: newId(), quota: 5, ...used, ...columns })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    refundRow: async (columns: Partial<NewRow<'refunds'>> = {}): Promise<string> => {
      const row = { request_id: newId(), order_id: 0, user_id: userId, created_at: 1, quota: 5, ...columns };
      await db.insertInto('refunds').values(row).execute();
      return row.request_id;
    },
    hold: (columns: Partial<NewRow<'holds'>> = {}) =>
      db
        .insertInto('holds')
        .values({
          id: newId(),
          user_id: userId,
          node_id: 'node-1',
          epoch: 1,
          amount: 0,
          created_at: nowSeconds(),
          expires_at: nowSeconds() + 600,
          ...columns,
        })
        .execute(),
  };
}

/** The invariant that must report it, what is wrong, and the databases that let it happen. */
export type Corruption = [
  invariant: string,
  how: string,
  plant: (books: Books) => Promise<unknown>,
  only?: DatabaseLabel,
  /** How many findings of the invariant there are; others are lawful rows that look alike. */
  count?: number,
];
