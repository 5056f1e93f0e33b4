// What a running node leaves for the checks: its disk, and that it drained when it was stopped as it should be.
import { expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication } from '#tests/support/application.ts';
import { databaseLabels, temporaryPlace } from '#tests/support/databases.ts';

test.each(databaseLabels)(
  '%s: a node that is stopped is not missed; one whose reports end otherwise is',
  async (label) => {
    const { remove, ...place } = await temporaryPlace(label);
    const first = await startApplication({ place, nodeId: 'first' });
    await first.close();
    const second = await startApplication({ place, nodeId: 'second' });
    try {
      const { db } = second.store;
      const row = await db
        .selectFrom('node_reports')
        .select('report')
        .where('node_id', '=', 'first')
        .executeTakeFirstOrThrow();
      const report = JSON.parse(row.report) as { is_draining: boolean; disk_percent: number };
      expect(report.is_draining).toBe(true);
      expect(report.disk_percent).toBeWithin(0, 101);

      const reported_at = Math.floor(Date.now() / 1000) - 120;
      await db.updateTable('node_reports').set({ reported_at }).where('node_id', '=', 'first').execute();
      const lost = {
        node_id: 'lost',
        report: JSON.stringify({ ...report, is_draining: false }),
        reported_at,
      };
      await db.insertInto('node_reports').values(lost).execute();
      const root = await second.actor({ role: ROLE.root });
      const { items } = await second.client(root).attention.list();
      expect(items.filter(({ kind }) => kind === 'node_gone').map(({ id }) => id)).toEqual([
        'node_gone:lost',
      ]);
    } finally {
      await second.close();
      await remove();
    }
  },
);
