// The rows of tasks, by which nodes agree: who asks for a task, which end of it counts, and whose it is.
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import type { NewRow } from '#server/platform/store/schema.ts';
import { taskRows, type TaskRows } from '#server/relay/tasks/rows.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const NOW = 10_000;

forEachDatabase((_label, open) => {
  let rows: TaskRows;
  beforeEach(async () => {
    rows = taskRows(await open());
  });

  const add = (hold_id: string, more: Partial<NewRow<'tasks'>> = {}) =>
    rows.insert({
      hold_id,
      platform: 'suno',
      action: 'MUSIC',
      model: 'm',
      user_id: 1,
      username: 'ann',
      token_id: 4,
      group: 'default',
      channel_id: 1,
      task_id: `theirs-${hold_id}`,
      status: 'SUBMITTED',
      submit_ms: 1,
      quota: 70,
      snapshot: '{}',
      deadline_at: 1,
      next_poll_at: NOW,
      ...more,
    });
  const ids = (list: readonly { hold_id: string }[]) => list.map(({ hold_id }) => hold_id).toSorted();

  test('a task is claimed once, when it is due to the second, and again after the claim', async () => {
    await add('due');
    await add('later', { next_poll_at: NOW + 1 });
    await add('paid', { status: 'SUCCESS', money: 'settled' });
    await add('unpaid', { status: 'SUCCESS' });
    expect(ids(await rows.claim(NOW, 30))).toEqual(['due', 'unpaid']);
    expect(await rows.claim(NOW, 30)).toEqual([]);
    expect(ids(await rows.claim(NOW + 1, 30))).toEqual(['later']);
    expect(await rows.claim(NOW + 29, 30)).toEqual([]);
    expect(ids(await rows.claim(NOW + 30, 30))).toEqual(['due', 'unpaid']);
  });

  test('of two nodes that claim at once each task goes to one', async () => {
    for (let number = 0; number < 20; number += 1) await add(`task ${number}`);
    const claims = await Promise.all([rows.claim(NOW, 30), rows.claim(NOW, 30), rows.claim(NOW, 30)]);
    const claimed = claims.flat().map(({ id }) => id);
    expect(claimed.toSorted((one, other) => one - other)).toEqual(
      [...new Set(claimed)].toSorted((one, other) => one - other),
    );
    expect(claimed).toHaveLength(20);
  });

  test('the longest due tasks are claimed first, five hundred at a time', async () => {
    const numbers = Array.from({ length: 501 }, (_, number) => number);
    await Promise.all(numbers.map((number) => add(`task ${number}`, { next_poll_at: NOW - number })));
    // One that is over takes the place of none.
    await add('paid', { status: 'SUCCESS', money: 'settled', next_poll_at: 1 });
    expect(await rows.claim(NOW, 30)).toHaveLength(500);
    expect(ids(await rows.claim(NOW, 30))).toEqual(['task 0']);
  });

  test('what is scheduled is due then; a task whose money has ended is scheduled no more', async () => {
    const one = await add('one');
    const other = await add('other');
    const ended = await add('ended');
    await rows.noteMoney(ended.id, { money: 'settled', quota: 5 });
    await rows.schedule([one.id, ended.id], { next_poll_at: NOW + 60, poll_failures: 2 });
    expect(await rows.find(one.id)).toMatchObject({ next_poll_at: NOW + 60, poll_failures: 2 });
    expect(await rows.find(other.id)).toMatchObject({ next_poll_at: NOW, poll_failures: 0 });
    expect(await rows.find(ended.id)).toMatchObject({ next_poll_at: NOW, poll_failures: 0 });
  });

  test('the first end of a task counts, whether it succeeded or failed, and its money is noted once', async () => {
    for (const [first, second] of [
      ['SUCCESS', 'FAILURE'],
      ['FAILURE', 'SUCCESS'],
    ] as const) {
      const { id } = await add(first);
      const other = await add(`beside ${first}`);
      expect(await rows.change(id, { progress: '40%' })).toBe(true);
      expect(await rows.end(id, { status: first, fail_reason: 'first' })).toBe(true);
      expect(await rows.end(id, { status: second, fail_reason: 'second' })).toBe(false);
      expect(await rows.change(id, { progress: '90%', status: 'IN_PROGRESS' })).toBe(false);
      await rows.noteMoney(id, { money: 'settled', quota: 30 });
      await rows.noteMoney(id, { money: 'released', quota: 70 });
      expect(await rows.find(id)).toMatchObject({
        status: first,
        fail_reason: 'first',
        progress: '40%',
        money: 'settled',
        quota: 30,
      });
      expect(await rows.find(other.id)).toMatchObject({ status: 'SUBMITTED', money: 'open', quota: 70 });
    }
  });

  test('a removed submission is gone, and no other', async () => {
    const gone = await add('gone');
    const kept = await add('kept');
    await rows.remove(gone.id);
    expect(await rows.find(gone.id)).toBeUndefined();
    expect(await rows.find(kept.id)).toMatchObject({ hold_id: 'kept' });
  });

  test('tasks are named by their owner, their platform and the id upstream, the newest first', async () => {
    await add('mine', { task_id: 'x' });
    await add('newer', { task_id: 'x' });
    await add('mine too', { task_id: 'y' });
    await add('of another', { task_id: 'x', user_id: 2 });
    await add('elsewhere', { task_id: 'x', platform: 'midjourney' });
    await add('of a project', { task_id: 'x', user_id: 9, project_id: 5, token_id: 6 });
    await add('moved', { task_id: 'x', user_id: 9, project_id: 8, token_id: 4 });
    await add('of another project', { task_id: 'x', user_id: 9, project_id: 8, token_id: 6 });
    const named = async (...given: Parameters<TaskRows['named']>) =>
      (await rows.named(...given)).map(({ hold_id }) => hold_id);
    expect(await named('suno', ['x', 'y', 'z'], { userId: 1 })).toEqual(['mine too', 'newer', 'mine']);
    expect(await named('suno', ['x'], { userId: 9, tokenId: 4, organization: { projectId: 5 } })).toEqual([
      'moved',
      'of a project',
    ]);
    expect(await named('suno', [], { userId: 1 })).toEqual([]);
    expect(await named('suno', ['x\0', 'y'], { userId: 1 })).toEqual(['mine too']);
    const anyone = async (id: string) => (await rows.anyNamed('suno', id)).map(({ hold_id }) => hold_id);
    expect(await anyone('y')).toEqual(['mine too']);
    expect(await anyone('x')).toEqual([
      'of another project',
      'moved',
      'of a project',
      'of another',
      'newer',
      'mine',
    ]);
    expect(await anyone('x\0')).toEqual([]);
  });
});
