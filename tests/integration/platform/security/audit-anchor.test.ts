// Someone who can write the database but does not have the master key cuts or replaces the audit trail: the check sees it (S30).
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { readAnchor } from '#server/admin/http/audit-anchor.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { anchorTrail, auditHash, writeAudit } from '#server/admin/http/audit.ts';
import { createVault } from '#server/platform/store/vault.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { forEachDatabase, type DatabaseLabel } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

const ENTRY = {
  actorId: 1,
  actorName: 'root',
  address: '',
  requestId: '',
  action: 'job.run',
  target: 'audit',
} as const;

forEachDatabase((label: DatabaseLabel) => {
  describe('the audit trail', () => {
    let app: TestApplication;
    beforeAll(async () => {
      app = await startApplication({ database: label });
      for (const after of [1, 2, 3]) await write(after);
    });
    afterAll(() => app.close());

    const write = async (after: number) =>
      await app.store.db
        .transaction()
        .execute((transaction) => writeAudit(app.store, transaction, { ...ENTRY, after }));
    const fault = async () => (await checkTrail(app.store)).fault;

    /** Runs an attack without the triggers that refuse it, looks at the result, and takes it back. */
    async function attack<Result>(
      harm: () => Promise<unknown>,
      look: () => Promise<Result>,
    ): Promise<Result> {
      const { db } = app.store;
      const rows = await db.selectFrom('audit').selectAll().orderBy('id').execute();
      const anchors = await db.selectFrom('audit_anchor').selectAll().execute();
      await dropTriggers();
      try {
        await harm();
        return await look();
      } finally {
        await db.deleteFrom('audit').execute();
        await db.deleteFrom('audit_anchor').execute();
        for (const row of rows) await db.insertInto('audit').values(row).execute();
        for (const row of anchors) await db.insertInto('audit_anchor').values(row).execute();
        if (label === 'postgres')
          await sql`select setval(pg_get_serial_sequence('audit', 'id'), (select max(id) from audit))`.execute(
            db,
          );
      }
    }

    async function dropTriggers(): Promise<void> {
      const names =
        label === 'sqlite'
          ? ['audit_no_update', 'audit_no_delete']
          : ['audit_no_change', 'audit_no_truncate'];
      for (const name of names)
        await sql
          .raw(`drop trigger if exists "${name}"${label === 'sqlite' ? '' : ' on "audit"'}`)
          .execute(app.store.db);
    }

    const cutEnd = async (rows: number) => {
      const last = await app.store.db
        .selectFrom('audit')
        .select('id')
        .orderBy('id', 'desc')
        .limit(rows)
        .execute();
      await app.store.db
        .deleteFrom('audit')
        .where(
          'id',
          'in',
          last.map(({ id }) => id),
        )
        .execute();
    };
    const removeAnchor = async () => await app.store.db.deleteFrom('audit_anchor').execute();

    test('is whole, and its anchor counts its rows', async () => {
      const { rows, head, fault: found } = await checkTrail(app.store);
      expect(found).toBeNull();
      expect(await readAnchor(app.store.db)).toMatchObject({ rows, head });
      expect(rows).toBeGreaterThanOrEqual(3);
    });

    test('cut at its end is seen, also after further rows were written (S30)', async () => {
      const found = await attack(
        () => cutEnd(2),
        async () => {
          const before = await fault();
          await write(4);
          return [before, await fault()];
        },
      );
      expect(found).toEqual(['cut', 'cut']);
    });

    test('without any row is seen (S30)', async () => {
      const found = await attack(async () => await app.store.db.deleteFrom('audit').execute(), fault);
      expect(found).toBe('cut');
    });

    test('computed anew after a deletion is seen (S30)', async () => {
      const found = await attack(async () => {
        const rows = await app.store.db.selectFrom('audit').selectAll().orderBy('id').execute();
        await app.store.db.deleteFrom('audit').execute();
        let previous_hash = '';
        for (const { hash: _, ...row } of rows.filter((_row, index) => index !== 1)) {
          const linked = { ...row, previous_hash };
          previous_hash = auditHash(linked);
          await app.store.db
            .insertInto('audit')
            .values({ ...linked, hash: previous_hash })
            .execute();
        }
      }, fault);
      expect(found).toBe('cut');
    });

    test('with an anchor made with another key is seen (S30)', async () => {
      const stranger = createVault(Buffer.alloc(32, 7));
      const found = await attack(
        async () => {
          await cutEnd(1);
          const { rows, head, headId } = await trailNow();
          const digest = stranger.digest('audit anchor', JSON.stringify([rows, headId, head]));
          await app.store.db
            .updateTable('audit_anchor')
            .set({ rows, head, head_id: headId, digest })
            .execute();
        },
        async () => {
          const before = await fault();
          await write(5);
          return [before, await fault()];
        },
      );
      expect(found).toEqual(['unproven', 'unproven']);
    });

    test('without its anchor is seen, and anchored anew a row of it says so (S30)', async () => {
      const found = await attack(removeAnchor, async () => {
        const before = await fault();
        await anchorTrail(app.store);
        const { rows, fault: afterStart } = await checkTrail(app.store);
        const last = await app.store.db
          .selectFrom('audit')
          .select(['action', 'after'])
          .orderBy('id', 'desc')
          .executeTakeFirstOrThrow();
        return { before, afterStart, last: [last.action, JSON.parse(last.after)], rows };
      });
      expect(found).toMatchObject({ before: 'unproven', afterStart: null });
      expect(found.last).toMatchObject(['audit.anchor', { rows: found.rows - 1 }]);
    });

    test('anchored a second time is not proven (S30)', async () => {
      const found = await attack(
        async () => {
          await removeAnchor();
          await anchorTrail(app.store);
          await removeAnchor();
          await write(6);
        },
        () => checkTrail(app.store),
      );
      expect(found.fault).toBe('unproven');
      expect(found.brokenId).not.toBeNull();
    });

    test('put back to an old state with its old anchor is seen from a place that was written down (S30)', async () => {
      const { rows, head } = await checkTrail(app.store);
      const [old] = await app.store.db.selectFrom('audit_anchor').selectAll().execute();
      await write(7);
      const place = await checkTrail(app.store);
      const found = await attack(
        async () => {
          await cutEnd(1);
          await app.store.db
            .updateTable('audit_anchor')
            .set(old ?? {})
            .execute();
        },
        async () => [await fault(), (await checkTrail(app.store, place)).fault],
      );
      expect(found).toEqual([null, 'cut']);
      expect(await checkTrail(app.store, { rows, head })).toMatchObject({ fault: null });
    });

    test('takes rows of nodes that know no anchor yet, as in a rolling upgrade', async () => {
      const { rows, head } = await checkTrail(app.store);
      const row = { ...ROW_OF_OLDER_NODE, previous_hash: head };
      await app.store.db
        .insertInto('audit')
        .values({ ...row, hash: auditHash(row) })
        .execute();
      expect(await fault()).toBeNull();
      await write(8);
      expect(await checkTrail(app.store)).toMatchObject({ fault: null, rows: rows + 2 });
      expect(await readAnchor(app.store.db)).toMatchObject({ rows: rows + 2 });
    });

    async function trailNow() {
      const all = await app.store.db.selectFrom('audit').select(['id', 'hash']).orderBy('id').execute();
      return { rows: all.length, headId: all.at(-1)?.id ?? 0, head: all.at(-1)?.hash ?? '' };
    }
  });
});

const ROW_OF_OLDER_NODE = {
  created_at: 1,
  actor_id: 1,
  actor_name: 'root',
  ip: '',
  action: 'test',
  target: 'audit',
  before: '',
  after: '',
  request_id: '',
};
