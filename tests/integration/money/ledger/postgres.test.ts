// The ledger's cache of PostgreSQL rows between batches: a change by another node is noticed, at the latest by the
// writing statement. And a crash of the server: it may lose holds of running calls, but no charge.
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { sql } from 'kysely';
import { Client, type ClientBase } from 'pg';
import { BUDGETS_OF_UTC, budgetCalendar } from '#contract/money/budget-windows.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { NOTHING_IN_MEMORY, type Operation } from '#server/money/ledger/engine/operations.ts';
import { runBatch } from '#server/money/ledger/postgres/batch.ts';
import { typesText } from '#server/money/ledger/postgres/write.ts';
import { KnownRows } from '#server/money/ledger/postgres/known.ts';
import { isCheckViolation } from '#server/platform/store/errors.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { crashPostgres } from '#tests/chaos/crash-postgres.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startPostgres, type PostgresServer } from '#tests/support/postgres.ts';
import { createWorld, failureOf, grant, logRow, newId, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

describe('rows cached between batches', () => {
  let place: TemporaryPlace;
  let store: Store;
  let world: World;

  beforeEach(async () => {
    place = await temporaryPlace('postgres');
    store = await openStore({
      dataDir: place.dataDir,
      databaseUrl: place.databaseUrl,
      writerEntry: applicationWriter,
    });
    world = await createWorld(store, { nodeId: 'node-1' });
  });
  afterEach(async () => {
    expect(await checkInvariants(store)).toEqual([]);
    await world.close();
    await store.close();
    await place.remove();
  });

  async function call(userId: number, tokenId: number, charge: number): Promise<void> {
    const { requestId, admission } = await reserve(world.ledger, userId, tokenId, 500);
    expect(admission.ok).toBe(true);
    await world.ledger.settle(requestId, outcome(charge, { log: logRow(userId, tokenId) }));
  }

  test('a text with what ends a text, a row or a list is stored as it is, alone and among others', async () => {
    const userId = await world.user(100_000);
    const tokenId = await world.token(userId);
    const texts = [
      '"',
      '\\',
      '\\"',
      '{"a":"b\\n"}',
      'x,(y),{z}',
      '',
      'NULL',
      ' a ',
      "it's",
      '中\n文\t😀',
      '\\N',
    ];
    const settle = async (text: string): Promise<string> => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 10);
      const log = { ...logRow(userId, tokenId), token_name: text, other: text };
      await world.ledger.settle(requestId, outcome(10, { log }));
      return requestId;
    };
    const stored = async (requestId: string) =>
      await store.db
        .selectFrom('logs')
        .select(['token_name', 'other'])
        .where('request_id', '=', requestId)
        .executeTakeFirst();
    for (const text of texts)
      expect(await stored(await settle(text))).toEqual({ token_name: text, other: text });
    const ids = await Promise.all(texts.map(settle));
    for (const [index, text] of texts.entries())
      expect(await stored(ids[index] ?? '')).toEqual({ token_name: text, other: text });
  });

  test('admissions and refusals use the current rows, not the cached ones', async () => {
    const userId = await world.user(1000);
    const tokenId = await world.token(userId);
    await call(userId, tokenId, 900);
    expect((await reserve(world.ledger, userId, tokenId, 500)).admission).toMatchObject({
      reason: 'insufficient_user_quota',
      balance: 100,
    });
    await grant(world.ledger, userId, 5000);
    await call(userId, tokenId, 100);
    await store.db.updateTable('tokens').set({ status: 2 }).where('id', '=', tokenId).execute();
    expect((await reserve(world.ledger, userId, tokenId, 1)).admission).toMatchObject({
      reason: 'token_unavailable',
    });
    await store.db.updateTable('tokens').set({ status: 1 }).where('id', '=', tokenId).execute();
    await call(userId, tokenId, 100);
    await store.db.updateTable('users').set({ status: 2 }).where('id', '=', userId).execute();
    expect((await reserve(world.ledger, userId, tokenId, 1)).admission).toMatchObject({
      reason: 'user_unavailable',
    });
    await store.db
      .updateTable('users')
      .set({ status: 1, concurrent_calls: 1 })
      .where('id', '=', userId)
      .execute();
    const running = await reserve(world.ledger, userId, tokenId, 0);
    expect(running.admission.ok).toBe(true);
    expect((await reserve(world.ledger, userId, tokenId, 0)).admission).toMatchObject({
      reason: 'concurrent_calls',
    });
    await world.ledger.release(running.requestId);
    expect(await world.findUser(userId)).toMatchObject({ quota: 4900, held_quota: 0, used_quota: 1100 });
  });

  test('a free call of a limited user counts at once on every node', async () => {
    const other = await world.reopen({ nodeId: 'node-2' });
    const userId = await world.user(1000, { requests_per_minute: 5 });
    const admissions = [];
    for (let round = 0; round < 4; round += 1) {
      for (const ledger of [world.ledger, other]) {
        const { requestId, admission } = await reserve(ledger, userId, 0, 0);
        admissions.push(admission.ok);
        if (admission.ok) await ledger.release(requestId);
      }
    }
    expect(admissions).toEqual([true, true, true, true, true, false, false, false]);
  });

  test('the admission of a free call writes the row whose limit counts it, so that other nodes count again', async () => {
    const versions = async (userId: number, tokenId: number) => {
      const { rows } = await sql<{ version: string }>`
        select xmin::text as version from users where id = ${userId}
        union all select xmin::text from tokens where id = ${tokenId}`.execute(store.db);
      return rows.map(({ version }) => version);
    };
    const limited = { concurrent_calls: 3 };
    for (const [ofUser, ofToken] of [
      [limited, {}],
      [{}, limited],
    ]) {
      const userId = await world.user(1000, ofUser);
      const tokenId = await world.token(userId, ofToken);
      const [userBefore, tokenBefore] = await versions(userId, tokenId);
      const { requestId, admission } = await reserve(world.ledger, userId, tokenId, 0);
      expect(admission.ok).toBe(true);
      const [userAfter, tokenAfter] = await versions(userId, tokenId);
      if (ofUser === limited) expect(userAfter).not.toBe(userBefore);
      else expect(tokenAfter).not.toBe(tokenBefore);
      await world.ledger.release(requestId);
    }
  });

  test('a call whose hold was lost in a crash of the server is still charged, once', async () => {
    const userId = await world.user(1000);
    const tokenId = await world.token(userId);
    const { requestId } = await reserve(world.ledger, userId, tokenId, 500);
    // As after a crash: neither the hold row nor its held amount exists.
    await store.db.deleteFrom('holds').where('id', '=', requestId).execute();
    for (const table of ['users', 'tokens'] as const)
      await store.db.updateTable(table).set({ held_quota: 0 }).execute();
    expect(await world.ledger.extend(requestId, 10)).toBe(false);
    const ended = outcome(321, { log: logRow(userId, tokenId) });
    expect(await world.ledger.settle(requestId, ended)).toMatchObject({ charged: 321, duplicate: false });
    expect(await world.ledger.settle(requestId, ended)).toMatchObject({ charged: 321, duplicate: true });
    expect(await world.findUser(userId)).toMatchObject({ quota: 679, held_quota: 0, used_quota: 321 });
  });

  test('no statement stores a negative or inexact amount, more held than the balance, or an unknown status', async () => {
    const userId = await world.user(1000);
    const tokenId = await world.token(userId);
    await world.channel();
    const { requestId } = await reserve(world.ledger, userId, tokenId, 10);
    const tooMuch = 2 ** 53;
    const refused = {
      users: `quota = -1; quota = ${tooMuch}; held_quota = 1001; held_quota = -1; used_quota = -1; status = 4; role = 2`,
      tokens: `remain_quota = -1; held_quota = -1; used_quota = ${tooMuch}; status = 5; unlimited_quota = 2`,
      holds: `amount = -1; amount = ${tooMuch}; checkpoint_quota = -1; dispatched = 2`,
      channels: 'used_quota = -1; status = 0; auto_ban = 2; max_concurrency = -1',
    };
    for (const [table, changes] of Object.entries(refused)) {
      for (const change of changes.split('; ')) {
        const statement = sql.raw(`update ${table} set ${change}`);
        expect(isCheckViolation(await failureOf(statement.execute(store.db)))).toBe(true);
      }
    }
    await world.ledger.release(requestId);
  });

  describe('round trips', () => {
    let client: Client;
    let other: Client;
    let sent: string[];
    let counted: ClientBase;
    let known: KnownRows;
    const identity = { nodeId: 'node-1', epoch: 1 };

    beforeEach(async () => {
      const connectionString = place.databaseUrl;
      client = new Client({ connectionString });
      other = new Client({ connectionString });
      await client.connect();
      await client.query(typesText);
      await other.connect();
      sent = [];
      known = new KnownRows(identity.nodeId);
      counted = new Proxy(client, {
        get(target, property) {
          if (property !== 'query') return Reflect.get(target, property) as unknown;
          return (query: string | { name: string }) => {
            sent.push(
              typeof query === 'string' ? query : query.name.replace(/^ledger-[sf][a-zA-Z]+$/, 'write'),
            );
            return target.query(query as string);
          };
        },
      });
    });
    afterEach(async () => {
      await client.end();
      await other.end();
    });

    const run = (...operations: Operation[]) => {
      sent = [];
      const circumstances = {
        identity,
        lowBalanceThreshold: -1,
        budgets: budgetCalendar(BUDGETS_OF_UTC),
        isSynced: true,
      };
      return runBatch(counted, known, operations, circumstances);
    };
    const opening = (requestId: string, userId: number, tokenId: number): Operation => ({
      kind: 'reserve',
      requestId,
      userId,
      tokenId,
      amount: 100,
      tokens: 10,
      expiresAt: Math.floor(Date.now() / 1000) + 600,
      snapshot: '',
      lifetime: 'call',
      memoryHeld: NOTHING_IN_MEMORY,
    });
    const ending = (requestId: string, userId: number, tokenId: number, charge: number): Operation => ({
      kind: 'settle',
      requestId,
      at: 0,
      charge,
      tokenDifference: 0,
      channelId: 0,
      modelName: 'model',
      promptTokens: 1,
      completionTokens: 1,
      useTimeMs: 1,
      firstTokenMs: 1,
      errorCount: 0,
      log: null,
      owner: { userId, tokenId },
      memoryHeld: NOTHING_IN_MEMORY,
    });
    const admitted = (balance: number) => ({ ok: true, amount: 100, balance });
    const paid = (charged: number, balance: number) => ({
      charged,
      balance,
      suspense: 0,
      aboveHold: 0,
      duplicate: false,
      hadHold: true,
      tokenStatus: 0,
    });

    test('a batch of cached rows takes one round trip, of uncached rows two, and rows another connection changed are locked', async () => {
      const [userId, stranger] = [await world.user(1000), await world.user(1000)];
      const tokenId = await world.token(userId);
      const [first, second, third, fourth] = [newId(), newId(), newId(), newId()];
      expect(await run(opening(first, userId, tokenId))).toEqual([admitted(900)]);
      expect(sent).toEqual(['ledger-read', 'write']);
      expect(await run(ending(first, userId, tokenId, 70), opening(second, userId, tokenId))).toEqual([
        paid(70, 930),
        admitted(830),
      ]);
      expect(sent).toEqual(['write']);
      await grant(world.ledger, userId, 1);
      expect(await run(ending(second, userId, tokenId, 30), opening(third, stranger, 0))).toEqual([
        paid(30, 901),
        admitted(900),
      ]);
      // Uncached rows were read for this batch, so none was stale.
      expect(sent).toEqual(['ledger-read', 'write']);
      await grant(world.ledger, userId, 1);
      expect(await run(opening(fourth, userId, tokenId))).toEqual([admitted(802)]);
      expect(sent).toEqual(['write', 'begin', 'ledger-lock', 'write', 'commit']);
      expect(await run(ending(fourth, userId, tokenId, 0), ending(third, stranger, 0, 0))).toHaveLength(2);
    });

    test('the failure of a call without a row that is sent again is logged once, also when it failed to be sent', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const log = { ...logRow(userId, tokenId), type: 5 };
      const failed: Operation = {
        kind: 'release',
        requestId: newId(),
        at: 0,
        tokenDifference: 0,
        failure: { channelId: 7, modelName: 'model', useTimeMs: 1, log },
        owner: { userId, tokenId },
        slice: { id: '', amount: 0 },
        isAgain: true,
      };
      expect(await run(failed)).toEqual([true]);
      expect(await run(failed)).toEqual([false]);
      const logged = store.db.selectFrom('logs').select('type').where('request_id', '=', failed.requestId);
      expect(await logged.execute()).toEqual([{ type: 5 }]);
    });

    test('a batch that waits for a lock works on the rows that the lock’s owner committed', async () => {
      const userId = await world.user(1000);
      const id = newId();
      await run(opening(id, userId, 0));
      await other.query('begin');
      await other.query('select 1 from users where id = $1 for no key update', [userId]);
      const waiting = run(opening(newId(), userId, 0), ending(id, userId, 0, 50));
      for (let wait = 0; wait < 2000; wait += 1) {
        const { rows } = await other.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        if (rows.length > 0) break;
        await Bun.sleep(10);
      }
      await other.query(`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind)
        values ('seven', 1, ${userId}, 'world:admin', 'user:${userId}', 7, 'admin')`);
      await other.query('update users set quota = quota + 7 where id = $1', [userId]);
      await other.query('commit');
      expect(await waiting).toEqual([admitted(807), paid(50, 857)]);
      expect(sent).toEqual(['write', 'begin', 'ledger-lock', 'write', 'commit']);
      expect(await world.findUser(userId)).toMatchObject({ quota: 957, held_quota: 100, used_quota: 50 });
    });
  });
});

describe('a server that crashes', () => {
  let server: PostgresServer;
  let place: TemporaryPlace;
  let store: Store;
  let world: World;
  beforeAll(async () => {
    // The WAL writer sleeps, so that only synced commits are on the disk.
    server = await startPostgres(['wal_writer_delay=10000']);
    place = await temporaryPlace('sqlite');
    store = await openStore({
      dataDir: place.dataDir,
      databaseUrl: server.url,
      writerEntry: applicationWriter,
      onFault: () => {},
    });
    world = await createWorld(store);
  });
  afterAll(async () => {
    await world.close();
    await store.close();
    await place.remove();
    await server.stop();
  });

  /** Waits until the server has dropped every connection, recovered from its log and serves again. */
  async function crashAndReturn(): Promise<void> {
    const witness = new Client({ connectionString: server.url });
    const dropped = new Promise<void>((resolve) => witness.on('error', () => resolve()));
    await witness.connect();
    await crashPostgres(server.pid);
    await dropped;
    for (let wait = 0; wait < 1600; wait += 1) {
      const client = new Client({ connectionString: server.url });
      client.on('error', () => {});
      const isBack = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => {});
      if (isBack) return;
      await Bun.sleep(25);
    }
    throw new Error('the server did not come back');
  }

  test('loses no acknowledged charge, single or concurrent', async () => {
    const userId = await world.user(1_000_000);
    let acknowledged = 0;
    for (const count of [1, 40]) {
      await Promise.all(
        Array.from({ length: count }, async () => {
          const { requestId } = await reserve(world.ledger, userId, 0, 300);
          const { charged } = await world.ledger.settle(requestId, outcome(123));
          acknowledged += charged;
        }),
      );
      await crashAndReturn();
      expect(await world.findUser(userId)).toMatchObject({
        quota: 1_000_000 - acknowledged,
        used_quota: acknowledged,
      });
    }
    expect(acknowledged).toBe(41 * 123);
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('loses no acknowledged hold of a task, which is its only trace', async () => {
    const userId = await world.user(1_000_000);
    const { requestId } = await reserve(world.ledger, userId, 0, 300, { lifetime: 'task' });
    await crashAndReturn();
    expect(await world.findUser(userId)).toMatchObject({ held_quota: 300 });
    await world.ledger.settle(requestId, outcome(300));
    // The settlement may have gone to the spool, if the ledger has not seen the server return.
    for (let wait = 0; wait < 400 && (await world.findUser(userId)).held_quota > 0; wait += 1)
      await Bun.sleep(25);
    expect(await world.findUser(userId)).toMatchObject({ quota: 999_700, held_quota: 0 });
  });
});
