// Intact books pass the audit; a breach alerts, and stops only the user whose balance is wrong. corruption.test.ts breaks each clause.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { ROWS_PER_SLICE } from '#server/money/audit/breach.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { accountsOf, nowSeconds, openBooks, type Books } from './books.ts';
import { logRow, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

forEachDatabase((_label, open) => {
  // An inner block, so that its hooks run before the store is closed.
  describe('money invariants', () => {
    let books: Books;
    let world: World;
    let store: Store;
    let userId: number;
    let tokenId: number;

    beforeEach(async () => {
      store = await open();
      books = await openBooks(store);
      ({ world, userId, tokenId } = books);
    });
    afterEach(() => world.close());

    const user = () => store.db.updateTable('users').where('id', '=', userId);
    const startAudit = () => books.startAudit();

    test('matching orders and codes, switched-off logs and cleaned logs are no breach', async () => {
      await books.paidOrder(500, 500);
      await books.usedCode(600, 600);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
      await world.ledger.settle(requestId, outcome(50, { log: null }));
      expect(await checkInvariants(store)).toEqual([]);
      const later = Math.floor(Date.now() / 1000) + 1;
      await store.db.updateTable('log_cleaning').set({ cleaned_before: later }).execute();
      await store.db.deleteFrom('logs').execute();
      expect(await checkInvariants(store)).toEqual([]);
    });

    describe('the regular audit', () => {
      test('a breach stops the spending of that user only, and the change is announced', async () => {
        const audit = startAudit();
        const other = await world.user(1000);
        const announced: (string | undefined)[] = [];
        const stop = store.changes.subscribe('users', (detail) => announced.push(detail));
        expect(await audit.check()).toEqual([]);
        await user().set({ quota: 50_000 }).execute();
        expect((await audit.check()).length).toBeGreaterThan(0);
        expect(await world.findUser(userId)).toMatchObject({ status: 3, quota: 50_000 });
        expect((await world.findUser(userId)).suspended_reason).toContain(
          'a balance is the sum of its transfers',
        );
        expect((await reserve(world.ledger, userId, tokenId, 1)).admission).toMatchObject({
          reason: 'user_unavailable',
        });
        expect((await reserve(world.ledger, other, 0, 1)).admission.ok).toBe(true);
        for (let wait = 0; wait < 1000 && announced.length === 0; wait += 1) await Bun.sleep(20);
        expect(announced).toEqual([String(userId)]);
        stop();
      });

      test('between full checks only new rows are read, and a breach among them is found', async () => {
        const audit = startAudit();
        await audit.check();
        for (let round = 0; round < 3; round += 1) {
          const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
          await world.ledger.settle(requestId, outcome(30, { log: logRow(userId, tokenId) }));
          expect(await audit.check()).toEqual([]);
        }
        const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
        await world.ledger.settle(requestId, outcome(30, { log: logRow(userId, tokenId) }));
        await store.db.updateTable('logs').set({ quota: 29 }).where('request_id', '=', requestId).execute();
        const found = await audit.check();
        expect(found).toMatchObject([{ invariant: 'a log row shows what was charged', userId }]);
        expect(books.audited).toEqual(found);
      });

      test('a user whom the operator disabled stays disabled, with the operator’s reason (M21)', async () => {
        await user().set({ quota: 50_000, status: 2, suspended_reason: '' }).execute();
        expect((await startAudit().check()).map((breach) => breach.userId)).toContain(userId);
        expect(await world.findUser(userId)).toMatchObject({ status: 2, suspended_reason: '' });
      });

      test('sums over several months and slices are complete in every account, summed and proven (M21)', async () => {
        const { entry, plan } = books;
        const lastMonth = nowSeconds() - 40 * 86_400;
        const moves = async (created_at: number) => {
          for (const [index, account] of accountsOf(books).slice(3).entries())
            await entry({ created_at, credit_account: account, amount: 10 + index });
          const between = { debit_account: 'world:x', credit_account: 'world:y', created_at };
          await entry({ ...between, kind: 'use', amount: 20, reference: 'unlogged' });
        };
        const hour = { user_id: userId, token_id: 0, channel_id: 0, model_name: '', quota: 60 };
        await store.db
          .insertInto('usage_hours')
          .values({ ...hour, hour: 0 })
          .execute();
        await moves(lastMonth);
        await moves(nowSeconds());
        // Charges of nothing, more than a slice of them.
        const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS_PER_SLICE + 10})`;
        await sql`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
          ${numbers} select 'free-' || i, ${nowSeconds()}, ${userId}, 'user:' || ${userId}, 'revenue', 0, 'use', 'unlogged'
          from n`.execute(store.db);
        await moves(nowSeconds());
        const more = (column: 'quota' | 'used_quota' | 'aff_quota' | 'dividend_quota', amount: number) =>
          sql`update users set ${sql.ref(column)} = ${sql.ref(column)} + ${amount} where id = ${userId}`.execute(
            store.db,
          );
        await more('quota', 3 * 10);
        await more('aff_quota', 3 * 11);
        await more('dividend_quota', 3 * 12);
        await more('used_quota', 3 * 20);
        await sql`update subscriptions set quota = quota + ${3 * 13} where id = ${plan}`.execute(store.db);

        const audit = startAudit();
        expect(await audit.check()).toEqual([]);
        expect(await checkInvariants(store)).toEqual([]);
        const sums = () =>
          store.db
            .selectFrom('ledger_sums')
            .selectAll()
            .where('user_id', '=', userId)
            .orderBy('month')
            .execute();
        const right = await sums();
        expect(right).toHaveLength(3);
        // Wrong sums are replaced by what a proof over every slice found.
        await sql`update ledger_sums set balance = balance + 1 where user_id = ${userId}`.execute(store.db);
        expect(await audit.check()).toEqual([]);
        expect(await sums()).toEqual(right);
        expect(await checkInvariants(store)).toEqual([]);
      });

      test('the super admin is not locked out, but the alert is sent', async () => {
        const root = await world.user(100, { role: 100 });
        await store.db.updateTable('users').set({ quota: 1 }).where('id', '=', root).execute();
        const audit = startAudit();
        expect((await audit.check()).map((breach) => breach.userId)).toContain(root);
        expect((await world.findUser(root)).status).toBe(1);
      });
    });
  });
});
