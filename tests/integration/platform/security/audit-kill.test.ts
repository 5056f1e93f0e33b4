// SIGKILL between a change and its audit row, and at random moments under load: no change without its row, no row
// without its change, and the chain stays intact.
import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import {
  applicationWriter,
  backendIsGone,
  temporaryPlace,
  type DatabaseLabel,
} from '#tests/support/databases.ts';
import { dice } from '#tests/support/random.ts';

interface Place {
  dataDir: string;
  databaseUrl?: string | undefined;
}

const ROUNDS = 3;
const open = (place: Place) => openStore({ ...place, writerEntry: applicationWriter });

function startChild({ dataDir, databaseUrl = '' }: Place, mode: 'once' | 'load', run: string) {
  const script = new URL('audit-kill-child.ts', import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, dataDir, databaseUrl, mode, run], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const state = { text: '' };
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const piece of child.stdout) state.text += decoder.decode(piece);
  })();
  return {
    state,
    async printed(word: string): Promise<void> {
      while (!state.text.includes(word)) {
        if (child.exitCode !== null) throw new Error(`the child ended before "${word}"`);
        await Bun.sleep(20);
      }
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await child.exited;
      await reading;
    },
  };
}

/** Makes the insert of one audit row take seconds: longer than the test waits before the kill. */
async function slowDownRename(store: Store): Promise<void> {
  const statements =
    store.dialect === 'sqlite'
      ? [
          'create table ticks (n integer not null)',
          `insert into ticks select value from json_each('[${Array.from({ length: 2000 }).fill(1).join(',')}]')`,
          `create trigger slow_audit before insert on audit when new.action = 'user.rename'
           begin select count(*) from ticks a, ticks b, ticks c where a.n + b.n + c.n > 0; end`,
        ]
      : [
          `create function slow_audit() returns trigger language plpgsql as
           $$ begin if new.action = 'user.rename' then perform pg_sleep(8); end if; return new; end $$`,
          'create trigger slow_audit before insert on audit for each row execute function slow_audit()',
        ];
  for (const statement of statements) await sql.raw(statement).execute(store.db);
}

/** PostgreSQL shows that the insert has begun; on SQLite the writer begins it within milliseconds. */
async function insertHasBegun(watcher: Store | undefined): Promise<void> {
  if (watcher === undefined) return await Bun.sleep(1000);
  for (;;) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`.execute(watcher.db);
    if (rows.length > 0) return;
    await Bun.sleep(50);
  }
}

for (const label of ['sqlite', 'postgres'] satisfies DatabaseLabel[]) {
  describe(label, () => {
    test('killed between the change and its audit row: neither exists', async () => {
      const place = await temporaryPlace(label);
      const prepared = await open(place);
      await slowDownRename(prepared);
      // SQLite serves one process; on PostgreSQL this store watches the other process.
      if (label === 'sqlite') await prepared.close();
      const child = startChild(place, 'once', 'renamed');
      await child.printed('sending');
      await insertHasBegun(label === 'sqlite' ? undefined : prepared);
      await child.kill();
      if (label === 'postgres') await prepared.close();
      expect(child.state.text).not.toContain('answered');
      const store = await open(place);
      await backendIsGone(store);
      const { display_name } = await store.db
        .selectFrom('users')
        .select('display_name')
        .where('username', '=', 'root')
        .executeTakeFirstOrThrow();
      const rows = await store.db.selectFrom('audit').select('action').orderBy('id').execute();
      expect(display_name).toBe('Root User');
      expect(rows.map(({ action }) => action)).toEqual(['session.start']);
      expect(await checkTrail(store)).toMatchObject({ fault: null });
      await store.close();
      await place.remove();
    }, 180_000);

    test(`${ROUNDS} times killed under load: changes and audit rows are the same`, async () => {
      const place = await temporaryPlace(label);
      let created = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const child = startChild(place, 'load', `run${round}`);
        await child.printed('created');
        await Bun.sleep(100 + dice.next() * 300);
        await child.kill();
        created += child.state.text.split('created').length - 1;
      }
      const store = await open(place);
      await backendIsGone(store);
      await compare(store, created);
      await store.close();
      await place.remove();
    }, 240_000);
  });
}

async function compare(store: Store, acknowledged: number): Promise<void> {
  const rows = await store.db.selectFrom('audit').selectAll().orderBy('id').execute();
  const created = rows.filter(({ action }) => action === 'token.create');
  const tokens = await store.db.selectFrom('tokens').select('id').orderBy('id').execute();
  const audited = created.flatMap(({ after }) => (JSON.parse(after) as { ids: number[] }).ids);
  expect(audited.sort((left, right) => left - right)).toEqual(tokens.map(({ id }) => id));
  expect(tokens.length).toBeGreaterThanOrEqual(acknowledged);
  const renames = rows.filter(({ action }) => action === 'user.rename');
  const { display_name } = await store.db
    .selectFrom('users')
    .select('display_name')
    .where('username', '=', 'root')
    .executeTakeFirstOrThrow();
  const last = renames.at(-1)?.after ?? '{}';
  expect((JSON.parse(last) as { display_name?: string }).display_name).toBe(display_name);
  expect(renames.length).toBeGreaterThan(0);
  expect(await checkTrail(store)).toMatchObject({ fault: null });
}
