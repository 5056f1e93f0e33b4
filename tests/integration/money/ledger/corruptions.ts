// States of the books that an audit must report, each made by direct SQL without the guards.
import { sql } from 'kysely';
import { subscribe } from '#tests/integration/money/plans/world.ts';
import { nowSeconds, type Corruption } from './books.ts';
import { budgetCorruptions } from './budget-corruptions.ts';
import { disputeCorruptions } from './dispute-corruptions.ts';
import { holderCorruptions } from './holder-corruptions.ts';
import { newId } from './world.ts';

export const corruptions: Corruption[] = [
  [
    'every transfer moves an amount between two known accounts',
    'an account without a user',
    ({ use }) => use().set({ credit_account: 'pocket' }).execute(),
  ],
  [
    'every transfer moves an amount between two known accounts',
    'the account of another user',
    ({ use }) => use().set({ debit_account: 'user:999' }).execute(),
  ],
  [
    'every transfer moves an amount between two known accounts',
    'a negative amount',
    ({ use }) => use().set({ amount: -420 }).execute(),
  ],
  [
    'every key is booked once',
    'a doubled charge',
    ({ store }) =>
      sql`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind)
        select idem, created_at, user_id, debit_account, credit_account, amount, kind from ledger where kind = 'use'`.execute(
        store.db,
      ),
    'postgres',
  ],
  [
    'a balance is the sum of its transfers',
    'a balance set by hand',
    ({ user }) => user().set({ quota: 9999 }).execute(),
  ],
  [
    'a balance is the sum of its transfers',
    'a transfer removed',
    ({ store }) => sql`delete from ledger where kind = 'use'`.execute(store.db),
  ],
  [
    'a balance is the sum of its transfers',
    'a user removed with money',
    ({ store, userId }) => store.db.deleteFrom('users').where('id', '=', userId).execute(),
  ],
  [
    'a balance is the sum of its transfers',
    'a missing user, of whom transfers alone are left',
    async ({ store, userId }) => {
      await store.db.deleteFrom('usage_hours').where('user_id', '=', userId).execute();
      await store.db.deleteFrom('subscriptions').where('user_id', '=', userId).execute();
      await store.db.deleteFrom('users').where('id', '=', userId).execute();
    },
  ],
  [
    'an invite balance is the sum of its transfers',
    'a reward that was not booked',
    ({ user }) => user().set({ aff_quota: 50 }).execute(),
  ],
  [
    'what a user has on hold is the sum of its holds',
    'a hold lost',
    ({ store }) => store.db.deleteFrom('holds').execute(),
  ],
  [
    'what a user has on hold is the sum of its holds',
    'a held amount left over',
    ({ user }) => user().set({ held_quota: 301 }).execute(),
  ],
  [
    'what a token has on hold is the sum of its holds',
    'a held amount left over',
    ({ store, tokenId }) =>
      store.db.updateTable('tokens').set({ held_quota: 0 }).where('id', '=', tokenId).execute(),
  ],
  [
    'holds stay between zero and the balance',
    'more held than there is',
    ({ user }) => user().set({ quota: 100 }).execute(),
  ],
  [
    'holds stay between zero and the balance',
    'less than nothing held',
    ({ user }) => user().set({ held_quota: -1 }).execute(),
  ],
  [
    'the used total is the sum of the charges',
    'a used total set by hand',
    ({ user }) => user().set({ used_quota: 0 }).execute(),
  ],
  [
    'the hourly figures are the sum of the charges',
    'an hour changed',
    ({ store }) => store.db.updateTable('usage_hours').set({ quota: 421 }).execute(),
  ],
  [
    'the hourly figures are the sum of the charges',
    'an hour lost',
    ({ store }) => store.db.deleteFrom('usage_hours').execute(),
  ],
  [
    'a log row shows what was charged',
    'another figure in the log',
    ({ store }) => store.db.updateTable('logs').set({ quota: 1 }).execute(),
  ],
  [
    'a log row shows what was charged',
    'an unpaid consumption',
    ({ store, userId }) =>
      store.db.insertInto('logs').values({ type: 2, created_at: 1, user_id: userId, quota: 7 }).execute(),
  ],
  [
    'a logged charge has its log row',
    'a log row removed from the middle',
    async ({ store, userId }) => {
      await store.db
        .insertInto('logs')
        .values({ type: 2, created_at: 1, user_id: userId, quota: 0 })
        .execute();
      await store.db.deleteFrom('logs').where('quota', '>', 0).execute();
    },
  ],
  [
    'the kept sums are the sums of the ledger',
    'a kept sum changed',
    async ({ store, userId, startAudit }) => {
      await startAudit().check();
      await sql`update ledger_sums set balance = balance + 1 where month = 0 and user_id = ${userId}`.execute(
        store.db,
      );
    },
  ],
  [
    'the kept sums are the sums of the ledger',
    'a month lost',
    async ({ store, userId, startAudit }) => {
      await startAudit().check();
      await sql`delete from ledger_sums where month > 0 and user_id = ${userId}`.execute(store.db);
    },
  ],
  [
    'a log row shows what was charged',
    'a divided charge of which the log shows one part',
    async ({ store, dividedCall }) => {
      const requestId = await dividedCall();
      await store.db.updateTable('logs').set({ quota: 200 }).where('request_id', '=', requestId).execute();
    },
  ],
  [
    'every transfer moves an amount between two known accounts',
    'the subscription of another user',
    async ({ world, use }) => {
      const other = await subscribe(world, await world.user(0));
      await use()
        .set({ debit_account: `plan:${other}` })
        .execute();
    },
  ],
  [
    'the quota of subscriptions is the sum of its transfers',
    'a subscription filled by hand',
    ({ subscription }) => subscription().set({ quota: 1001 }).execute(),
  ],
  [
    'the quota of each subscription is the sum of its account',
    'quota moved between two subscriptions',
    async ({ store, world, userId, subscription }) => {
      const second = await subscribe(world, userId);
      await subscription().set({ quota: 1001 }).execute();
      await store.db.updateTable('subscriptions').set({ quota: 999 }).where('id', '=', second).execute();
    },
  ],
  [
    'what a user has on hold in subscriptions is the sum of its holds',
    'a held amount left over',
    ({ user }) => user().set({ plan_held_quota: 7 }).execute(),
  ],
  [
    'what a subscription has on hold is the sum of its holds',
    'a held amount left over',
    ({ subscription }) => subscription().set({ held: 7 }).execute(),
  ],
  [
    'an ended subscription has only what its last calls hold',
    'an end that gave nothing back',
    ({ subscription }) => subscription().set({ status: 'ended' }).execute(),
  ],
  [
    'what moves out of a balance moves into another',
    'a move that arrives nowhere',
    ({ world, userId }) =>
      world.ledger.debit({
        idem: 'move:1:out',
        userId,
        amount: 5,
        kind: 'move_out',
        reference: '',
        to: 'world:moved',
      }),
  ],
  [
    'what moves out of a balance moves into another',
    'a move that comes from nowhere',
    ({ world, userId }) =>
      world.ledger.credit({
        idem: 'move:1:in',
        userId,
        amount: 5,
        kind: 'move_in',
        reference: '',
        from: 'world:moved',
      }),
  ],
  [
    'what moves out of a balance moves into another',
    'a move of which less arrives, beside one that is whole',
    async ({ world, userId }) => {
      const other = await world.user(100);
      for (const [id, arrived] of [
        [1, 4],
        [2, 5],
      ] as const) {
        const out = { idem: `move:${id}:out`, userId, amount: 5, kind: 'move_out', reference: '' };
        await world.ledger.debit({ ...out, to: 'world:moved' });
        const into = {
          idem: `move:${id}:in`,
          userId: other,
          amount: arrived,
          kind: 'move_in',
          reference: '',
        };
        await world.ledger.credit({ ...into, from: 'world:moved' });
      }
    },
  ],
  [
    'subscriptions and what was paid for them match one to one',
    'a sold subscription without payment',
    ({ subscription }) => subscription().set({ source: 'balance', price_quota: 10 }).execute(),
  ],
  [
    'subscriptions and what was paid for them match one to one',
    'a payment without subscription',
    ({ world, userId }) => {
      const payment = { idem: newId(), userId, amount: 5, kind: 'plan_purchase', reference: '' };
      return world.ledger.debit({ ...payment, to: 'world:plan' });
    },
  ],
  [
    'subscriptions and what was paid for them match one to one',
    'a subscription of an order that was not paid',
    ({ subscription }) => subscription().set({ source: 'order', order_id: 99 }).execute(),
  ],
  [
    'paid orders and top-ups match one to one',
    'a paid order of a plan without subscription',
    async ({ store, paidOrder }) => {
      await paidOrder(0, 0);
      await store.db.updateTable('orders').set({ plan_id: 1 }).execute();
    },
  ],
  [
    'paid orders and top-ups match one to one',
    'a paid order without credit',
    ({ paidOrder }) => paidOrder(500, 0),
  ],
  [
    'paid orders and top-ups match one to one',
    'a paid order of today without credit',
    async ({ store, paidOrder }) => {
      await paidOrder(500, 0);
      await store.db.updateTable('orders').set({ paid_at: nowSeconds() }).execute();
    },
  ],
  [
    'paid orders and top-ups match one to one',
    'a paid order with another credit',
    ({ paidOrder }) => paidOrder(500, 400),
  ],
  [
    'paid orders and top-ups match one to one',
    'a top-up without order',
    ({ credit }) => credit('topup', 'world:topup:epay'),
  ],
  ['refunds and their entries match one to one', 'a refund without its entry', ({ refund }) => refund(5)],
  [
    'refunds and their entries match one to one',
    'an entry without its refund',
    ({ credit }) => credit('topup_refund_reversed', 'world:topup:epay'),
  ],
  [
    'refunds and their entries match one to one',
    'an order that counts no refund',
    async ({ store, paidOrder }) => {
      await paidOrder(500, 500);
      await store.db.updateTable('orders').set({ refunded_quota: 1 }).execute();
    },
  ],
  [
    'a user is rewarded for one check-in a day',
    'a check-in under another key',
    ({ credit }) => credit('checkin', 'world:checkin'),
  ],
  [
    'used codes and redemptions match one to one',
    'a used code without credit',
    ({ usedCode }) => usedCode(500, 0),
  ],
  [
    'used codes and redemptions match one to one',
    'a code used today without credit',
    async ({ store, usedCode }) => {
      await usedCode(500, 0);
      await store.db.updateTable('redemptions').set({ redeemed_time: nowSeconds() }).execute();
    },
  ],
  [
    'used codes and redemptions match one to one',
    'a used code with another credit',
    ({ usedCode }) => usedCode(500, 600),
  ],
  [
    'used codes and redemptions match one to one',
    'a redemption without code',
    ({ credit }) => credit('redeem', 'world:redeem'),
  ],
  [
    'a dividend balance is the sum of its transfers',
    'a dividend that was not booked',
    ({ user }) => user().set({ dividend_quota: 50 }).execute(),
  ],
  [
    'dividend records and their entries match one to one',
    'a record without its entry',
    ({ dividend }) => dividend({ amount: 50 }),
  ],
  [
    'dividend records and their entries match one to one',
    'a record of today without its entry',
    ({ dividend }) => dividend({ amount: 50, created_at: nowSeconds() }),
  ],
  [
    'dividend records and their entries match one to one',
    'an entry without its record',
    ({ payDividend }) => payDividend(newId()),
  ],
  [
    'dividend records and their entries match one to one',
    'a record with another amount',
    async ({ dividend, payDividend }) => {
      const idem = newId();
      await payDividend(idem);
      await dividend({ idem, amount: 49 });
    },
  ],
  ['what an agent owes is the sum of its records', 'a debt without a record', ({ agent }) => agent(5)],
  [
    'what an agent owes is the sum of its records',
    'a balance beside a debt',
    async ({ agent, dividend, payDividend }) => {
      await agent(5);
      const idem = newId();
      await payDividend(idem);
      await dividend({ idem, amount: 50 });
      await dividend({ amount: 0, owed: 5 });
    },
  ],
  [
    'withdrawals and their entries match one to one',
    'a request without its entry',
    ({ withdrawal }) => withdrawal(),
  ],
  [
    'withdrawals and their entries match one to one',
    'an entry without its request',
    ({ moveDividend }) => moveDividend(newId(), 'withdrawal_refused'),
  ],
  [
    'withdrawals and their entries match one to one',
    'a refusal that gave nothing back',
    async ({ store, world, userId, moveDividend, withdrawal }) => {
      await moveDividend(newId(), 'dividend');
      const id = await withdrawal('refused');
      await store.db.transaction().execute((transaction) =>
        world.ledger.transferWithin(transaction, {
          idem: `withdrawal:${id}`,
          userId,
          amount: 50,
          from: 'agent',
          to: 'world:withdrawal',
          kind: 'withdrawal',
          reference: '',
        }),
      );
    },
  ],
  [
    'notes of re-rating and their entries match one to one',
    'a note without its calls',
    ({ world, userId }) =>
      world.ledger.credit({
        idem: newId(),
        userId,
        amount: 5,
        from: 'revenue',
        kind: 'rerate_credit',
        reference: '',
      }),
  ],
  [
    'notes of re-rating and their entries match one to one',
    'a note of another amount',
    async ({ store, correctedCall }) => {
      await correctedCall();
      await store.db.updateTable('rerate_parts').set({ wallet: -1 }).execute();
    },
  ],
  [
    'a note of re-rating is the sum of its corrected calls',
    'a corrected call changed',
    async ({ store, correctedCall }) => {
      await correctedCall();
      await store.db.updateTable('rerate_calls').set({ suspense_after: 7 }).execute();
    },
  ],
  [
    'a corrected log row shows its last correction',
    'the first charge in the log',
    async ({ store, correctedCall }) => {
      const requestId = await correctedCall();
      await store.db.updateTable('logs').set({ quota: 500 }).where('request_id', '=', requestId).execute();
    },
  ],
  [
    'no hold outlives its time',
    'a hold of last week',
    ({ store }) => store.db.updateTable('holds').set({ expires_at: 1000 }).execute(),
  ],
  [
    'what a hold did not cover belongs to its call',
    'a loss without a call',
    ({ entry }) =>
      entry({ kind: 'suspense', debit_account: 'suspense', credit_account: 'revenue', reference: newId() }),
  ],
  ...disputeCorruptions,
  ...budgetCorruptions,
  ...holderCorruptions,
];
