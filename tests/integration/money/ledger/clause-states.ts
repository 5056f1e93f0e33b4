// States with many rows, each of which one clause of the audit decides: rows that it must report beside rows that look alike and are
// lawful. The number of findings is part of each state.
import { subscribe } from '#tests/integration/money/plans/world.ts';
import { accountsOf, nowSeconds, type Books } from './books.ts';
import { disputeStates } from './clause-states-disputes.ts';
import { rerateStates } from './clause-states-rerating.ts';
import { sumStates } from './clause-states-sums.ts';
import { holdStates } from './clause-states-holds.ts';
import type { Corruption } from './books.ts';
import { newId } from './world.ts';

interface RawCall {
  reference: string;
  plan?: Partial<{ kind: string; reference: string }>;
  late?: { suffix: string; kind: string; reference: string; amount: number };
  rerated?: number;
  logged: number;
}

/** A charge of 100 of the balance and 50 of the subscription, with what came after it. */
async function rawCall(
  books: Books,
  { reference, plan, late, rerated = 0, logged }: RawCall,
): Promise<{ request_id: string; created_at: number }> {
  const { entry, log, userId, store } = books;
  const created_at = nowSeconds();
  const use = { kind: 'use', debit_account: `user:${userId}`, credit_account: 'revenue', created_at };
  const idem = await entry({ ...use, amount: 100, reference });
  await entry({ ...use, amount: 50, reference: 'plan', ...plan, idem: `${idem}:plan` });
  if (late !== undefined) {
    const { suffix, ...rest } = late;
    await entry({ ...use, ...rest, idem: `${idem}${suffix}` });
  }
  const log_id = await log({ request_id: idem, quota: logged, created_at });
  if (rerated === 0) return { request_id: idem, created_at };
  const nobody = {
    run_id: 77,
    user_id: 0,
    day: 0,
    part: 0,
    created_at,
    request_id: idem,
    model_name: '',
    group: '',
  };
  const paid = { wallet_before: 0, plan_before: 0, suspense_before: 0, plan_after: 0, suspense_after: 0 };
  await store.db
    .insertInto('rerate_calls')
    .values({
      ...nobody,
      log_id,
      token_id: 0,
      channel_id: 0,
      subscription_id: 0,
      ...paid,
      wallet_after: rerated,
      token_change: 0,
    })
    .execute();
  return { request_id: idem, created_at };
}

/** What may follow a charge, and what the log row shows of it. */
const followings: (Pick<RawCall, 'reference' | 'late'> & { shown: number })[] = [
  { reference: 'logged', shown: 0 },
  { reference: 'recovered', late: { suffix: ':late', kind: 'use', reference: 'late', amount: 7 }, shown: 7 },
  {
    reference: 'recovered',
    late: { suffix: ':late', kind: 'refund', reference: 'late', amount: 7 },
    shown: -7,
  },
  {
    reference: 'recovered',
    late: { suffix: ':late:plan', kind: 'use', reference: 'late', amount: 3 },
    shown: 3,
  },
  // Neither is part of the charge.
  { reference: 'logged', late: { suffix: ':late', kind: 'use', reference: 'late', amount: 7 }, shown: 0 },
  { reference: 'recovered', late: { suffix: ':late', kind: 'use', reference: 'other', amount: 7 }, shown: 0 },
];

const day = 86_400;

export const clauseStates: Corruption[] = [
  [
    'every transfer moves an amount between two known accounts',
    'transfers of every account, and every kind of wrong one',
    async (books) => {
      const { entry, world, userId } = books;
      const other = await subscribe(world, await world.user(0));
      await entry({ amount: -5 });
      await entry({ amount: 0 });
      await entry({ debit_account: 'revenue', credit_account: 'revenue' });
      for (const wrong of ['pocket', `plan:${other}`, 'plan:999']) {
        await entry({ debit_account: wrong });
        await entry({ credit_account: wrong });
      }
      await entry({ amount: 0, kind: 'use', debit_account: `user:${userId}`, credit_account: 'revenue' });
      for (const account of accountsOf(books)) {
        const beside = account === 'revenue' ? 'suspense' : 'revenue';
        await entry({ debit_account: account, credit_account: beside });
        await entry({ debit_account: beside, credit_account: account });
      }
    },
    undefined,
    9,
  ],
  [
    'a log row shows what was charged',
    'calls with every correction, whose log rows show it in part',
    async (books) => {
      for (const { shown, ...following } of followings) {
        await rawCall(books, { ...following, rerated: -9, logged: 100 + shown });
        await rawCall(books, { ...following, rerated: -9, logged: 100 + shown + 50 });
        await rawCall(books, { ...following, rerated: -9, logged: 100 + shown + 50 - 9 });
        await rawCall(books, { ...following, logged: 1000 });
      }
      // A failure under the same request id shows nothing of the charge.
      const call = await rawCall(books, { reference: 'logged', logged: 150 });
      await books.log({ ...call, type: 5, quota: 1 });
      // Neither is the part of a subscription.
      await rawCall(books, { reference: 'logged', plan: { kind: 'refund' }, logged: 100 });
      await rawCall(books, { reference: 'logged', plan: { reference: 'other' }, logged: 100 });
      // A transfer is not a charge.
      await books.log({ request_id: await books.entry(), quota: 9 });
    },
    undefined,
    // The first of each four by its plan part, the last of each four by both parts, and the row of the transfer.
    6 + 12 + 1,
  ],
  [
    'a log row shows what was charged',
    'log rows without a charge, of this gateway and of another one',
    async ({ log, entry, userId, world }) => {
      const use = { kind: 'use', debit_account: `user:${userId}`, credit_account: 'revenue' };
      const idOf = (idem: string) => `${idem}:000000000001`;
      await log({ request_id: newId(), quota: 7 });
      await log({ request_id: await entry(), quota: 7 });
      await log({ request_id: idOf('import:1:absent'), quota: 7 });
      await log({ request_id: idOf(await entry({ idem: 'import:1:credit' })), quota: 7 });
      const other = { ...use, idem: 'import:1:other', user_id: await world.user(0) };
      await log({ request_id: idOf(await entry(other)), quota: 7 });
      await log({ request_id: idOf(await entry(use)), quota: 7 });
      // Lawful: brought over, a failure, and a call that was free.
      await log({ request_id: idOf(await entry({ ...use, idem: 'import:1:mine' })), quota: 7 });
      await log({ request_id: newId(), type: 5, quota: 7 });
      await log({ request_id: newId(), quota: 0 });
    },
    undefined,
    6,
  ],
  [
    'a logged charge has its log row',
    'charges without a log row',
    async ({ entry, log, userId, store }) => {
      const use = { kind: 'use', debit_account: `user:${userId}`, credit_account: 'revenue' };
      await store.db.updateTable('log_cleaning').set({ cleaned_before: 1000 }).execute();
      await entry({ ...use, reference: 'logged' });
      await entry({ ...use, reference: 'recovered' });
      // Lawful: logging was off, the row was cleaned away, another kind of entry, a row with another date.
      await entry({ ...use, reference: 'unlogged' });
      await entry({ ...use, reference: 'logged', created_at: 999 });
      await entry({ reference: 'logged' });
      const dated = await entry({ ...use, reference: 'logged' });
      await log({ request_id: dated, quota: 5, created_at: nowSeconds() - day });
    },
    undefined,
    2,
  ],
  [
    'paid orders and top-ups match one to one',
    'orders and top-ups in every state',
    async (books) => {
      const { order, entry, world, userId, store } = books;
      const topUp = (tradeNumber: string, columns = {}) =>
        entry({ idem: `order:${tradeNumber}`, kind: 'topup', debit_account: 'world:topup:epay', ...columns });
      const other = await world.user(0);
      const subscribed = async (order_id: number, owner: number) => {
        const id = await subscribe(world, owner);
        await store.db
          .updateTable('subscriptions')
          .set({ source: 'order', order_id })
          .where('id', '=', id)
          .execute();
      };
      for (const paid_at of [nowSeconds(), 1000]) {
        // Reported: six by the order, two by the entry, and three orders of a plan.
        await order({ paid_at });
        await order({ paid_at, status: 'refunded' });
        await topUp((await order({ paid_at })).tradeNumber, { amount: 6 });
        await topUp((await order({ paid_at })).tradeNumber, {
          user_id: other,
          credit_account: `user:${other}`,
        });
        await topUp((await order({ paid_at })).tradeNumber, { kind: 'admin' });
        await topUp((await order({ paid_at, status: 'pending' })).tradeNumber);
        await topUp(newId());
        await order({ paid_at, plan_id: 1 });
        await subscribed((await order({ paid_at, plan_id: 1 })).id, other);
        const twice = await order({ paid_at, plan_id: 1 });
        await subscribed(twice.id, userId);
        await topUp(twice.tradeNumber);
        // Lawful.
        const { tradeNumber } = await order({ paid_at });
        await topUp(tradeNumber);
        await topUp((await order({ paid_at, status: 'refunded' })).tradeNumber);
        await order({ paid_at, status: 'pending' });
        await order({ paid_at, plan_id: 1, status: 'expired' });
        await subscribed((await order({ paid_at, plan_id: 1 })).id, userId);
        await entry({ idem: `order:${newId()}` });
        // Another key that ends in the same number.
        await entry({ idem: `other:${tradeNumber}`, kind: 'topup' });
      }
    },
    undefined,
    2 * 11,
  ],
  [
    'refunds and their entries match one to one',
    'refunds, reversals and what orders count of them',
    async ({ refundRow, entry, order, userId }) => {
      const taken = {
        kind: 'topup_refund',
        debit_account: `user:${userId}`,
        credit_account: 'world:topup:epay',
      };
      const back = { kind: 'topup_refund_reversed', debit_account: 'world:topup:epay' };
      const refunded = async (status: 'done' | 'failed', first?: object, second?: object) => {
        const requestId = await refundRow({ status });
        if (first !== undefined) await entry({ ...taken, idem: `refund:${requestId}`, ...first });
        if (second !== undefined) await entry({ ...back, idem: `refund:${requestId}:reversed`, ...second });
      };
      // Lawful.
      await refunded('done', {});
      await refunded('failed', {}, {});
      await entry({ idem: `refund:${newId()}` });
      // Reported by the refund: six.
      await refunded('done');
      await refunded('done', { amount: 4 });
      await refunded('done', { kind: 'admin' });
      await refunded('failed', {});
      await refunded('done', {}, {});
      await refunded('failed', {}, { kind: 'admin' });
      // Reported by the entry: two.
      await entry({ ...taken, idem: `refund:${newId()}` });
      await entry({ ...back, idem: `refund:${newId()}:reversed` });
      // Orders: two lawful ones and two that count wrongly.
      const counted = async (refunded_quota: number, refunded_minor: number, status: 'done' | 'failed') => {
        const { id, tradeNumber } = await order({ refunded_quota, refunded_minor });
        await entry({ idem: `order:${tradeNumber}`, kind: 'topup' });
        const request_id = await refundRow({ order_id: id, amount_minor: 3, status });
        await entry({ ...taken, idem: `refund:${request_id}` });
        if (status === 'failed') await entry({ ...back, idem: `refund:${request_id}:reversed` });
      };
      await counted(5, 3, 'done');
      await counted(0, 0, 'failed');
      await counted(6, 3, 'done');
      await counted(5, 2, 'done');
    },
    undefined,
    6 + 2 + 2,
  ],
  [
    'a user is rewarded for one check-in a day',
    'check-ins under right and wrong keys',
    async ({ entry, userId }) => {
      await entry({ kind: 'checkin', idem: `checkin:${userId}:2026-01-02`, reference: '2026-01-01' });
      await entry({ kind: 'checkin', idem: `checkin:${userId}:2026-01-01`, reference: '2026-01-01' });
      await entry({ idem: `other:${userId}:2026-01-01`, reference: '2026-01-01' });
    },
    undefined,
    1,
  ],
  [
    'used codes and redemptions match one to one',
    'codes and redemptions in every state',
    async ({ code, entry, world }) => {
      const other = await world.user(0);
      const redeem = async (codeId: number, columns = {}) =>
        entry({ idem: `redemption:${codeId}`, kind: 'redeem', debit_account: 'world:redeem', ...columns });
      for (const redeemed_time of [nowSeconds(), 1000]) {
        // Reported: by the code, by the entry, and once by both.
        await code({ redeemed_time });
        await redeem(await code({ redeemed_time }), { amount: 6 });
        await redeem(await code({ redeemed_time }), { kind: 'admin' });
        await redeem(await code({ redeemed_time, status: 1 }));
        await redeem(999_000 + redeemed_time);
        await redeem(await code({ redeemed_time }), { user_id: other, credit_account: `user:${other}` });
        // Lawful.
        await redeem(await code({ redeemed_time }));
        await code({ redeemed_time, status: 1 });
      }
    },
    undefined,
    2 * 7,
  ],
  [
    'subscriptions and what was paid for them match one to one',
    'subscriptions and payments in every state',
    async ({ world, userId, store, entry, order }) => {
      const other = await world.user(0);
      type Columns = Partial<{
        source: 'balance' | 'order' | 'grant';
        price_quota: number;
        order_id: number;
      }>;
      const sold = async (columns: Columns, payment?: object, owner = userId) => {
        const id = await subscribe(world, owner);
        const changed = { source: 'grant' as const, ...columns };
        await store.db.updateTable('subscriptions').set(changed).where('id', '=', id).execute();
        const paid = { kind: 'plan_purchase', debit_account: `user:${userId}`, credit_account: 'world:plan' };
        if (payment !== undefined) await entry({ ...paid, idem: `plan:${id}:buy`, amount: 10, ...payment });
      };
      const ofOrder = async (columns: Parameters<typeof order>[0], more: Columns = {}) =>
        sold({ source: 'order', order_id: (await order({ plan_id: 1, ...columns })).id, ...more });
      // Lawful.
      await sold({ source: 'balance', price_quota: 10 }, {});
      await sold({ price_quota: 10 });
      await ofOrder({});
      await ofOrder({ status: 'refunded' });
      // Reported by the subscription: nine, one of them by its payment too.
      await sold({ source: 'balance', price_quota: 10 }, { amount: 9 });
      await sold({}, {});
      await sold({ source: 'balance', price_quota: 10 }, { kind: 'admin' });
      await sold({ source: 'order' });
      await ofOrder({}, { source: 'grant' });
      await sold({ source: 'order', order_id: 9999 });
      await ofOrder({ user_id: other });
      await ofOrder({ plan_id: 2 });
      await ofOrder({ status: 'pending' });
      // Reported by the payment.
      await sold({ source: 'balance', price_quota: 10 }, {}, other);
      await entry({ kind: 'plan_purchase', idem: 'plan:9999:buy', amount: 10 });
    },
    undefined,
    9 + 1 + 2,
  ],
  [
    'dividend records and their entries match one to one',
    'records of dividends in every direction',
    async ({ dividend, entry, world, userId }) => {
      const other = await world.user(0);
      const agent = `agent:${userId}`;
      const paid = { kind: 'dividend', debit_account: 'world:dividend', credit_account: agent };
      const back = { kind: 'dividend_back', debit_account: agent, credit_account: 'world:dividend' };
      for (const created_at of [nowSeconds(), 1000]) {
        const recorded = async (amount: number, columns: object) =>
          dividend({ idem: await entry(columns), amount, created_at });
        // Lawful.
        await recorded(5, paid);
        await recorded(-5, back);
        await dividend({ amount: 0, created_at });
        // Reported by the record.
        await dividend({ amount: 5, created_at });
        await recorded(6, paid);
        await recorded(5, { ...paid, user_id: other });
        await recorded(5, { ...paid, kind: 'admin' });
        await recorded(5, { ...paid, credit_account: `user:${userId}` });
        await recorded(-5, { ...back, kind: 'admin' });
        await recorded(-5, { ...back, debit_account: `user:${userId}` });
        // Reported by the entry.
        await entry(paid);
        await entry(back);
      }
    },
    undefined,
    2 * 9,
  ],
  [
    'withdrawals and their entries match one to one',
    'withdrawals in every state',
    async ({ withdrawal, entry, world, userId }) => {
      const other = await world.user(0);
      const agent = `agent:${userId}`;
      const out = {
        kind: 'withdrawal',
        debit_account: agent,
        credit_account: 'world:withdrawal',
        amount: 50,
      };
      const back = {
        kind: 'withdrawal_refused',
        debit_account: 'world:withdrawal',
        credit_account: agent,
        amount: 50,
      };
      const asked = async (status: 'requested' | 'refused', first?: object, second?: object) => {
        const id = await withdrawal(status);
        if (first !== undefined) await entry({ ...out, idem: `withdrawal:${id}`, ...first });
        if (second !== undefined) await entry({ ...back, idem: `withdrawal:${id}:refused`, ...second });
      };
      // Lawful.
      await asked('requested', {});
      await asked('refused', {}, {});
      await entry({ idem: 'withdrawal:9999' });
      // Reported by the request.
      await asked('requested');
      await asked('requested', { amount: 49 });
      await asked('requested', { kind: 'admin' });
      await asked('requested', { debit_account: `user:${userId}` });
      await asked('refused', {});
      await asked('refused', {}, { amount: 49 });
      await asked('requested', {}, {});
      await asked('refused', {}, { kind: 'admin' });
      await asked('refused', {}, { credit_account: `user:${userId}` });
      // Reported by the request and by the entry, which is of another user.
      await asked('requested', { user_id: other });
      await asked('refused', {}, { user_id: other });
      // Reported by the entry.
      await entry({ ...out, idem: 'withdrawal:9998' });
      await entry({ ...back, idem: 'withdrawal:9998:refused' });
    },
    undefined,
    9 + 4 + 2,
  ],
  [
    'what an agent owes is the sum of its records',
    'agents that owe more, less, nothing, and have a balance',
    async ({ agent, dividend, world, store, user }) => {
      await agent(5);
      await dividend({ amount: 0, owed: 4 });
      await user().set({ dividend_quota: 1 }).execute();
      const another = async (owed: number, recorded: number, balance: number) => {
        const user_id = await world.user(0, { dividend_quota: balance });
        const times = { created_at: 1, updated_at: 1 };
        await store.db
          .insertInto('agents')
          .values({ user_id, rate: 1, owed_quota: owed, ...times })
          .execute();
        if (recorded > 0) await dividend({ agent_id: user_id, amount: 0, owed: recorded });
      };
      await another(5, 5, 0);
      await another(0, 0, 7);
      await another(0, 3, 0);
      await another(4, 0, 0);
    },
    undefined,
    2 + 2,
  ],
  [
    'what a user has on hold is the sum of its holds',
    'held amounts and holds that do not match, in every column',
    async ({ hold, user, world, store, plan, userId, tokenId }) => {
      const free = { token_id: 0 };
      // A task under review and a hold that is not overdue yet are lawful.
      await hold({ ...free, node_id: 'review', expires_at: 1000 });
      await hold({ ...free, expires_at: nowSeconds() - 1000 });
      await hold({ ...free, expires_at: 1000 });
      await hold({ ...free, amount: 20, plan_amount: 5, subscription_id: plan });
      await hold({ amount: 7, token_id: tokenId });
      await user().set({ held_quota: 301, plan_held_quota: 4 }).execute();
      const second = await subscribe(world, userId);
      await store.db.updateTable('subscriptions').set({ held: 3 }).where('id', '=', second).execute();
      const third = await subscribe(world, userId);
      const ended = { status: 'ended', quota: 9, held: 9 } as const;
      await store.db.updateTable('subscriptions').set(ended).where('id', '=', third).execute();
      const fourth = await subscribe(world, userId);
      await store.db
        .updateTable('subscriptions')
        .set({ ...ended, held: 8 })
        .where('id', '=', fourth)
        .execute();
      const token = await world.token(userId, { held_quota: 2 });
      await hold({ amount: 2, token_id: token });
      const { id } = await store.db
        .insertInto('users')
        .values({ username: newId(), aff_code: newId(), held_quota: -1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      await hold({ user_id: id, token_id: 0, amount: 0 });
      // Lawful: a hold that a subscription covers. Of no subscription, it is nobody's.
      const covered = await world.user(0, { plan_held_quota: 6 });
      const subscription_id = await subscribe(world, covered);
      await store.db
        .updateTable('subscriptions')
        .set({ held: 5 })
        .where('id', '=', subscription_id)
        .execute();
      await hold({ user_id: covered, amount: 5, plan_amount: 5, subscription_id });
      await hold({ user_id: covered, amount: 1, plan_amount: 1 });
      await store.db
        .insertInto('users')
        .values({ username: newId(), aff_code: newId(), quota: 5, held_quota: 6 })
        .execute();
    },
  ],
  ...holdStates,
  ...disputeStates,
  ...rerateStates,
  ...sumStates,
];
