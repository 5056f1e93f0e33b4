// Tasks that the retention of the log removes: those that are over, with their money, and the oldest first.
import { expect, test } from 'bun:test';
import { endedTasks } from '#server/relay/tasks/index.ts';
import { taskRows } from '#server/relay/tasks/rows.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const DAY = 86_400;
const before = 100 * DAY;

forEachDatabase((_label, open) => {
  test('only tasks that are over, and whose money is too, are counted and removed, the oldest first', async () => {
    const store = await open();
    const rows = taskRows(store);
    const add = async (name: string, day: number, status: string, money: 'open' | 'settled' | 'released') => {
      const { id } = await rows.insert({
        hold_id: name,
        platform: 'suno',
        action: 'MUSIC',
        model: 'm',
        user_id: 1,
        username: 'ann',
        token_id: 1,
        group: 'default',
        channel_id: 1,
        status,
        money,
        submit_ms: day * DAY * 1000,
        quota: 1,
        snapshot: '{}',
        deadline_at: 1,
        next_poll_at: 1,
      });
      return id;
    };
    await add('runs', 1, 'IN_PROGRESS', 'open');
    await add('unpaid', 2, 'SUCCESS', 'open');
    const newest = await add('failed', 99, 'FAILURE', 'released');
    await add('at the limit', 100, 'SUCCESS', 'settled');
    const oldest = await add('paid', 3, 'SUCCESS', 'settled');
    const ended = endedTasks(store);
    const remove = (most: number) =>
      store.db.transaction().execute((transaction) => ended.removeOldest(transaction, before, most));
    expect(await ended.count(before)).toBe(2);
    expect(await remove(1)).toBe(1);
    expect([await rows.find(oldest), (await rows.find(newest))?.hold_id]).toEqual([undefined, 'failed']);
    expect(await remove(10)).toBe(1);
    const left = await store.db.selectFrom('tasks').select('hold_id').orderBy('id').execute();
    expect(left.map(({ hold_id }) => hold_id)).toEqual(['runs', 'unpaid', 'at the limit']);
    expect(await ended.count(before)).toBe(0);
  });
});
