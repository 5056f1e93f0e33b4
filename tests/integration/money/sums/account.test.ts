// The month and the balance of one user, row by row: what is before, in and after the month, summed or not, and of another user.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { monthSpan } from '#contract/month.ts';
import { readBalance, sideOf } from '#server/money/sums/balance.ts';
import { readBooks } from '#server/money/sums/statement.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const HOUR = 3600;
const month = '2026-03';
const { start, end } = monthSpan(month);
const [own, other] = [51, 52];

forEachDatabase((_label, open) =>
  describe('the account of a user', () => {
    let store: Store;
    const move = (
      id: number,
      created_at: number,
      [debit_account, credit_account, user_id = own]: readonly [string, string, number?],
      amount: number,
      kind: string,
    ) =>
      store.db
        .insertInto('ledger')
        .values({
          id,
          idem: `row ${id}`,
          reference: `for ${id}`,
          created_at,
          debit_account,
          credit_account,
          amount,
          kind,
          user_id,
        })
        .execute();
    const hour = (
      at: number,
      token_id: number,
      model_name: string,
      quota: number,
      more: Partial<NewRow<'usage_hours'>> = {},
    ) =>
      store.db
        .insertInto('usage_hours')
        .values({
          hour: at,
          user_id: own,
          token_id,
          channel_id: 1,
          model_name,
          quota,
          count: 2,
          prompt_tokens: 10,
          completion_tokens: 3,
          ...more,
        })
        .execute();
    const kept = (at: number, user_id: number, balance: number, used: number, through_id = 0) =>
      store.db
        .insertInto('ledger_sums')
        .values({ month: at, user_id, balance, used, through_id, entries: 1, aff: 0, dividend: 0, plan: 0 })
        .execute();

    beforeEach(async () => {
      store = await open();
      for (const [id, quota, used_quota] of [
        [own, 1382, 130],
        [other, 3, 0],
      ] as const)
        await store.db
          .insertInto('users')
          .values({ id, quota, used_quota, username: `user ${id}`, aff_code: `code ${id}` })
          .execute();
      await store.db
        .insertInto('tokens')
        .values({ id: 61, user_id: own, name: 'key', key_digest: 'digest' })
        .execute();
      const topUp = ['world:topup:epay', 'user:51'] as const;
      await move(1, start - 1, topUp, 1000, 'topup');
      await move(2, start - 1, ['user:51', 'revenue'], 100, 'use');
      await move(3, start, topUp, 500, 'topup');
      await move(4, start, ['world:topup:epay', 'user:52', other], 9, 'topup');
      await kept(0, 0, 0, 0, 4);
      await kept(0, own, 1400, 100);
      await kept(202_602, own, 900, 100);
      await kept(202_603, own, 500, 0);
      await kept(0, other, 9, 0);
      await kept(202_603, other, 9, 0);
      await move(5, start, ['user:51', 'revenue'], 40, 'use');
      await move(6, end - 1, ['plan:3', 'revenue'], 30, 'use');
      await move(7, end - 1, ['revenue', 'user:51'], 10, 'refund');
      await move(8, end, ['world:topup:stripe', 'user:51'], 7, 'topup');
      await move(9, start - 1, ['revenue', 'user:51'], 5, 'rerate_credit');
      await move(10, start, ['user:52', 'world:topup:epay', other], 6, 'topup_refund');
      await move(11, start, ['world:plan', 'plan:3'], 50, 'plan_period');
      await hour(start - HOUR, 61, 'm', 1000);
      await hour(start, 61, 'm', 40);
      await hour(end - HOUR, 0, 'n', 30, { count: 1 });
      await hour(end - HOUR, 61, 'n', 45);
      await hour(end - HOUR, 62, 'gone', 0, { count: 0, prompt_tokens: 0, completion_tokens: 0 });
      await hour(end - HOUR, 61, 'free', 0);
      await hour(end, 61, 'm', 1000);
      await hour(start, 61, 'm', 1000, { user_id: other });
    });
    afterEach(async () => store.close());
    const books = (mostEntries = 10) => readBooks(store, { userId: own, month, mostEntries });

    test('of a month is what was before it, what moved in it, and what calls used in it', async () => {
      const tokens = { prompt_tokens: 10, completion_tokens: 3 };
      expect(await books()).toEqual({
        opening: 905,
        closing: 1375,
        charged: 40,
        chargedInAll: 60,
        lines: expect.arrayContaining([
          { kind: 'topup', account: 'world:topup:epay', amount: 500, count: 1 },
          { kind: 'refund', account: 'revenue', amount: 10, count: 1 },
        ]),
        entries: [
          {
            id: 7,
            created_at: end - 1,
            kind: 'refund',
            account: 'revenue',
            amount: 10,
            reference: 'for 7',
          },
          {
            id: 3,
            created_at: start,
            kind: 'topup',
            account: 'world:topup:epay',
            amount: 500,
            reference: 'for 3',
          },
        ],
        models: [
          { name: 'n', quota: 75, count: 3, prompt_tokens: 20, completion_tokens: 6 },
          { name: 'm', quota: 40, count: 2, ...tokens },
          { name: 'free', quota: 0, count: 2, ...tokens },
        ],
        tokens: [
          { id: 61, name: 'key', quota: 85, count: 6, prompt_tokens: 30, completion_tokens: 9 },
          { id: 0, name: '', quota: 30, count: 1, ...tokens },
        ],
        used: { quota: 115, count: 7, prompt_tokens: 40, completion_tokens: 12 },
      });
      const { lines, entries } = await books(1);
      expect([lines.length, entries.map(({ id }) => id)]).toEqual([2, [7]]);
    });

    test('of the months beside it begins where the one before ended', async () => {
      const at = async (each: string) => {
        const { opening, closing, charged, chargedInAll } = await readBooks(store, {
          userId: own,
          month: each,
          mostEntries: 1,
        });
        return [opening, closing, charged, chargedInAll];
      };
      expect(await at('2026-01')).toEqual([0, 0, 0, 0]);
      // 5 were corrected: 95 of the charges were paid at last.
      expect(await at('2026-02')).toEqual([0, 905, 100, 95]);
      expect(await at('2026-04')).toEqual([1375, 1382, 0, 0]);
      expect(await at('2026-05')).toEqual([1382, 1382, 0, 0]);
    });

    test('makes no statement of sums that do not add up, or that are a million rows behind', async () => {
      const refused = () =>
        books().then(
          () => 'made',
          (error: { code: string }) => error.code,
        );
      const quota = (value: number) =>
        store.db.updateTable('users').set({ quota: value }).where('id', '=', own).execute();
      await quota(1383);
      expect(await refused()).toBe('statement_not_ready');
      await quota(1382);
      expect(await refused()).toBe('made');
      const sum = (balance: number) =>
        store.db
          .updateTable('ledger_sums')
          .set({ balance })
          .where('user_id', '=', own)
          .where('month', '=', 202_602)
          .execute();
      await sum(899);
      expect(await refused()).toBe('statement_not_ready');
      await quota(1381);
      expect(await refused()).toBe('statement_not_ready');
      await sum(900);
      await quota(1382);
      await move(1_000_004, end, ['world:topup:epay', 'user:52', other], 1, 'topup');
      expect(await refused()).toBe('made');
      await move(1_000_005, end, ['world:topup:epay', 'user:52', other], 1, 'topup');
      expect(await refused()).toBe('statement_not_ready');
    });

    test('is what came in, by where from, less what was used', async () => {
      await move(12, end, ['user:51', 'plan:3'], 20, 'plan_purchase');
      await move(13, end, ['user:51', 'plan:4'], 5, 'plan_purchase');
      await move(14, end, ['aff:51', 'user:51'], 7, 'aff');
      await move(15, end, ['world:redeem', 'user:51'], 7, 'redeem');
      expect(await readBalance(store, own)).toEqual({
        cameIn: 1496,
        used: 114,
        left: 1382,
        usedOfPlans: 16,
        lines: [
          { kind: 'topup', account: 'topup', amount: 1507, count: 3 },
          { kind: 'aff', account: 'aff', amount: 7, count: 1 },
          { kind: 'redeem', account: 'redeem', amount: 7, count: 1 },
          { kind: 'plan_purchase', account: 'plan', amount: -25, count: 2 },
        ],
      });
      expect(await readBalance(store, other)).toMatchObject({ cameIn: 3, used: 0, left: 3, usedOfPlans: 0 });
      expect(await readBalance(store, 404)).toMatchObject({ cameIn: 0, used: 0, left: 0, lines: [] });
    });

    test('names the other side of a movement by its first word', () => {
      expect(['world:topup:epay', 'plan:17', 'revenue', 'aff:51'].map(sideOf)).toEqual([
        'topup',
        'plan',
        'revenue',
        'aff',
      ]);
    });
  }),
);
