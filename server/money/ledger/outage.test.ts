import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseError, isUnavailable } from '#server/platform/store/errors.ts';
import type { LedgerAlert } from './ledger.ts';
import { createOutage, type Outage } from './outage.ts';
import { localDisk } from './spool-file.ts';
import type { SpooledOperation } from './spool-lines.ts';
import { openSpool, type SpoolOptions } from './spool.ts';

const away = () => new DatabaseError('away', 'STORE_AWAY');

const settlement = (requestId: string): SpooledOperation => ({
  kind: 'settle',
  requestId,
  at: 0,
  charge: 5,
  tokenDifference: 0,
  channelId: 0,
  modelName: 'm',
  promptTokens: 0,
  completionTokens: 0,
  useTimeMs: 0,
  firstTokenMs: 0,
  errorCount: 0,
  log: null,
  owner: { userId: 1, tokenId: 0 },
});

describe('an outage', () => {
  let directory: string;
  let alerts: LedgerAlert[];
  /** What the database has taken. */
  let booked: Map<string, SpooledOperation>;
  /** `losses`: so many replays find the database away again, although it has just taken a write. */
  let database: { isAway: boolean; refuses: string; suspense: number; aboveHold: number; losses: number };
  let outage: Outage;
  let spoolPath: string;

  function start(more: Partial<SpoolOptions> = {}, patienceMs = 10_000): void {
    const spool = openSpool({ directory, nodeId: 'node', onFault: () => {}, ...more });
    spoolPath = spool.path;
    outage = createOutage({
      spool,
      patienceMs,
      alert: (alert) => alerts.push(alert),
      isUnavailable,
      async probe() {
        await Bun.sleep(1);
        if (database.isAway) throw away();
      },
      async replay(operations) {
        await Bun.sleep(1);
        if (database.isAway) throw away();
        if (database.losses > 0) {
          database.losses -= 1;
          throw away();
        }
        if (operations.some(({ requestId }) => requestId === database.refuses)) throw new Error('refused');
        for (const operation of operations) booked.set(operation.requestId, operation);
        const { suspense, aboveHold } = database;
        return operations.map(() => ({
          charged: 5,
          balance: 0,
          suspense,
          aboveHold,
          duplicate: false,
          hadHold: true,
          tokenStatus: 0,
        }));
      },
    });
  }

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'outage-'));
    alerts = [];
    booked = new Map();
    database = { isAway: true, refuses: '', suspense: 0, aboveHold: 0, losses: 0 };
  });
  afterEach(async () => {
    await outage.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function over(): Promise<void> {
    while (outage.isNow) await Bun.sleep(5);
  }

  test('M8: of 300 calls that end around its end none is left in the spool', async () => {
    start();
    outage.begin(away());
    const ended: string[] = [];
    const keeping: Promise<void>[] = [];
    const end = () => {
      const id = `call-${ended.length}`;
      ended.push(id);
      // As the backends do: the state decides where the end of a call goes.
      if (outage.isNow) keeping.push(outage.keep(settlement(id)));
      else booked.set(id, settlement(id));
    };
    database.isAway = false;
    while (ended.length < 300 || outage.isNow) {
      end();
      await (ended.length % 7 === 0 ? Bun.sleep(3) : Promise.resolve());
    }
    await Promise.all(keeping);
    expect(keeping.length).toBeGreaterThan(0);
    expect(new Set(booked.keys())).toEqual(new Set(ended));
    expect(readFileSync(spoolPath, 'utf8').trim()).toBe('');
  });

  test('lasts until the database takes a write, and is reported once', async () => {
    start();
    outage.begin(away());
    outage.begin(away());
    await outage.keep(settlement('a'));
    await Bun.sleep(700);
    expect(outage.isNow).toBe(true);
    database.isAway = false;
    await over();
    expect(alerts).toEqual([
      { kind: 'unavailable', message: 'away' },
      { kind: 'available', replayed: 1 },
    ]);
  });

  test('of one call a release and a settlement are two lines, the same end again is none, and a later outage begins anew', async () => {
    start();
    const written = () => {
      const text = readFileSync(spoolPath, 'utf8').trim();
      return text === '' ? [] : text.split('\n').map((line) => (JSON.parse(line) as SpooledOperation).kind);
    };
    const release = {
      kind: 'release',
      requestId: 'a',
      at: 0,
      tokenDifference: 0,
      failure: undefined,
    } as const;
    outage.begin(away());
    for (const operation of [settlement('a'), release, settlement('a'), release])
      await outage.keep(operation);
    expect(written()).toEqual(['settle', 'release']);
    database.isAway = false;
    await over();
    expect(written()).toEqual([]);
    database.isAway = true;
    outage.begin(away());
    await outage.keep(settlement('a'));
    expect(written()).toEqual(['settle']);
  });

  test('a line keeps the time at which the call ended', async () => {
    start();
    outage.begin(away());
    await outage.keep(settlement('a'));
    const endedAt = Math.floor(Date.now() / 1000);
    await Bun.sleep(1100);
    database.isAway = false;
    await over();
    expect(Math.abs(endedAt - (booked.get('a')?.at ?? 0))).toBeLessThanOrEqual(1);
  });

  test('a line that the database refuses for good is kept in a file, and the others are booked', async () => {
    start();
    outage.begin(away());
    for (const id of ['a', 'b', 'c']) await outage.keep(settlement(id));
    Object.assign(database, { isAway: false, refuses: 'b' });
    await over();
    expect([...booked.keys()]).toEqual(['a', 'c']);
    expect(readFileSync(join(directory, 'refused-lines.txt'), 'utf8')).toContain('"requestId":"b"');
    expect(alerts.filter(({ kind }) => kind === 'fault')).toHaveLength(1);
  });

  test('of two lines of which the database refuses one, the other is booked (M21)', async () => {
    start();
    outage.begin(away());
    for (const id of ['a', 'b']) await outage.keep(settlement(id));
    Object.assign(database, { isAway: false, refuses: 'a' });
    await over();
    expect([...booked.keys()]).toEqual(['b']);
    expect(readFileSync(join(directory, 'refused-lines.txt'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  test('a database that is lost again during the replay refuses nothing: every line is booked later (M21)', async () => {
    start();
    outage.begin(away());
    for (const id of ['a', 'b', 'c']) await outage.keep(settlement(id));
    // The whole chunk, and the first line alone, if the chunk were divided.
    Object.assign(database, { isAway: false, losses: 2 });
    await over();
    expect(database.losses).toBe(0);
    expect([...booked.keys()]).toEqual(['a', 'b', 'c']);
    expect(existsSync(join(directory, 'refused-lines.txt'))).toBe(false);
    expect(alerts.map(({ kind }) => kind)).toEqual(['unavailable', 'available']);
  });

  test('a spool of a dead process that meets an outage is not given up (M21)', async () => {
    start();
    const dead = openSpool({ directory, nodeId: 'dead', onFault: () => {} });
    await dead.append(settlement('a'));
    await dead.close();
    const left = [{ path: dead.path, nodeId: 'dead' }];
    const failure = await outage.adopt(left).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseError);
    expect(alerts).toEqual([]);
    database.isAway = false;
    await outage.adopt(left);
    expect([...booked.keys()]).toEqual(['a']);
  });

  test('a replayed settlement that its hold or the balance does not cover is reported (M11)', async () => {
    start();
    outage.begin(away());
    await outage.keep(settlement('a'));
    Object.assign(database, { isAway: false, suspense: 3, aboveHold: 2 });
    await over();
    expect(alerts).toContainEqual({ kind: 'suspense', requestId: 'a', userId: 1, amount: 3 });
    expect(alerts).toContainEqual({ kind: 'above_hold', requestId: 'a', userId: 1, amount: 2 });
  });

  test('an end that no disk takes is refused after a while, and booked all the same when the database is back', async () => {
    const disk = { ...localDisk, open: () => Promise.reject(new Error('ENOSPC')) };
    start({ disk, retryMs: 100_000 }, 200);
    outage.begin(away());
    const started = performance.now();
    expect(outage.keep(settlement('a'))).rejects.toThrow('could not be stored in time');
    expect(performance.now() - started).toBeGreaterThan(150);
    database.isAway = false;
    await over();
    expect([...booked.keys()]).toEqual(['a']);
    expect(existsSync(spoolPath)).toBe(false);
  });
});
