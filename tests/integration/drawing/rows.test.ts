// What nodes agree on through the rows of tasks: how a task ended, and which node polls it.
import { describe, expect, test } from 'bun:test';
import { taskRows } from '#server/tasks/rows.ts';
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
  });
});
