// What calls of an organization are counted for, and how the sums are read: each figure in its own column, within its hours, of this
// organization, and what nobody is named for as the rest. Every figure is a multiple of another power of ten, each row one of two.
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { countHolders, taken } from '#server/money/ledger/engine/holders.ts';
import type { LogRow } from '#server/money/ledger/engine/operations.ts';
import type { Rows } from '#server/money/ledger/engine/rows.ts';
import { readHolderSums, tagKeysUsed, type HolderQuestion } from '#server/money/sums/holders.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const HOUR = 3600;
const start = 500_000 * HOUR;
const [acme, other] = [71, 72];
const figures = (times: number) => ({
  count: times,
  quota: 100 * times,
  prompt_tokens: 10_000 * times,
  completion_tokens: 1_000_000 * times,
  error_count: 100_000_000 * times,
});

describe('a call', () => {
  const counted = { at: start, userId: acme, tokenId: 3, modelName: 'alpha' };
  const made = {
    count: 1,
    quota: 20,
    promptTokens: 300,
    completionTokens: 4000,
    errorCount: 5,
    useTimeMs: 60_000,
    firstTokenMs: 700_000,
  };
  const entries = (row: Partial<LogRow> | null) => {
    const found: unknown[] = [];
    const rows = { countHolder: (entry: unknown) => found.push(entry) } as unknown as Rows;
    countHolders(rows, row, counted, made);
    return found;
  };

  test('counts once with all of its figures, and once more for each tag', () => {
    const holder = {
      member_id: 5,
      service_account_id: 6,
      project_id: 7,
      tags: '{"team":"red","env":"blue"}',
    };
    const entry = { ...counted, ...made, memberId: 5, serviceAccountId: 6, projectId: 7 };
    expect(entries(holder)).toEqual([
      { ...entry, tagKey: '', tagValue: '' },
      { ...entry, tagKey: 'team', tagValue: 'red' },
      { ...entry, tagKey: 'env', tagValue: 'blue' },
    ]);
  });

  test('counts for any one of the three, and for nobody without them or without a row', () => {
    for (const holder of [{ member_id: 5 }, { service_account_id: 6 }, { project_id: 7 }])
      expect(entries(holder)).toHaveLength(1);
    for (const nobody of [{}, { tags: '{"team":"red"}' }, null]) expect(entries(nobody)).toEqual([]);
  });

  test('is taken back in each of its figures', () => {
    expect(taken(made)).toEqual({
      count: -1,
      quota: -20,
      promptTokens: -300,
      completionTokens: -4000,
      errorCount: -5,
      useTimeMs: -60_000,
      firstTokenMs: -700_000,
    });
  });
});

forEachDatabase((_label, open) =>
  describe('sums by holder', () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
      const { db } = store;
      for (const id of [5, 6, acme, other])
        await db
          .insertInto('users')
          .values({ id, username: `user ${id}`, aff_code: `code ${id}` })
          .execute();
      await db
        .insertInto('projects')
        .values([5, 6].map((id) => ({ id, organization_id: acme, name: `project ${id}`, created_at: 1 })))
        .execute();
      await db
        .insertInto('service_accounts')
        .values({ id: 6, organization_id: acme, project_id: 6, name: 'robot', created_by: 5, created_at: 1 })
        .execute();
      await db
        .insertInto('tokens')
        .values(
          [5, 6].map((id) => ({
            id,
            user_id: acme,
            name: `key ${id}`,
            key_digest: `d${id}`,
            deleted_at: null,
          })),
        )
        .execute();
      const nobody = { member_id: 0, service_account_id: 0, project_id: 0 };
      const whole = {
        user_id: acme,
        hour: start,
        tag_key: '',
        tag_value: '',
        model_name: 'alpha',
        ...nobody,
      };
      const ann = { ...whole, member_id: 5, project_id: 5, token_id: 6 };
      const bob = { ...whole, member_id: 6, project_id: 5, token_id: 6, model_name: 'beta' };
      const robot = { ...whole, service_account_id: 6, project_id: 6, token_id: 5 };
      const holders = [
        { ...ann, ...figures(1) },
        { ...bob, ...figures(2) },
        { ...robot, ...figures(4) },
        { ...ann, member_id: 99, ...figures(0) },
        { ...ann, hour: start + 2 * HOUR, ...figures(8) },
        { ...ann, hour: start - HOUR, ...figures(16) },
        { ...ann, user_id: other, ...figures(32) },
        { ...ann, tag_key: 'team', tag_value: 'red', ...figures(1) },
        { ...bob, tag_key: 'team', tag_value: 'blue', ...figures(2) },
        { ...ann, tag_key: 'env', tag_value: 'red', ...figures(1) },
        { ...ann, hour: start + 2 * HOUR, tag_key: 'later', tag_value: 'x', ...figures(8) },
        { ...ann, hour: start - HOUR, tag_key: 'earlier', tag_value: 'x', ...figures(16) },
        { ...ann, user_id: other, tag_key: 'theirs', tag_value: 'x', ...figures(32) },
      ];
      await db.insertInto('holder_hours').values(holders).execute();
      const hour = { user_id: acme, hour: start, channel_id: 9 };
      const hours = [
        { ...hour, token_id: 6, model_name: 'alpha', ...figures(1 + 64) },
        { ...hour, token_id: 6, model_name: 'beta', ...figures(2) },
        { ...hour, token_id: 5, model_name: 'alpha', hour: start + HOUR, ...figures(4) },
        { ...hour, token_id: 6, model_name: 'alpha', hour: start + 2 * HOUR, ...figures(8) },
        { ...hour, token_id: 6, model_name: 'alpha', hour: start - HOUR, ...figures(16) },
        { ...hour, token_id: 6, model_name: 'alpha', user_id: other, ...figures(32) },
      ];
      await db.insertInto('usage_hours').values(hours).execute();
    });

    const span = { userId: acme, from: start, to: start + 2 * HOUR };
    const read = async (by: HolderQuestion['by'], more: Partial<HolderQuestion> = {}) => {
      const sums = await readHolderSums(store, { ...span, by, limit: 5, ...more });
      const rows = sums.rows.map(({ id, name, ...each }) => ({ id, name, ...each }));
      return { ...sums, rows };
    };
    const row = (id: number, name: string, times: number) => ({ id, name, ...figures(times) });
    const expected = (rows: ReturnType<typeof row>[], none: number, total = 71) => ({
      rows,
      others: figures(0),
      none: figures(none),
      total: figures(total),
    });

    test('name each one in its own table, the dearest first, and the rest adds up to the total', async () => {
      expect(await read('member')).toEqual(expected([row(6, 'user 6', 2), row(5, 'user 5', 1)], 68));
      expect(await read('service_account')).toEqual(expected([row(6, 'robot', 4)], 67));
      expect(await read('project')).toEqual(expected([row(6, 'project 6', 4), row(5, 'project 5', 3)], 64));
      expect(await read('token')).toEqual(expected([row(6, 'key 6', 67), row(5, 'key 5', 4)], 0));
      expect(await read('model')).toEqual(expected([row(0, 'alpha', 69), row(0, 'beta', 2)], 0));
      expect(await read('tag', { tagKey: 'team' })).toEqual(
        expected([row(0, 'blue', 2), row(0, 'red', 1)], 68),
      );
      expect(await read('tag', { tagKey: 'env' })).toEqual(expected([row(0, 'red', 1)], 70));
    });

    test('beyond the limit are the others', async () => {
      expect(await read('member', { limit: 1 })).toEqual({
        ...expected([row(6, 'user 6', 2)], 68),
        others: figures(1),
      });
      expect(await read('token', { limit: 1 })).toEqual({
        ...expected([row(6, 'key 6', 67)], 0),
        others: figures(4),
      });
    });

    test('of one member are the own calls alone, in every grouping', async () => {
      const own = { memberId: 5 };
      expect(await read('member', own)).toEqual(expected([row(5, 'user 5', 1)], 0, 1));
      expect(await read('token', own)).toEqual(expected([row(6, 'key 6', 1)], 0, 1));
      expect(await read('model', own)).toEqual(expected([row(0, 'alpha', 1)], 0, 1));
      expect(await read('project', own)).toEqual(expected([row(5, 'project 5', 1)], 0, 1));
      expect(await read('service_account', own)).toEqual(expected([], 1, 1));
      expect(await read('tag', { ...own, tagKey: 'team' })).toEqual(expected([row(0, 'red', 1)], 0, 1));
      expect(await read('tag', { ...own, tagKey: 'absent' })).toEqual(expected([], 1, 1));
      const hour = { user_id: acme, member_id: 5, project_id: 5, service_account_id: 0, token_id: 6 };
      const untagged = { ...hour, hour: start + HOUR, tag_key: '', tag_value: '', model_name: 'alpha' };
      await store.db
        .insertInto('holder_hours')
        .values({ ...untagged, ...figures(4) })
        .execute();
      expect(await read('tag', { ...own, tagKey: 'team' })).toEqual(expected([row(0, 'red', 1)], 4, 5));
    });

    test('are none of an organization without calls', async () => {
      expect(await read('member', { userId: 5 })).toEqual(expected([], 0, 0));
    });

    test('know the tags of the span, among those that are kept', async () => {
      const kept = ['theirs', 'env', 'later', 'earlier', 'never'];
      expect(await tagKeysUsed(store, span, kept)).toEqual(['env']);
      expect(await tagKeysUsed(store, { ...span, to: start + 2 * HOUR + 1 }, kept)).toEqual(['env', 'later']);
      expect(await tagKeysUsed(store, { ...span, from: start - HOUR }, kept)).toEqual(['env', 'earlier']);
    });
  }),
);
