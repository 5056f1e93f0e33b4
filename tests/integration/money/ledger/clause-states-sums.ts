// Sums of the ledger in states that one clause of the audit decides.
import { sql } from 'kysely';
import { subscribe } from '#tests/integration/money/plans/world.ts';
import { accountsOf } from './books.ts';
import type { Corruption } from './books.ts';
import { logRow, outcome, reserve } from './world.ts';

/** The columns of a ledger row that moves something of a user. */
type Transfer = (userId: number) => object;

export const sumStates: Corruption[] = [
  [
    'the kept sums are the sums of the ledger',
    'a ledger row of every kind since the sums were kept',
    async (books) => {
      const { entry, startAudit, userId, store, world, tokenId } = books;
      await entry({ debit_account: 'revenue', kind: 'refund', reference: 'late' });
      await entry({ debit_account: 'revenue', kind: 'refund', reference: 'other', amount: 3 });
      for (const account of accountsOf(books).slice(3)) {
        await entry({ debit_account: 'world:x', credit_account: account, amount: 11 });
        await entry({ debit_account: account, credit_account: 'world:x', amount: 2 });
      }
      for (const kind of ['use', 'refund', 'rerate_debit', 'rerate_credit'])
        await entry({ kind, amount: 13 });
      await entry({ kind: 'refund', reference: 'late', amount: 17 });
      await entry({ reference: 'late', amount: 19 });
      // Of nobody: a transfer between accounts of the installation.
      await entry({ user_id: 0, debit_account: 'revenue', credit_account: 'suspense', kind: 'use' });
      await store.db
        .insertInto('usage_hours')
        .values({ hour: 0, user_id: 0, token_id: 0, channel_id: 0, model_name: '', quota: 5 })
        .execute();
      await startAudit().check();
      await store.db.updateTable('users').set({ status: 1 }).where('id', '=', userId).execute();
      for (const account of accountsOf(books).slice(3)) {
        await entry({ debit_account: 'world:x', credit_account: account, amount: 23 });
        await entry({ debit_account: account, credit_account: 'world:x', amount: 4 });
      }
      for (const kind of ['use', 'refund', 'rerate_debit', 'rerate_credit'])
        await entry({ kind, amount: 29 });
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
      await world.ledger.settle(requestId, outcome(30, { log: logRow(userId, tokenId) }));
      const other = await world.user(5);
      await startAudit().check();
      await sql`update ledger_sums set balance = balance + 1 where user_id = ${other}`.execute(store.db);
      await sql`update ledger_sums set entries = entries + 1 where month > 0 and user_id = ${userId}`.execute(
        store.db,
      );
    },
  ],
  [
    'a balance is the sum of its transfers',
    'rows of every kind that arrive while the audit reads, also of a user who does not exist',
    async (books) => {
      const { entry, store, plan, userId, world } = books;
      await subscribe(world, userId);
      books.onArrival = async () => {
        const accounts = [`user:${userId}`, `aff:${userId}`, `agent:${userId}`, `plan:${plan}`];
        for (const [index, account] of accounts.entries()) {
          await entry({ debit_account: 'world:x', credit_account: account, amount: 100 + index });
          await entry({ debit_account: account, credit_account: 'world:x', amount: 10 + index });
        }
        const between = { debit_account: 'world:x', credit_account: 'world:y' };
        for (const kind of ['use', 'rerate_debit', 'rerate_credit'])
          await entry({ ...between, kind, amount: 3 });
        for (const reference of ['late', 'other'])
          await entry({ ...between, kind: 'refund', reference, amount: 5 });
        await entry({ ...between, reference: 'late', amount: 7 });
      };
      const hour = { hour: 0, token_id: 0, channel_id: 0, model_name: '', quota: 5 };
      await store.db
        .insertInto('usage_hours')
        .values({ ...hour, user_id: 0 })
        .execute();
      await books.user().set({ quota: 1 }).execute();
    },
  ],
  [
    'a balance is the sum of its transfers',
    'users whose rows agree with one transfer since the sums were kept',
    async (books) => {
      const { world, store, entry, startAudit, user } = books;
      const between = { debit_account: 'world:x', credit_account: 'world:y' };
      type Column = 'quota' | 'used_quota' | 'aff_quota' | 'dividend_quota';
      const owner = async (column: Column, transfer: Transfer) => {
        const userId = await world.user(0, { [column]: 100 });
        await entry({ ...between, user_id: userId, amount: 100, ...transfer(userId) });
        return userId;
      };
      const into = (prefix: string) => (userId: number) => ({ credit_account: `${prefix}:${userId}` });
      const outOf = (prefix: string) => (userId: number) => ({ debit_account: `${prefix}:${userId}` });
      const news: [column: Column, amount: number, before: Transfer, since: Transfer][] = [
        ['quota', 105, into('user'), into('user')],
        ['quota', 95, into('user'), outOf('user')],
        ['aff_quota', 105, into('aff'), into('aff')],
        ['aff_quota', 95, into('aff'), outOf('aff')],
        ['dividend_quota', 105, into('agent'), into('agent')],
        ['dividend_quota', 95, into('agent'), outOf('agent')],
        ['used_quota', 105, () => ({ kind: 'use' }), () => ({ kind: 'use' })],
        ['used_quota', 95, () => ({ kind: 'use' }), () => ({ kind: 'refund' })],
        ['used_quota', 105, () => ({ kind: 'use' }), () => ({ kind: 'rerate_debit' })],
        ['used_quota', 95, () => ({ kind: 'use' }), () => ({ kind: 'rerate_credit' })],
      ];
      const users: number[] = [];
      for (const [column, , before] of news) users.push(await owner(column, before));
      const [granted, taken] = [await world.user(0), await world.user(0)];
      const plans = [await subscribe(world, granted), await subscribe(world, taken)];
      await startAudit().check();
      for (const [index, [column, amount, , since]] of news.entries()) {
        const userId = users[index] ?? 0;
        await entry({ ...between, user_id: userId, ...since(userId) });
        await store.db
          .updateTable('users')
          .set({ [column]: amount })
          .where('id', '=', userId)
          .execute();
      }
      const filled = (id: number | undefined, quota: number) =>
        store.db
          .updateTable('subscriptions')
          .set({ quota })
          .where('id', '=', id ?? 0)
          .execute();
      await entry({ ...between, user_id: granted, credit_account: `plan:${plans[0]}` });
      await filled(plans[0], 1005);
      await entry({ ...between, user_id: taken, debit_account: `plan:${plans[1]}` });
      await filled(plans[1], 995);
      await user().set({ quota: 1 }).execute();
    },
    undefined,
    1,
  ],
  ...(['entries', 'balance', 'used', 'aff', 'plan', 'dividend'] as const).map((name): Corruption => [
    'the kept sums are the sums of the ledger',
    `a kept ${name} of one month changed, and of another user in every row`,
    async ({ startAudit, store, userId, world }) => {
      const other = await world.user(5);
      await startAudit().check();
      const column = sql.ref(name);
      await sql`update ledger_sums set ${column} = ${column} + 1 where month > 0 and user_id = ${userId}`.execute(
        store.db,
      );
      await sql`update ledger_sums set ${column} = ${column} + 1 where user_id = ${other}`.execute(store.db);
      // The row that says how far the ledger is summed is nobody's.
      await sql`update ledger_sums set ${column} = ${column} + 1 where month = 0 and user_id = 0`.execute(
        store.db,
      );
    },
  ]),
];
