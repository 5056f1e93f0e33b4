// The records of dividends, each with its entry in the ledger: who earns, what is taken back, what is owed.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { applyTransfer } from '#server/money/ledger/transfer.ts';
import { payDividend, takeDividendBack, takeOwed, type DividendEvent } from '#server/money/resellers/book.ts';
import { agencyOf, saveAgency } from '#server/money/resellers/agency.ts';
import type { AgentParts } from '#server/money/resellers/parts.ts';
import {
  payOrderDividends,
  restoreOrderDividends,
  reverseOrderDividends,
} from '#server/money/resellers/payments.ts';
import { sharesOf } from '#server/money/resellers/shares.ts';
import { paySpendDividends } from '#server/money/resellers/spend.ts';
import { decideWithdrawal, requestWithdrawal, withdrawalTerms } from '#server/money/resellers/withdrawals.ts';
import type { NewRow, Row, RowChange } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const settings = {
  DisplayInCurrencyEnabled: false,
  DividendBasis: 'payment',
  DividendSecondLevelPercent: 2,
  QuotaPerUnit: 500_000,
  SiteTimeZone: 'UTC',
  WithdrawalFeePercent: 1.5,
  WithdrawalMethods: ['bank'],
  WithdrawalMinimum: 0,
};
/** Customer 51 was invited by 52, and 52 by 53. 61 and 62 are another pair. */
const [customer, agent, above] = [51, 52, 53];

forEachDatabase((_label, open) =>
  describe('dividends', () => {
    let store: Store;
    let current: typeof settings;
    let parts: AgentParts;
    beforeEach(async () => {
      store = await open();
      current = { ...settings };
      parts = {
        store,
        settings: { current } as unknown as AgentParts['settings'],
        ledger: {
          transferWithin: (transaction, transfer) => applyTransfer(transaction, store.dialect, transfer),
        },
      };
      for (const [id, inviter_id] of [
        [customer, agent],
        [agent, above],
        [above, 0],
        [61, 62],
        [62, 0],
      ] as const)
        await store.db
          .insertInto('users')
          .values({ id, inviter_id, username: `user ${id}`, aff_code: `code ${id}` })
          .execute();
      for (const [user_id, rate] of [
        [agent, 1000],
        [above, 300],
        [62, 500],
      ] as const)
        await store.db.insertInto('agents').values({ user_id, rate, created_at: 0, updated_at: 0 }).execute();
    });
    afterEach(async () => store.close());

    const within = <Result>(
      does: (transaction: Parameters<typeof payDividend>[1]) => Promise<Result>,
    ): Promise<Result> => store.db.transaction().execute(does);
    const event = (more: Partial<DividendEvent> = {}): DividendEvent => ({
      idem: 'dividend:1',
      agent_id: agent,
      customer_id: customer,
      level: 1,
      kind: 'payment',
      order_id: 9,
      base_quota: 1000,
      rate: 1000,
      amount: 100,
      ...more,
    });
    const rows = async (text: string) =>
      Array.from((await sql<object>`${sql.raw(text)}`.execute(store.db)).rows, (row) => Object.values(row));
    const balances = () =>
      rows(
        'select id, dividend_quota, coalesce(owed_quota, 0) from users left join agents on user_id = id where id > 50 and (dividend_quota <> 0 or owed_quota <> 0) order by id',
      );
    const records = () =>
      rows(
        'select idem, agent_id, level, kind, amount, owed, base_quota, refund_id from dividends order by id',
      );
    const entries = () =>
      rows(
        'select idem, user_id, debit_account, credit_account, amount, kind, reference from ledger order by id',
      );
    const owe = (user_id: number, owed_quota: number) =>
      store.db.updateTable('agents').set({ owed_quota }).where('user_id', '=', user_id).execute();

    test('are paid once, and what is owed goes first', async () => {
      await owe(agent, 130);
      await owe(62, 77);
      await within((transaction) => payDividend(parts, transaction, event()));
      await within((transaction) => payDividend(parts, transaction, event()));
      await within((transaction) =>
        payDividend(parts, transaction, event({ idem: 'dividend:2', order_id: 10 })),
      );
      expect(await balances()).toEqual([
        [agent, 70, 0],
        [62, 0, 77],
      ]);
      expect(await records()).toEqual([
        ['dividend:1', agent, 1, 'payment', 100, 0, 1000, 0],
        ['dividend:1:owed', agent, 1, 'owed', -100, -100, 0, 0],
        ['dividend:2', agent, 1, 'payment', 100, 0, 1000, 0],
        ['dividend:2:owed', agent, 1, 'owed', -30, -30, 0, 0],
      ]);
      expect(await entries()).toEqual([
        ['dividend:1', agent, 'world:dividend', 'agent:52', 100, 'dividend', 'user:51 level 1'],
        ['dividend:1:owed', agent, 'agent:52', 'world:dividend', 100, 'dividend_back', 'user:51 level 1'],
        ['dividend:2', agent, 'world:dividend', 'agent:52', 100, 'dividend', 'user:51 level 1'],
        ['dividend:2:owed', agent, 'agent:52', 'world:dividend', 30, 'dividend_back', 'user:51 level 1'],
      ]);
    });

    test('are taken back from what there is, the rest is owed', async () => {
      await within((transaction) => payDividend(parts, transaction, event({ amount: 60 })));
      const back = event({ idem: 'back:1', kind: 'reversal', refund_id: 4 });
      await within((transaction) => takeDividendBack(parts, transaction, back));
      await within((transaction) =>
        takeDividendBack(parts, transaction, { ...back, idem: 'back:2', refund_id: 5, amount: 25 }),
      );
      expect(await balances()).toEqual([[agent, 0, 65]]);
      expect((await records()).slice(1)).toEqual([
        ['back:1', agent, 1, 'reversal', -60, 40, 1000, 4],
        ['back:2', agent, 1, 'reversal', 0, 25, 1000, 5],
      ]);
      expect((await entries()).slice(1)).toEqual([
        ['back:1', agent, 'agent:52', 'world:dividend', 60, 'dividend_back', 'user:51 level 1'],
      ]);
      const cause = { idem: 'w', agent_id: 404, customer_id: 0, level: 0, order_id: 0 } as const;
      await within((transaction) => takeOwed(parts, transaction, cause, 100));
      expect(await records()).toHaveLength(3);
    });

    test('an agency keeps what is owed when its rate changes', async () => {
      await owe(agent, 40);
      await within((transaction) => saveAgency(transaction, agent, { active: 0, rate: 5 }));
      await within((transaction) => saveAgency(transaction, customer, { active: 1, rate: 6 }));
      expect(await rows('select user_id, active, rate, owed_quota from agents order by user_id')).toEqual([
        [customer, 1, 6, 0],
        [agent, 0, 5, 40],
        [above, 1, 300, 0],
        [62, 1, 500, 0],
      ]);
      expect(await within((transaction) => agencyOf(transaction, agent))).toEqual({ active: 0, rate: 5 });
      expect(await within((transaction) => agencyOf(transaction, 61))).toBeUndefined();
    });

    describe('of an order', () => {
      const order = (more: Partial<Row<'orders'>> = {}) =>
        ({
          id: 9,
          user_id: customer,
          quota: 1005,
          amount_minor: 300,
          refunded_minor: 0,
          detail: '{}',
          ...more,
        }) as Row<'orders'>;
      const refund = (id: number, amount_minor: number) => ({ id, amount_minor }) as Row<'refunds'>;
      const paid = (more: Partial<Row<'orders'>> = {}) =>
        within((transaction) => payOrderDividends(parts, transaction, order(more)));

      test('are each level’s rate of its value, rounded down', async () => {
        await paid();
        await paid({ id: 10, user_id: 61 });
        expect(await records()).toEqual([
          ['dividend:order:9:1', agent, 1, 'payment', 100, 0, 1005, 0],
          ['dividend:order:9:2', above, 2, 'payment', 20, 0, 1005, 0],
          ['dividend:order:10:1', 62, 1, 'payment', 50, 0, 1005, 0],
        ]);
        await paid({ id: 11, quota: 0, detail: '{"plan":{"price_quota":2000}}' });
        await paid({ id: 12, quota: 0, detail: '{"plan":{"price_quota":-1}}' });
        await paid({ id: 13, quota: 9 });
        current.DividendBasis = 'spend';
        await paid({ id: 14 });
        expect((await records()).slice(3)).toEqual([
          ['dividend:order:11:1', agent, 1, 'payment', 200, 0, 2000, 0],
          ['dividend:order:11:2', above, 2, 'payment', 40, 0, 2000, 0],
        ]);
      });

      test('are taken back with each refund, and given again with the one that failed', async () => {
        await paid({ quota: 1006 });
        await paid({ id: 10, user_id: 61 });
        const reverse = (refunded_minor: number, id: number, amount: number) =>
          within((transaction) =>
            reverseOrderDividends(
              parts,
              transaction,
              order({ quota: 1006, refunded_minor }),
              refund(id, amount),
            ),
          );
        await reverse(100, 4, 100);
        await store.db.updateTable('users').set({ dividend_quota: 10 }).where('id', '=', agent).execute();
        await reverse(200, 5, 100);
        expect((await records()).slice(3)).toEqual([
          ['dividend:refund:4:1', agent, 1, 'reversal', -34, 0, 335, 4],
          ['dividend:refund:4:2', above, 2, 'reversal', -7, 0, 335, 4],
          ['dividend:refund:5:1', agent, 1, 'reversal', -10, 23, 335, 5],
          ['dividend:refund:5:2', above, 2, 'reversal', -7, 0, 335, 5],
        ]);
        await within((transaction) =>
          restoreOrderDividends(
            parts,
            transaction,
            order({ quota: 1006, refunded_minor: 100 }),
            refund(5, 100),
          ),
        );
        expect((await records()).slice(7)).toEqual([
          ['dividend:refund:5:1:restored', agent, 1, 'restored', 33, 0, 335, 5],
          ['dividend:refund:5:1:restored:owed', agent, 1, 'owed', -23, -23, 0, 0],
          ['dividend:refund:5:2:restored', above, 2, 'restored', 7, 0, 335, 5],
        ]);
        // A part that is worth nothing takes nothing.
        await reverse(100, 7, 0);
        expect(await records()).toHaveLength(10);
        // The rest of the price takes all that is left.
        await reverse(300, 6, 200);
        expect((await records()).slice(10)).toEqual([
          ['dividend:refund:6:1', agent, 1, 'reversal', -10, 56, 671, 6],
          ['dividend:refund:6:2', above, 2, 'reversal', -13, 0, 671, 6],
        ]);
        expect(await balances()).toEqual([
          [agent, 0, 56],
          [62, 50, 0],
        ]);
      });
    });

    test('of an order that are owed count as taken when more of it is refunded', async () => {
      const order = {
        id: 9,
        user_id: customer,
        quota: 1000,
        amount_minor: 400,
        refunded_minor: 0,
        detail: '{}',
      };
      const paid = order as unknown as Row<'orders'>;
      await within((transaction) => payOrderDividends(parts, transaction, paid));
      await store.db.updateTable('users').set({ dividend_quota: 0 }).where('id', '=', agent).execute();
      for (const refunded_minor of [100, 200])
        await within((transaction) =>
          reverseOrderDividends(parts, transaction, { ...paid, refunded_minor }, {
            id: refunded_minor,
            amount_minor: 100,
          } as Row<'refunds'>),
        );
      expect((await balances())[0]).toEqual([agent, 0, 50]);
    });

    describe('are earned', () => {
      const found = async () =>
        (await sharesOf(store.db, sql`select ${sql.lit(customer)} as user_id, 77 as base`, current)).map(
          ({ agent_id, customer_id, level, rate, base }) => [agent_id, customer_id, level, rate, base],
        );
      const user = (id: number, columns: RowChange<'users'>) =>
        store.db.updateTable('users').set(columns).where('id', '=', id).execute();
      const agency = (user_id: number, columns: RowChange<'agents'>) =>
        store.db.updateTable('agents').set(columns).where('user_id', '=', user_id).execute();
      const first = [agent, customer, 1, 1000, 77];
      const second = [above, customer, 2, 200, 77];

      test('by the agent who invited and the one above, as far as both may', async () => {
        expect(await found()).toEqual([first, second]);
        await agency(agent, { active: 0 });
        expect(await found()).toEqual([second]);
        await agency(agent, { active: 1, rate: 0 });
        expect(await found()).toEqual([second]);
        await agency(agent, { rate: 1000 });
        await agency(above, { active: 0 });
        expect(await found()).toEqual([first]);
        // The rate of the second level is the same for all.
        await agency(above, { active: 1, rate: 0 });
        expect(await found()).toEqual([first, second]);
        current.DividendSecondLevelPercent = 0;
        expect(await found()).toEqual([first]);
      });

      test('by nobody who is banned or deleted, and by no one from the own use', async () => {
        for (const columns of [{ status: 2 }, { deleted_at: 5 }]) {
          await user(agent, columns);
          expect(await found()).toEqual([second]);
          await user(agent, { status: 1, deleted_at: null });
          await user(above, columns);
          expect(await found()).toEqual([first]);
          await user(above, { status: 1, deleted_at: null });
        }
        await user(customer, { status: 2 });
        expect(await found()).toEqual([first, second]);
        await user(customer, { status: 1 });
        await user(agent, { inviter_id: agent });
        expect(await found()).toEqual([first]);
        await user(agent, { inviter_id: customer });
        await agency(above, { user_id: customer });
        expect(await found()).toEqual([first]);
        await user(customer, { inviter_id: customer });
        expect(await found()).toEqual([]);
      });
    });

    describe('of spending', () => {
      const charge = (amount: number, more: Partial<NewRow<'ledger'>> = {}) =>
        store.db
          .insertInto('ledger')
          .values({
            idem: `charge ${crypto.randomUUID()}`,
            created_at: 1,
            user_id: customer,
            debit_account: `user:${customer}`,
            credit_account: 'revenue',
            amount,
            kind: 'use',
            ...more,
          })
          .execute();
      const run = () => paySpendDividends(parts, new AbortController().signal);
      const pending = () =>
        rows(
          'select agent_id, customer_id, level, pending, payouts from dividend_spend order by agent_id, customer_id',
        );

      test('are paid on charges less what was given back, whole units, the rest later', async () => {
        current.DividendBasis = 'spend';
        await charge(1059);
        await charge(300, { kind: 'rerate_debit' });
        await charge(200, { kind: 'rerate_credit', debit_account: 'revenue', credit_account: 'user:51' });
        await charge(100, { kind: 'refund', debit_account: 'revenue', credit_account: 'user:51' });
        await charge(5000, { debit_account: 'world:import' });
        await charge(5000, { kind: 'topup' });
        await charge(77, { user_id: 61, debit_account: 'user:61' });
        await run();
        expect((await records()).map((row) => row.slice(0, 7))).toEqual([
          ['dividend:spend:52:51:1:1', agent, 1, 'spend', 105, 0, 1050],
          ['dividend:spend:53:51:2:1', above, 2, 'spend', 21, 0, 1050],
          ['dividend:spend:62:61:1:1', 62, 1, 'spend', 3, 0, 60],
        ]);
        expect(await pending()).toEqual([
          [agent, customer, 1, 9, 1],
          [above, customer, 2, 9, 1],
          [62, 61, 1, 17, 1],
        ]);
        await run();
        expect(await records()).toHaveLength(3);
        await charge(1);
        await run();
        expect((await records()).slice(3).map((row) => row.slice(0, 7))).toEqual([
          ['dividend:spend:52:51:1:2', agent, 1, 'spend', 1, 0, 10],
        ]);
        expect(await pending()).toEqual([
          [agent, customer, 1, 0, 2],
          [above, customer, 2, 10, 1],
          [62, 61, 1, 17, 1],
        ]);
      });

      test('count nothing of the time when dividends are paid on payments', async () => {
        await charge(1000);
        await run();
        current.DividendBasis = 'spend';
        await charge(500);
        await run();
        expect((await records()).map((row) => [row[1], row[4]])).toEqual([
          [agent, 50],
          [above, 10],
        ]);
      });
    });

    describe('that are withdrawn', () => {
      const asked = { quota: 1000, method: 'bank', account: 'A1', requestId: 'r1' };
      const user = { id: agent, username: 'ann' };
      const request = (more: Partial<typeof asked> = {}) =>
        within((transaction) => requestWithdrawal(parts, transaction, { user, ...asked, ...more }));
      const decide = (id: number, action: 'approve' | 'pay' | 'refuse', note = '') =>
        within((transaction) => decideWithdrawal(parts, transaction, id, { action, note, actorId: 3 }));
      const has = (dividend_quota: number) =>
        store.db.updateTable('users').set({ dividend_quota }).where('id', '=', agent).execute();
      const code = (promise: Promise<unknown>) =>
        promise.then(
          () => 'done',
          (error: { code: string }) => error.code,
        );

      test('leave the balance once, with a fee, and the log and the operators have it', async () => {
        await has(1500);
        const { withdrawal, isNew } = await request();
        expect(withdrawal).toMatchObject({ user_id: agent, quota: 1000, fee_quota: 15, status: 'requested' });
        expect([isNew, (await request()).isNew]).toEqual([true, false]);
        for (const other of [{ quota: 999 }, { account: 'A2' }])
          expect(await code(request(other))).not.toBe('done');
        expect(await balances()).toEqual([[agent, 500, 0]]);
        expect(await entries()).toEqual([
          [
            `withdrawal:${withdrawal.id}`,
            agent,
            'agent:52',
            'world:withdrawal',
            1000,
            'withdrawal',
            `withdrawal:${withdrawal.id}`,
          ],
        ]);
        expect(await rows('select user_id, username, quota from logs')).toEqual([[agent, 'ann', 1000]]);
        const key = { requestId: 'r2' };
        expect(await code(request({ ...key, quota: 501 }))).toBe('dividend_quota_insufficient');
        expect(await code(request({ ...key, quota: 500, method: 'cash' }))).toBe('withdrawal_method_unknown');
        expect(await code(request({ ...key, quota: 0 }))).toBe('withdrawal_too_small');
        expect(withdrawalTerms(parts.settings).minimum).toBe(1);
        current.WithdrawalFeePercent = 100;
        expect(await code(request({ ...key, quota: 400 }))).toBe('withdrawal_too_small');
        current.WithdrawalFeePercent = 0;
        current.WithdrawalMinimum = 0.001;
        expect(await code(request({ ...key, quota: 499 }))).toBe('withdrawal_too_small');
        expect(await code(request({ ...key, quota: 500 }))).toBe('done');
      });

      test('are decided step by step, and given back when refused, to what is owed first', async () => {
        await has(2500);
        const ids: number[] = [];
        for (const requestId of ['a', 'b', 'c'])
          ids.push((await request({ requestId, quota: 800 })).withdrawal.id);
        const [one, two, three] = ids as [number, number, number];
        expect(await code(decide(one, 'pay'))).toBe('withdrawal_decided');
        const approved = await decide(one, 'approve', 'soon');
        expect(approved).toMatchObject({ status: 'approved', decided_by: 3, paid_at: 0, note: 'soon' });
        const paid = await decide(one, 'pay');
        expect(paid.note).toBe('soon');
        expect(paid.paid_at).toBeGreaterThan(0);
        for (const action of ['approve', 'pay', 'refuse'] as const)
          expect(await code(decide(one, action))).toBe('withdrawal_decided');
        expect(await balances()).toEqual([[agent, 100, 0]]);
        await owe(agent, 300);
        await decide(two, 'refuse', 'no');
        expect(await balances()).toEqual([[agent, 600, 0]]);
        await decide(three, 'approve');
        await decide(three, 'refuse');
        expect(await balances()).toEqual([[agent, 1400, 0]]);
        expect((await entries()).slice(3).map(([idem, , ...row]) => [idem, ...row])).toEqual([
          [
            `withdrawal:${two}:refused`,
            'world:withdrawal',
            'agent:52',
            800,
            'withdrawal_refused',
            `withdrawal:${two}`,
          ],
          [`withdrawal:${two}:refused:owed`, 'agent:52', 'world:dividend', 300, 'dividend_back', ''],
          [
            `withdrawal:${three}:refused`,
            'world:withdrawal',
            'agent:52',
            800,
            'withdrawal_refused',
            `withdrawal:${three}`,
          ],
        ]);
        expect((await records()).map((row) => row.slice(0, 6))).toEqual([
          [`withdrawal:${two}:refused:owed`, agent, 0, 'owed', -300, -300],
        ]);
      });
    });
  }),
);
