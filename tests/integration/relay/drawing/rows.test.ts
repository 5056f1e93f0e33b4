// What nodes agree on through the rows of tasks: how a task ended, and which node polls it.
import { describe, expect, test } from 'bun:test';
import { taskRows } from '#server/relay/tasks/rows.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const row = (holdId: string) => ({
  hold_id: holdId,
  platform: 'mj',
  action: 'IMAGINE',
  model: 'mj_imagine',
  user_id: 1,
  username: 'someone',
  token_id: 1,
  group: 'default',
  channel_id: 1,
  status: 'SUBMITTED',
  submit_ms: Date.now(),
  quota: 100,
  snapshot: '{}',
  deadline_at: 2_000_000_000,
  next_poll_at: 1000,
});

forEachDatabase((_label, open) => {
  describe('tasks', () => {
    test('a task ends once: a later end, and a later report, change nothing', async () => {
      const rows = taskRows(await open());
      for (const [first, second] of [
        ['FAILURE', 'SUCCESS'],
        ['SUCCESS', 'FAILURE'],
      ] as const) {
        const { id } = await rows.insert(row(`${first}-first`));
        expect(await rows.end(id, { status: first, finish_ms: 1 })).toBe(true);
        expect(await rows.end(id, { status: second, finish_ms: 2 })).toBe(false);
        expect(await rows.change(id, { status: 'IN_PROGRESS', progress: '50%' })).toBe(false);
        expect(await rows.find(id)).toMatchObject({ status: first, finish_ms: 1 });
      }
    });

    test('of nodes that look for due tasks at once each task goes to one', async () => {
      const rows = taskRows(await open());
      for (let index = 0; index < 20; index += 1) await rows.insert(row(`due-${index}`));
      const claims = await Promise.all(Array.from({ length: 6 }, () => rows.claim(1000, 60)));
      const ids = claims.flat().map(({ id }) => id);
      expect(ids).toHaveLength(20);
      expect(new Set(ids).size).toBe(20);
      expect(await rows.claim(1059, 60)).toEqual([]);
      expect(await rows.claim(1060, 60)).toHaveLength(20);
    });

    test('what the node that asked has written is when a task is due again; one that ended is not moved', async () => {
      const rows = taskRows(await open());
      const slow = await rows.insert(row('slow'));
      const quick = await rows.insert(row('quick'));
      const paid = await rows.insert(row('paid'));
      await rows.claim(1000, 60);
      await rows.noteMoney(paid.id, { money: 'released', quota: 0 });
      await rows.schedule([slow.id, paid.id], { next_poll_at: 1040, poll_failures: 3 });
      await rows.schedule([quick.id], { next_poll_at: 1005, poll_failures: 0 });
      expect((await rows.claim(1005, 60)).map(({ id }) => id)).toEqual([quick.id]);
      expect(await rows.claim(1039, 60)).toEqual([]);
      expect(await rows.claim(1040, 60)).toMatchObject([{ id: slow.id, poll_failures: 3 }]);
      expect(await rows.find(paid.id)).toMatchObject({ poll_failures: 0 });
    });
  });
});
