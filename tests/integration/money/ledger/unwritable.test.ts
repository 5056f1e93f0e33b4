// M3: the database file of SQLite cannot be written (disk full, IO error, lock of another process). New calls are refused at once,
// ending calls are stored in the spool, and when the fault is over everything is booked once and each user can spend the rest.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { LedgerUnavailableError } from '#server/money/ledger/ledger.ts';
import { createHealth } from '#server/admin/http/health.ts';
import { isUnavailable } from '#server/platform/store/errors.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { lockDatabaseFile } from '#tests/support/file-lock.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { canMount, mountSmallDisk, unmount } from '#tests/support/small-disk.ts';
import { createWorld, failureOf, logRow, newId, outcome, reserve, type World } from './world.ts';

setDefaultTimeout(60_000);

const balance = 100_000;

describe('M3 the SQLite file cannot be written', () => {
  let place: TemporaryPlace;
  let store: Store;
  let world: World;
  let userId: number;
  let tokenId: number;

  const openHere = () =>
    openStore({ dataDir: place.dataDir, writerEntry: new URL('faulty-writer.ts', import.meta.url) });

  beforeEach(async () => {
    place = await temporaryPlace('sqlite');
    store = await openHere();
    world = await createWorld(store, { dataDir: place.dataDir });
    userId = await world.user(balance);
    tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: balance });
  });
  afterEach(async () => {
    await world.close();
    await store.close();
    await place.remove();
  });

  const faultFile = () => `${databaseFile(place.dataDir)}.fault`;
  const breakFile = (fault: string) => writeFileSync(faultFile(), fault);
  const repairFile = () => rmSync(faultFile());

  /** Lines in the spools of this directory. */
  function spooled(): string[] {
    const directory = join(place.dataDir, 'spool');
    const files = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
    return files.flatMap((name) => readFileSync(join(directory, name), 'utf8').match(/[^\n]+/g) ?? []);
  }

  /** The hold has its row in the database, with this checkpoint. */
  async function rowWritten(requestId: string, checkpoint = 0): Promise<void> {
    for (let wait = 0; wait < 1000; wait += 1) {
      const rows = await store.db.selectFrom('holds').selectAll().where('id', '=', requestId).execute();
      if (rows.some((row) => row.dispatched === 1 && row.checkpoint_quota === checkpoint)) return;
      await Bun.sleep(20);
    }
    throw new Error('the hold got no row');
  }

  /** Some with a row, most in memory only. */
  async function openCalls(count: number): Promise<string[]> {
    const first = await reserve(world.ledger, userId, tokenId, 500);
    world.ledger.dispatched(first.requestId);
    await rowWritten(first.requestId);
    // The writer admits one call and returns the balance; the next ones are admitted in memory.
    const ids = [first.requestId];
    while (ids.length < count) {
      const { requestId, admission } = await reserve(world.ledger, userId, tokenId, 500);
      expect(admission.ok).toBe(true);
      ids.push(requestId);
    }
    return ids;
  }

  const settle = (requestId: string, charge = 100) =>
    world.ledger.settle(requestId, outcome(charge, { log: logRow(userId, tokenId) }));

  async function expectBooked(calls: number, quota: number): Promise<void> {
    expect(await world.findUser(userId)).toMatchObject({
      quota,
      held_quota: 0,
      used_quota: balance - quota,
      request_count: calls,
    });
    expect(await world.findToken(tokenId)).toMatchObject({ remain_quota: quota, held_quota: 0 });
    const logs = await store.db.selectFrom('logs').select('quota').where('type', '=', 2).execute();
    expect(logs).toHaveLength(calls);
    expect(logs.reduce((sum, row) => sum + row.quota, 0)).toBe(balance - quota);
    expect(spooled()).toEqual([]);
    expect(await checkInvariants(store)).toEqual([]);
    // No one is locked out: the whole rest can be spent.
    const { requestId, admission } = await reserve(world.ledger, userId, tokenId, quota);
    expect(admission).toMatchObject({ ok: true, balance: 0 });
    await world.ledger.release(requestId);
  }

  test('a call in memory that failed meanwhile has its log row and counts as failed afterwards', async () => {
    const [, requestId = ''] = await openCalls(2);
    breakFile('SQLITE_FULL');
    const log = { ...logRow(userId, tokenId), type: 5 };
    await world.ledger.release(requestId, { channelId: 7, modelName: 'gpt-4o', useTimeMs: 5, log });
    repairFile();
    await world.available();
    const logs = await store.db.selectFrom('logs').select(['request_id', 'type']).execute();
    expect(logs).toEqual([{ request_id: requestId, type: 5 }]);
    const hours = await store.db.selectFrom('usage_hours').select(['count', 'error_count']).execute();
    expect(hours).toEqual([{ count: 0, error_count: 1 }]);
  });

  for (const fault of ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY']) {
    test(`${fault}: running calls end, new ones are refused at once, everything is booked once afterwards`, async () => {
      const ids = await openCalls(30);
      // Their balance is known in memory: they could be admitted without the file.
      const otherUser = await world.user(1000);
      const otherToken = await world.token(otherUser);
      await world.ledger.release((await reserve(world.ledger, otherUser, otherToken, 10)).requestId);
      breakFile(fault);
      const settlements = await Promise.all(ids.slice(0, 20).map((id) => settle(id)));
      expect(settlements.every(({ charged }) => charged === 100)).toBe(true);
      const failure = { channelId: 7, modelName: 'gpt-4o', useTimeMs: 5 };
      await Promise.all(ids.slice(20, 25).map((id) => world.ledger.release(id, failure)));
      expect(world.alerts.map(({ kind }) => kind)).toEqual(['unavailable']);
      expect(spooled()).toHaveLength(25);
      using clock = startRunClock();
      const started = Date.now();
      for (let tries = 0; tries < 20; tries += 1) {
        const refusal = await failureOf(reserve(world.ledger, userId, tokenId, 1));
        expect(refusal).toBeInstanceOf(LedgerUnavailableError);
        const other = await failureOf(reserve(world.ledger, otherUser, otherToken, 1));
        expect(other).toBeInstanceOf(LedgerUnavailableError);
      }
      expect(await failureOf(world.ledger.extend(ids[25] ?? '', 1))).toBeInstanceOf(LedgerUnavailableError);
      expect(clock.between(started, Date.now())).toBeLessThan(1000);
      // Several probes fail meanwhile.
      await Bun.sleep(1200);
      repairFile();
      await world.available();
      for (const id of ids.slice(25)) await settle(id);
      await expectBooked(25, balance - 2500);
    });
  }

  test('only what fails is an outage: an operation that is refused for itself is not', async () => {
    const { requestId } = await reserve(world.ledger, userId, 0, 10);
    expect(await failureOf(reserve(world.ledger, userId, 0, 10, { requestId }))).toBeInstanceOf(Error);
    expect((await reserve(world.ledger, userId, tokenId, 10)).admission.ok).toBe(true);
    expect(world.alerts).toEqual([]);
  });

  test('a checkpoint that cannot be written stops new calls before any settlement fails', async () => {
    const [id = ''] = await openCalls(2);
    breakFile('SQLITE_FULL');
    world.ledger.dispatched(id, { quota: 50, promptTokens: 1, completionTokens: 1, channelId: 7 });
    while (world.alerts.length === 0) await Bun.sleep(10);
    expect(await failureOf(reserve(world.ledger, userId, tokenId, 1))).toBeInstanceOf(LedgerUnavailableError);
    repairFile();
    await world.available();
    await settle(id);
    expect((await reserve(world.ledger, userId, tokenId, 1)).admission.ok).toBe(true);
  });

  test('while a full file refuses new spending, the node says that it is not ready, and why (N34)', async () => {
    const health = createHealth(store, world.ledger);
    const readiness = async () => {
      const answer = await health.ready();
      return [answer.status, await answer.json()];
    };
    /** SQLite itself refuses to let the file grow, as on a full disk; it still reads. */
    const limitPages = (pages: number) =>
      store.db
        .transaction()
        .execute((transaction) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(transaction));
    expect(await readiness()).toEqual([200, { status: 'ready' }]);
    // One is the least: SQLite takes the size of the file instead.
    await limitPages(1);
    const log = { ...logRow(userId, tokenId), other: JSON.stringify({ text: 'x'.repeat(20_000) }) };
    while (world.ledger.isWritable) {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
      await world.ledger.settle(requestId, outcome(1, { log }));
    }
    expect(await failureOf(reserve(world.ledger, userId, tokenId, 1))).toBeInstanceOf(LedgerUnavailableError);
    expect(await readiness()).toEqual([503, { status: 'not writable' }]);
    await limitPages(1_000_000);
    await world.available();
    expect(await readiness()).toEqual([200, { status: 'ready' }]);
    expect((await reserve(world.ledger, userId, tokenId, 1)).admission.ok).toBe(true);
  });

  test('a file that takes writes again admits no call before the spool is booked', async () => {
    const [id = ''] = await openCalls(2);
    breakFile('SQLITE_FULL');
    // Beyond its hold: a call that is admitted now could spend what this settlement takes.
    await settle(id, 800);
    repairFile();
    const early = await reserve(world.ledger, userId, tokenId, 1).catch((error: unknown) => error);
    const isBooked = world.alerts.some(({ kind }) => kind === 'available');
    if (!isBooked) expect(early).toBeInstanceOf(LedgerUnavailableError);
    await world.available();
    expect((await world.findUser(userId)).quota).toBe(balance - 800);
  });

  test('money that a spooled settlement needs cannot be spent before it is booked', async () => {
    await openCalls(1);
    // The whole rest, in memory only.
    const { requestId, admission } = await reserve(world.ledger, userId, tokenId, balance - 500);
    expect(admission.ok).toBe(true);
    breakFile('SQLITE_FULL');
    expect(await settle(requestId, balance - 500)).toMatchObject({ charged: balance - 500 });
    const idem = newId();
    const debit = { idem, userId, amount: 1000, to: 'world:admin', kind: 'admin', reference: '' } as const;
    // The holds cannot be written before this transaction, and are in memory again.
    expect(isUnavailable(await failureOf(world.ledger.debit(debit)))).toBe(true);
    repairFile();
    // Before the next probe.
    expect(await world.ledger.debit(debit)).toMatchObject({ ok: false, reason: 'insufficient_quota' });
    await world.available();
    expect(await world.findUser(userId)).toMatchObject({ quota: 500, held_quota: 500 });
    expect(world.alerts.filter(({ kind }) => kind === 'suspense')).toEqual([]);
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('a task that ends again and again during the fault is one line, and is charged once', async () => {
    const { requestId } = await reserve(world.ledger, userId, tokenId, 500, { lifetime: 'task' });
    breakFile('SQLITE_FULL');
    for (let tries = 0; tries < 5; tries += 1) await settle(requestId);
    expect(spooled()).toHaveLength(1);
    repairFile();
    await world.available();
    await expectBooked(1, balance - 100);
  });

  for (const fault of ['SQLITE_FULL', 'lost']) {
    test(`${fault}: the process ends during the fault; the next one books the spool at its start, before it recovers holds`, async () => {
      const [free = '', ...ids] = await openCalls(11);
      world.ledger.dispatched(ids[1] ?? '', {
        quota: 30,
        promptTokens: 1,
        completionTokens: 1,
        channelId: 7,
      });
      await rowWritten(ids[1] ?? '', 30);
      breakFile(fault);
      for (const id of ids) expect(await settle(id)).toMatchObject({ charged: 100 });
      // A charge of zero has a record too: it is counted and logged once.
      await settle(free, 0);
      await world.ledger.close();
      await store.close();
      expect(spooled()).toHaveLength(11);
      repairFile();
      store = await openHere();
      world = await createWorld(store, { dataDir: place.dataDir });
      await expectBooked(11, balance - 1000);
    });
  }

  test('another process locks the file for four seconds or longer: every call that ended is charged once', async () => {
    const ids = await openCalls(20);
    const lock = await lockDatabaseFile(databaseFile(place.dataDir));
    const started = performance.now();
    const settlements = await Promise.all(ids.slice(0, 10).map((id) => settle(id)));
    expect(settlements.every(({ charged }) => charged === 100)).toBe(true);
    // Refused at once: not behind an operation that waits for the lock.
    const waiting = world.ledger.probe().then(
      () => 'answered',
      () => 'answered',
    );
    const refusal = failureOf(reserve(world.ledger, userId, tokenId, 1));
    expect(await Promise.race([waiting, refusal])).toBeInstanceOf(LedgerUnavailableError);
    await Promise.all(ids.slice(10).map((id) => settle(id)));
    await Bun.sleep(Math.max(0, 4000 - (performance.now() - started)));
    await lock.release();
    await world.available();
    await waiting;
    await expectBooked(20, balance - 2000);
  });
});

test.skipIf(!canMount)(
  'M3 a disk that is really full: the reserve of the spool takes the ends of the running calls',
  async () => {
    const place = await temporaryPlace('sqlite');
    expect(mountSmallDisk(place.dataDir, '16m')).toBe(true);
    const store = await openStore({
      dataDir: place.dataDir,
      writerEntry: new URL('../../../../server/app/writer.ts', import.meta.url),
    });
    const world = await createWorld(store, { dataDir: place.dataDir });
    try {
      const users: { userId: number; ids: string[] }[] = [];
      for (let count = 0; count < 10; count += 1) {
        const userId = await world.user(balance);
        const tokenId = await world.token(userId);
        const ids: string[] = [];
        while (ids.length < 50) ids.push((await reserve(world.ledger, userId, tokenId, 500)).requestId);
        users.push({ userId, ids });
      }
      const ballast = join(place.dataDir, 'ballast');
      // The last bytes too: SQLite's log must not fit.
      for (let bytes = 16 << 20; bytes >= 1;) {
        try {
          writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
        } catch {
          bytes >>= 1;
        }
      }
      expect(statSync(ballast).size).toBeGreaterThan(1 << 20);
      const settled = users.flatMap(({ userId, ids }) =>
        ids.map((id) => {
          // As long as real ones are, so that the log of SQLite needs room.
          const log = { ...logRow(userId, 0), other: JSON.stringify({ text: 'x'.repeat(1000) }) };
          return world.ledger.settle(id, outcome(100, { log }));
        }),
      );
      expect((await Promise.all(settled)).every(({ charged }) => charged === 100)).toBe(true);
      expect(world.alerts.some(({ kind }) => kind === 'unavailable')).toBe(true);
      expect(world.alerts.filter(({ kind }) => kind === 'fault')).toEqual([]);
      rmSync(ballast);
      await world.available();
      for (const { userId } of users) {
        expect(await world.findUser(userId)).toMatchObject({ quota: balance - 5000, held_quota: 0 });
        const { admission } = await reserve(world.ledger, userId, 0, balance - 5000);
        expect(admission.ok).toBe(true);
      }
      expect(await checkInvariants(store)).toEqual([]);
    } finally {
      await world.ledger.close();
      await store.close();
      unmount(place.dataDir);
      await place.remove();
    }
  },
);
