// What a correction changes in the hours of an organization's holders: of each call its difference, under its own keys and each tag.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { BookedCall } from '#server/money/ledger/corrections/correction.ts';
import type { CorrectedLog } from '#server/money/ledger/corrections/figures.ts';
import { correctHolders } from '#server/money/ledger/corrections/holders.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const HOUR = 3600;
const start = 500_000 * HOUR;
const paid = (wallet: number, plan = 0, suspense = 0) => ({ wallet, plan, suspense });
const holder = { member_id: 5, service_account_id: 6, project_id: 7, tags: '', other: '', budgets: '' };
const keys = {
  user_id: 71,
  tag_key: '',
  hour: start,
  tag_value: '',
  member_id: 5,
  service_account_id: 6,
  project_id: 7,
  token_id: 3,
  model_name: 'alpha',
};

forEachDatabase((label, open) =>
  describe('corrected holders', () => {
    const correct = (
      store: Store,
      list: readonly [Partial<BookedCall>, Partial<CorrectedLog> | undefined][],
    ) => {
      const logs = new Map<number, CorrectedLog>();
      const calls = list.map(([call, log], index) => {
        if (log !== undefined) logs.set(index, { ...holder, ...log });
        const usual = {
          createdAt: start + 10,
          tokenId: 3,
          modelName: 'alpha',
          before: paid(100),
          after: paid(40),
        };
        return { ...usual, ...call, logId: index } as BookedCall;
      });
      return store.db
        .transaction()
        .execute((transaction) => correctHolders(transaction, label, 71, calls, logs));
    };
    const rowsOf = async (store: Store) => {
      const rows = await store.db
        .selectFrom('holder_hours')
        .selectAll()
        .orderBy('hour')
        .orderBy('tag_key')
        .orderBy('token_id')
        .orderBy('quota')
        .execute();
      return rows.map((found) => {
        const { prompt_tokens, completion_tokens, error_count, use_time_ms, first_token_ms, ...row } = found;
        expect([prompt_tokens, completion_tokens, error_count, use_time_ms, first_token_ms]).toEqual([
          0, 0, 0, 0, 0,
        ]);
        return row;
      });
    };

    test('have the difference of balance and subscription, beside what the hour has, and of each tag', async () => {
      const store = await open();
      await store.db
        .insertInto('holder_hours')
        .values({ ...keys, count: 2, quota: 500 })
        .execute();
      await store.db
        .insertInto('holder_hours')
        .values({ ...keys, user_id: 72, count: 2, quota: 500 })
        .execute();
      await correct(store, [
        [{ before: paid(100, 30, 7), after: paid(40, 20, 900) }, { tags: '{"team":"red","env":"blue"}' }],
        [{ before: paid(1), after: paid(4) }, {}],
      ]);
      const team = { ...keys, count: 0, quota: -70 };
      expect(await rowsOf(store)).toEqual([
        { ...keys, count: 2, quota: 433 },
        { ...keys, user_id: 72, count: 2, quota: 500 },
        { ...team, tag_key: 'env', tag_value: 'blue' },
        { ...team, tag_key: 'team', tag_value: 'red' },
      ]);
      // The same again adds to every row that is there.
      await correct(store, [[{ before: paid(1), after: paid(2) }, { tags: '{"team":"red"}' }]]);
      expect((await rowsOf(store)).map(({ quota }) => quota)).toEqual([434, 500, -70, -69]);
    });

    test('are each one’s own: by hour, member, service account, project, key, model and value of a tag', async () => {
      const store = await open();
      await correct(store, [
        [{ createdAt: start + HOUR - 1 }, {}],
        [{ createdAt: start + HOUR }, {}],
        [{ tokenId: 4 }, {}],
        [{ modelName: 'beta' }, {}],
        [{}, { member_id: 50 }],
        [{}, { service_account_id: 60 }],
        [{}, { project_id: 70 }],
        [{}, { tags: '{"team":"red"}' }],
        [{}, { tags: '{"team":"blue"}' }],
      ]);
      const rows = await rowsOf(store);
      // The first of them has three calls.
      expect(rows.map(({ quota }) => quota).toSorted((left, right) => left - right)).toEqual([
        -180, -60, -60, -60, -60, -60, -60, -60, -60,
      ]);
      const one = { ...keys, count: 0, quota: -60 };
      for (const change of [
        { quota: -180 },
        { hour: start + HOUR },
        { token_id: 4 },
        { model_name: 'beta' },
        { member_id: 50 },
        { service_account_id: 60 },
        { project_id: 70 },
        { tag_key: 'team', tag_value: 'red' },
        { tag_key: 'team', tag_value: 'blue' },
      ])
        expect(rows).toContainEqual({ ...one, ...change });
    });

    test('are any one of the three; a call of none, or whose row is gone, counts for nobody', async () => {
      const store = await open();
      const nobody = { member_id: 0, service_account_id: 0, project_id: 0 };
      await correct(store, [
        [{}, nobody],
        [{}, { ...nobody, tags: '{"team":"red"}' }],
        [{}, undefined],
      ]);
      expect(await rowsOf(store)).toEqual([]);
      await correct(store, [
        [{}, undefined],
        [{}, { ...nobody, member_id: 5 }],
        [{}, { ...nobody, service_account_id: 6 }],
        [{}, { ...nobody, project_id: 7 }],
      ]);
      expect(await rowsOf(store)).toHaveLength(3);
    });
  }),
);
