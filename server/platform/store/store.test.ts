// What both databases promise to the rest of the server.
import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { isCheckViolation, isUniqueViolation } from './errors.ts';
import type { NewRow } from './schema.ts';
import type { Store } from './store.ts';

const writerEntry = new URL('../../../tests/support/writer-entry.ts', import.meta.url);

function addUser(store: Store, values: Partial<NewRow<'users'>> = {}) {
  return store.db
    .insertInto('users')
    .values({ username: 'mia', aff_code: 'a1', ...values })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function addTransfer(store: Store, values: Partial<NewRow<'ledger'>> = {}) {
  const transfer = {
    idem: 'i1',
    created_at: 1,
    debit_account: 'world:admin',
    credit_account: 'user:1',
    kind: 'grant',
  };
  return store.db
    .insertInto('ledger')
    .values({ ...transfer, amount: 10, ...values })
    .execute();
}

forEachDatabase((label, open) => {
  test('a new row carries the agreed defaults', async () => {
    const store = await open({ writerEntry });
    expect(store.dialect).toBe(label);
    expect(await addUser(store)).toMatchObject({
      id: 1,
      username: 'mia',
      password_hash: '',
      password_is_initial: 0,
      display_name: '',
      role: 1,
      status: 1,
      email: '',
      github_id: '',
      wechat_id: '',
      telegram_id: '',
      linux_do_id: '',
      oidc_id: '',
      group: 'default',
      quota: 0,
      held_quota: 0,
      used_quota: 0,
      request_count: 0,
      aff_code: 'a1',
      aff_count: 0,
      aff_quota: 0,
      aff_history_quota: 0,
      inviter_id: 0,
      access_token_digest: null,
      auth_version: 1,
      created_at: 0,
      last_login_at: 0,
      deleted_at: null,
      setting: '{}',
      suspended_reason: '',
      low_balance_mail_at: 0,
      requests_per_minute: 0,
      tokens_per_minute: 0,
      concurrent_calls: 0,
      day_budget: 0,
      month_budget: 0,
    });
  });

  test('an id is never given out twice, even after its row is gone', async () => {
    const store = await open({ writerEntry });
    await addUser(store);
    await store.db.deleteFrom('users').execute();
    expect((await addUser(store)).id).toBe(2);
  });

  test('a write is seen by the next read once it is acknowledged, 200 times over', async () => {
    const store = await open({ writerEntry });
    await addUser(store);
    for (let round = 1; round <= 200; round++) {
      const updated = await store.db
        .updateTable('users')
        .set({ quota: round })
        .where('id', '=', 1)
        .executeTakeFirst();
      expect(updated.numUpdatedRows).toBe(1n);
      const row = await store.db.selectFrom('users').select('quota').executeTakeFirstOrThrow();
      expect(row.quota).toBe(round);
    }
  });

  test('counts, sums and large amounts are exact numbers', async () => {
    const store = await open({ writerEntry });
    await addUser(store, { quota: Number.MAX_SAFE_INTEGER });
    const row = await store.db
      .selectFrom('users')
      .select(({ fn }) => ['quota', fn.countAll<number>().as('count'), fn.sum<number>('quota').as('sum')])
      .groupBy('quota')
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ quota: Number.MAX_SAFE_INTEGER, count: 1, sum: Number.MAX_SAFE_INTEGER });
  });

  describe('a taken value', () => {
    test('is a unique violation that names its column; usernames ignore case', async () => {
      const store = await open({ writerEntry });
      await addUser(store);
      const sameName = await failure(addUser(store, { username: 'MIA', aff_code: 'a2' }));
      expect(isUniqueViolation(sameName)).toBe(true);
      expect(isUniqueViolation(sameName, 'username')).toBe(true);
      expect(isUniqueViolation(sameName, 'aff_code')).toBe(false);
      const sameCode = await failure(addUser(store, { username: 'eve' }));
      expect(isUniqueViolation(sameCode, 'aff_code')).toBe(true);
      const primary = { key: 'k' };
      await store.db.insertInto('options').values(primary).execute();
      expect(isUniqueViolation(await failure(store.db.insertInto('options').values(primary).execute()))).toBe(
        true,
      );
    });

    test('an external identity belongs to one living account', async () => {
      const store = await open({ writerEntry });
      await addUser(store, { github_id: '42' });
      const second = { username: 'eve', aff_code: 'a2', github_id: '42' };
      expect(isUniqueViolation(await failure(addUser(store, second)), 'github_id')).toBe(true);
      await store.db.updateTable('users').set({ deleted_at: 5 }).where('id', '=', 1).execute();
      expect(await addUser(store, second)).toMatchObject({ github_id: '42' });
    });
  });

  describe('the database itself refuses', () => {
    const refused: [string, Partial<NewRow<'users'>>][] = [
      ['a balance below zero', { quota: -1 }],
      ['a hold above the balance', { quota: 5, held_quota: 6 }],
      ['a negative hold', { held_quota: -1 }],
      ['an unknown role', { role: 5 }],
      ['an unknown status', { status: 0 }],
      ['a flag that is neither 0 nor 1', { password_is_initial: 2 as 1 }],
      ['money beyond the safe integers', { quota: 2 ** 53 }],
      ['a negative used quota', { used_quota: -1 }],
    ];
    for (const [what, values] of refused) {
      test(what, async () => {
        const store = await open({ writerEntry });
        expect(isCheckViolation(await failure(addUser(store, values)))).toBe(true);
        expect(await store.db.selectFrom('users').select('id').execute()).toEqual([]);
      });
    }

    test('text in a number column, and null where a value must be', async () => {
      const store = await open({ writerEntry });
      expect(await failure(addUser(store, { quota: 'much' as unknown as number }))).toBeInstanceOf(Error);
      expect(await failure(addUser(store, { email: null as unknown as string }))).toBeInstanceOf(Error);
    });

    test('a transfer of nothing, to itself, or with the same key twice', async () => {
      const store = await open({ writerEntry });
      expect(isCheckViolation(await failure(addTransfer(store, { amount: 0 })))).toBe(true);
      expect(isCheckViolation(await failure(addTransfer(store, { credit_account: 'world:admin' })))).toBe(
        true,
      );
      await addTransfer(store);
      expect(isUniqueViolation(await failure(addTransfer(store)), 'idem')).toBe(true);
    });

    test('any change or removal of ledger and audit rows', async () => {
      const store = await open({ writerEntry });
      await addTransfer(store);
      await store.db.insertInto('audit').values({ created_at: 1, action: 'login', hash: 'h' }).execute();
      expect(String(await failure(store.db.updateTable('ledger').set({ amount: 99 }).execute()))).toContain(
        'ledger is append-only',
      );
      expect(String(await failure(store.db.deleteFrom('ledger').execute()))).toContain(
        'ledger is append-only',
      );
      expect(String(await failure(store.db.updateTable('audit').set({ action: 'x' }).execute()))).toContain(
        'audit is append-only',
      );
      expect(String(await failure(store.db.deleteFrom('audit').execute()))).toContain('audit is append-only');
      if (label === 'postgres') {
        expect(String(await failure(sql`truncate ledger`.execute(store.db)))).toContain(
          'ledger is append-only',
        );
      }
      expect(await store.db.selectFrom('ledger').select(['id', 'amount']).execute()).toEqual([
        { id: 1, amount: 10 },
      ]);
      expect(await store.db.selectFrom('audit').select('action').execute()).toEqual([{ action: 'login' }]);
    });
  });

  describe('a transaction', () => {
    test('is seen by itself at once and by others after its commit', async () => {
      const store = await open({ writerEntry });
      await store.db.transaction().execute(async (transaction) => {
        await transaction.insertInto('options').values({ key: 'a', value: '1' }).execute();
        expect(await transaction.selectFrom('options').select('key').execute()).toEqual([{ key: 'a' }]);
        expect(await store.db.selectFrom('options').select('key').execute()).toEqual([]);
      });
      expect(await store.db.selectFrom('options').select('key').execute()).toEqual([{ key: 'a' }]);
    });

    test('that throws leaves nothing behind, and the store goes on', async () => {
      const store = await open({ writerEntry });
      const broken = store.db.transaction().execute(async (transaction) => {
        await transaction.insertInto('options').values({ key: 'a' }).execute();
        throw new Error('changed my mind');
      });
      expect(String(await failure(broken))).toContain('changed my mind');
      await store.db.insertInto('options').values({ key: 'b' }).execute();
      expect(await store.db.selectFrom('options').select('key').execute()).toEqual([{ key: 'b' }]);
    });

    test('can undo a part of itself', async () => {
      const store = await open({ writerEntry });
      const transaction = await store.db.startTransaction().execute();
      await transaction.insertInto('options').values({ key: 'kept' }).execute();
      const before = await transaction.savepoint('before').execute();
      await before.insertInto('options').values({ key: 'undone' }).execute();
      await before.rollbackToSavepoint('before').execute();
      await transaction.commit().execute();
      expect(await store.db.selectFrom('options').select('key').execute()).toEqual([{ key: 'kept' }]);
    });

    test('ten at once that read and then write lose no update', async () => {
      const store = await open({ writerEntry });
      await addUser(store);
      const add = () =>
        store.db.transaction().execute(async (transaction) => {
          const query = transaction.selectFrom('users').select('quota').where('id', '=', 1);
          const { quota } = await (
            label === 'postgres' ? query.forUpdate() : query
          ).executeTakeFirstOrThrow();
          await transaction
            .updateTable('users')
            .set({ quota: quota + 1 })
            .where('id', '=', 1)
            .execute();
        });
      await Promise.all(Array.from({ length: 10 }, add));
      expect((await store.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).quota).toBe(10);
    });
  });

  test('a store opened again finds its rows and opens its secrets; the closed one refuses', async () => {
    const { remove, ...place } = await temporaryPlace(label);
    const first = await open({ writerEntry, ...place });
    const value = first.vault.seal('secret', 'options:kept');
    await first.db.insertInto('options').values({ key: 'kept', value }).execute();
    await Promise.all([first.close(), first.close()]);
    expect(await failure(first.db.selectFrom('options').selectAll().execute())).toBeInstanceOf(Error);
    const second = await open({ writerEntry, ...place });
    const row = await second.db.selectFrom('options').select('value').executeTakeFirstOrThrow();
    expect(second.vault.open(row.value, 'options:kept')).toBe('secret');
    await second.close();
    await remove();
  });

  test('closing waits for the writes that were asked for before', async () => {
    const { remove, ...place } = await temporaryPlace(label);
    const first = await open({ writerEntry, ...place });
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
    const writes = keys.map((key) => first.db.insertInto('options').values({ key }).execute());
    // One turn: a query reaches its driver in a later microtask than the call.
    await Bun.sleep(0);
    await first.close();
    await Promise.all(writes);
    const second = await open({ writerEntry, ...place });
    expect(await second.db.selectFrom('options').select('key').execute()).toHaveLength(50);
    await second.close();
    await remove();
  });
});
