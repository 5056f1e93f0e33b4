// Two nodes on one database cache answers of their own, under the same names; what is removed on one is removed on the other.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import { cacheScene, expectBooks } from './answer-cache-scene.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(120_000);

// SQLite has one node.
if (databaseLabels.includes('postgres'))
  test('postgres: a removal by hand, a deleted key and a withdrawn wish reach both nodes', async () => {
    await using one = await cacheScene('postgres');
    await using two = await cacheScene('postgres', { beside: { place: one.place, nodeId: 'other' } });
    await one.relay.reload();
    const [first, second] = [await one.keeping(), await one.keeping()];
    const fill = async () => {
      const keys: string[] = [];
      for (const scene of [one, two])
        for (const token of [first, second]) {
          const reply = await scene.ask(token, 'both');
          expect(reply.state).toBe('miss');
          keys.push(reply.key);
        }
      expect(keys.slice(0, 2)).toEqual(keys.slice(2));
      return keys;
    };
    const left = (count: number) =>
      eventually(
        () => [one.cache().state.entries, two.cache().state.entries],
        (entries) => entries.every((each) => each === count),
      );
    const [key = ''] = await fill();
    await one.cache().purge({ key });
    expect(await left(1)).toEqual([1, 1]);
    await two.cache().purge({});
    expect(await left(0)).toEqual([0, 0]);
    await fill();
    const change = async (values: object, { id }: { id: number }) => {
      await one.store.db.updateTable('tokens').set(values).where('id', '=', id).execute();
      await one.store.changes.announce('tokens', String(id));
    };
    await change({ deleted_at: 1 }, first);
    expect(await left(1)).toEqual([1, 1]);
    await change({ answer_cache: 'off' }, second);
    expect(await left(0)).toEqual([0, 0]);
    await expectBooks(one);
  });
