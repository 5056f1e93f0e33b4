// The audit trail through the real server: who may read it, filters, pages, the chain, the export.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { AuditAction } from '#contract/admin/audit.ts';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
import { sql } from 'kysely';
import { writeAudit } from '#server/admin/http/audit.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    beforeAll(async () => {
      app = await startApplication({ database });
      root = await app.login('root', ROOT_PASSWORD);
      for (let index = 1; index <= 25; index += 1) await write('sample.made', `thing:${index}`, 'ana', 7);
      await write('sample.removed', 'thing:3', 'ben', 8);
      await write('sampler.odd', 'things:3', 'ben', 8);
    }, 30_000);
    afterAll(() => app.close());

    const write = (action: string, target: string, actorName: string, actorId: number, after?: object) =>
      app.store.db.transaction().execute((transaction) =>
        writeAudit(app.store, transaction, {
          actorId,
          actorName,
          address: '203.0.113.9',
          // Not an action of the product, so that its own rows are not found with these.
          action: action as AuditAction,
          target: target as AuditTarget,
          after,
          requestId: 'r1',
        }),
      );
    const list = (query: object) => app.client(root).audit.list({ query });
    const targets = async (query: object) => (await list(query)).items.map(({ target }) => target);
    const file = async (path: string) =>
      await (
        await fetch(app.url + path, { headers: { Cookie: root.cookie, 'New-Api-User': String(root.id) } })
      ).text();

    test('only the super admin reads it', async () => {
      const admin = await app.actor({ role: ROLE.admin });
      for (const path of ['/api/audit/', '/api/audit/actions', '/api/audit/verify', '/api/audit/export'])
        expect((await app.request(path, { as: admin })).status).toBe(403);
    });

    test('pages follow a row in both directions and count the whole filter', async () => {
      const first = await list({ action: 'sample.made', page_size: 10 });
      expect(first.total).toBe(25);
      expect(first.items.map(({ target }) => target)).toEqual(
        Array.from({ length: 10 }, (_, index) => `thing:${25 - index}`),
      );
      const before_id = first.items.at(-1)?.id;
      const second = await list({ action: 'sample.made', page_size: 10, before_id });
      expect(second.items.map(({ target }) => target)).toEqual(
        Array.from({ length: 10 }, (_, index) => `thing:${15 - index}`),
      );
      const back = await list({ action: 'sample.made', page_size: 10, after_id: second.items[0]?.id });
      expect(back.items).toEqual(first.items);
      const last = await list({ action: 'sample.made', page_size: 10, before_id: second.items.at(-1)?.id });
      expect(last.items).toHaveLength(5);
    });

    test('a filter takes a whole action or its kind, a whole target or its kind, a name or an id, and a time', async () => {
      expect((await list({ action: 'sample' })).total).toBe(26);
      expect(await targets({ action: 'sample.removed' })).toEqual(['thing:3']);
      expect(await targets({ target: 'thing:3' })).toEqual(['thing:3', 'thing:3']);
      expect((await list({ target: 'thing' })).total).toBe(26);
      expect((await list({ actor: 'BEN' })).total).toBe(2);
      expect((await list({ actor: '7' })).total).toBe(25);
      expect((await list({ actor: 'ana', target: 'thing:9' })).total).toBe(1);
      expect((await list({ action: '%' })).total).toBe(0);
      const now = Math.floor(Date.now() / 1000);
      expect((await list({ action: 'sample', start_timestamp: now + 60 })).total).toBe(0);
      expect((await list({ action: 'sample', end_timestamp: now + 60 })).total).toBe(26);
    });

    test('the endpoint lists the actions that occur', async () => {
      expect(await app.client(root).audit.actions()).toEqual(
        expect.arrayContaining(['sample.made', 'sample.removed', 'session.start']),
      );
    });

    test('fields named like a secret are shown neither in the list nor in the export', async () => {
      await write('sample.secret', 'thing:99', 'ana', 7, {
        name: 'x',
        password: 'hunter2-canary',
        key: 'sk-canary',
      });
      const { items } = await list({ action: 'sample.secret' });
      expect(JSON.parse(items[0]?.after ?? '')).toEqual({ name: 'x', password: '•••', key: '•••' });
      expect(await file('/api/audit/export?action=sample.secret&format=jsonl')).not.toContain('canary');
    });

    test('the export has every row of the filter, as CSV without formulas or as JSON lines, and is audited itself (plan S16)', async () => {
      await write('sample.formula', '=1+1', 'ana', 7);
      const csv = await file('/api/audit/export?action=sample');
      const lines = csv.trim().split('\r\n');
      expect(lines[0]).toBe(
        'id,created_at,actor_id,actor_name,ip,action,target,before,after,request_id,hash',
      );
      expect(lines).toHaveLength(1 + (await list({ action: 'sample' })).total);
      expect(csv).toContain(`"'=1+1"`);
      faultSeen('S16', 'a formula in the audit trail: text in the file');
      const rows = (await file('/api/audit/export?action=sample.made&format=jsonl')).trim().split('\n');
      expect(rows).toHaveLength(25);
      expect(JSON.parse(rows[0] ?? '')).toMatchObject({ action: 'sample.made', target: 'thing:25' });
      const { items } = await list({ action: 'audit.export' });
      expect(items[0]).toMatchObject({ actor_name: 'root', target: 'audit' });
    });

    test('the chain is intact until a row is altered by SQL, and then the check names the row', async () => {
      const { items } = await list({ action: 'sample.removed' });
      const id = items[0]?.id ?? 0;
      const whole = await app.client(root).audit.verify();
      expect(whole).toMatchObject({ broken_id: null });
      expect(whole.rows).toBeGreaterThan(27);
      expect(whole.last_hash).toMatch(/^[0-9a-f]{64}$/);
      await tamper(`update audit set target = 'thing:4' where id = ${id}`);
      expect(await app.client(root).audit.verify()).toMatchObject({ broken_id: id });
      await tamper(`update audit set target = 'thing:3' where id = ${id}`);
      expect(await app.client(root).audit.verify()).toMatchObject({ broken_id: null });
    });

    /** As an attacker with access to the database would: disables the triggers first. */
    async function tamper(statement: string): Promise<void> {
      const { db } = app.store;
      if (database === 'postgres') {
        await sql`alter table audit disable trigger all`.execute(db);
        await sql.raw(statement).execute(db);
        await sql`alter table audit enable trigger all`.execute(db);
        return;
      }
      const { rows } = await sql<{ name: string; sql: string }>`
        select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'audit'`.execute(db);
      for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(db);
      await sql.raw(statement).execute(db);
      for (const trigger of rows) await sql.raw(trigger.sql).execute(db);
    }
  });
}
