import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adoptSpool, listLeftSpools } from './spool-adoption.ts';
import { localDisk, type SpoolDisk } from './spool-file.ts';
import { decodeLines, type SpooledOperation } from './spool-lines.ts';
import { openSpool, type Spool, type SpoolOptions } from './spool.ts';

let directory: string;
let faults: string[];
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'spool-')), 'deep');
  faults = [];
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

const open = (more: Partial<SpoolOptions> = {}) =>
  openSpool({ directory, nodeId: 'a node', onFault: (message) => faults.push(message), ...more });

const release = (requestId: string): SpooledOperation => ({
  kind: 'release',
  requestId,
  at: 0,
  tokenDifference: 0,
  failure: undefined,
});

/** Collects the ids it is given. */
function collector() {
  const ids: string[] = [];
  const replay = async (operations: readonly SpooledOperation[]) => {
    ids.push(...operations.map(({ requestId }) => requestId));
  };
  return { ids, replay };
}

async function drained(spool: Spool): Promise<string[]> {
  const { ids, replay } = collector();
  await spool.drain(replay);
  return ids;
}

async function adopted(): Promise<string[]> {
  const { ids, replay } = collector();
  for (const { path } of await listLeftSpools(directory, '')) await adoptSpool(path, replay);
  return ids;
}

const linesIn = (path: string) => readFileSync(path, 'utf8').match(/[^\n]+/g) ?? [];

describe('a spool', () => {
  test('has every appended line in its file when the promise resolves, and replays them in order', async () => {
    const spool = open();
    const ids = Array.from({ length: 500 }, (_, index) => `r${index}`);
    await Promise.all(ids.map((id) => spool.append(release(id))));
    expect(linesIn(spool.path)).toHaveLength(500);
    expect(spool.isEmpty).toBe(false);
    expect(await drained(spool)).toEqual(ids);
    expect(linesIn(spool.path)).toEqual([]);
    expect(spool.isEmpty).toBe(true);
    expect(await drained(spool)).toEqual([]);
    await spool.append(release('again'));
    expect(await drained(spool)).toEqual(['again']);
    await spool.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('keeps lines whole whose text is longer in bytes than in characters (M21)', async () => {
    const spool = open();
    const ids = ['名字', 'naïve', '🙂', 'plain'];
    for (const id of ids) await spool.append(release(id));
    expect(decodeLines(readFileSync(spool.path, 'utf8')).map(({ requestId }) => requestId)).toEqual(ids);
    expect(await drained(spool)).toEqual(ids);
    await spool.close();
  });

  test('keeps everything for the next time when the replay fails', async () => {
    const spool = open();
    await spool.append(release('a'));
    expect(spool.drain(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    await spool.append(release('b'));
    expect(await drained(spool)).toEqual(['a', 'b']);
    await spool.close();
  });

  test('M8: a line that arrives in the last round of a drain makes the spool not empty, and the next drain has it', async () => {
    const spool = open();
    await spool.append(release('first'));
    const { ids, replay } = collector();
    let late: Promise<void> | undefined;
    await spool.drain(async (operations) => {
      await replay(operations);
      late ??= spool.append(release('late'));
    });
    expect(ids).toContain('first');
    while (!spool.isEmpty) await spool.drain(replay);
    await late;
    expect(new Set(ids)).toEqual(new Set(['first', 'late']));
    expect(linesIn(spool.path)).toEqual([]);
    await spool.close();
  });

  test('replays a line that became durable while others were replayed, and clears nothing before', async () => {
    const spool = open();
    await spool.append(release('first'));
    const rounds: string[][] = [];
    const count = await spool.drain(async (operations) => {
      rounds.push(operations.map(({ requestId }) => requestId));
      if (rounds.length === 1) await spool.append(release('second'));
    });
    expect([rounds, count, spool.isEmpty]).toEqual([[['first'], ['second']], 2, true]);
    await spool.close();
  });

  test('grows beyond its reserve and shrinks to it', async () => {
    const spool = open({ reserveBytes: 1000 });
    const ids = Array.from({ length: 50 }, (_, index) => `r${index}`);
    for (const id of ids) await spool.append(release(id));
    expect(statSync(spool.path).size).toBeGreaterThan(1000);
    expect(await drained(spool)).toEqual(ids);
    expect(statSync(spool.path).size).toBe(1000);
    await spool.close();
  });
});

describe('a line is durable before it is acknowledged', () => {
  /** A disk that notes each step, and fails while `error` is set, after it has written `room` bytes. */
  function notedDisk(steps: string[], fault: { error?: Error; room?: number } = {}): SpoolDisk {
    return {
      async open(path) {
        const handle = await localDisk.open(path);
        const write = (async (...values: Parameters<typeof handle.write>) => {
          if (fault.error !== undefined) {
            const [bytes, offset, length, position] = values as unknown as [
              Uint8Array,
              number,
              number,
              number,
            ];
            const room = Math.min(fault.room ?? 0, length);
            if (room === 0) throw fault.error;
            fault.room = 0;
            return handle.write(bytes, offset, room, position);
          }
          const written = await handle.write(...values);
          steps.push('write');
          return written;
        }) as typeof handle.write;
        return {
          read: handle.read.bind(handle),
          write,
          async datasync() {
            if (fault.error !== undefined) throw fault.error;
            // The other operations of the process get their turn meanwhile.
            await Bun.sleep(20);
            await handle.datasync();
            steps.push('sync');
          },
          truncate: handle.truncate.bind(handle),
          close: handle.close.bind(handle),
        };
      },
      async syncDirectory(path) {
        await localDisk.syncDirectory(path);
        steps.push('sync directory');
      },
    };
  }

  test('the directory is synced with the new file, each line after its write, and removed lines too', async () => {
    const steps: string[] = [];
    const spool = open({ disk: notedDisk(steps), reserveBytes: 10 });
    const append = (id: string) => spool.append(release(id)).then(() => steps.push(`acknowledged ${id}`));
    await append('a');
    expect(steps).toEqual(['sync directory', 'write', 'sync', 'write', 'sync', 'acknowledged a']);
    steps.length = 0;
    await Promise.all([append('b'), append('c')]);
    // The second line came while the first was on its way.
    expect(steps.join()).toMatch(/^write,sync,acknowledged b,(write,sync,)?acknowledged c$/);
    steps.length = 0;
    expect(await drained(spool)).toEqual(['a', 'b', 'c']);
    expect(steps).toEqual(['write', 'sync']);
    await spool.close();
  });

  test('a line that arrives while the file is cleared makes the spool not empty before it is written (M21)', async () => {
    let onSync = () => {};
    const disk: SpoolDisk = {
      ...localDisk,
      async open(path) {
        const handle = await localDisk.open(path);
        return {
          read: handle.read.bind(handle),
          write: handle.write.bind(handle),
          async datasync() {
            onSync();
            await handle.datasync();
          },
          truncate: handle.truncate.bind(handle),
          close: handle.close.bind(handle),
        };
      },
    };
    const spool = open({ disk });
    await spool.append(release('a'));
    let appended: Promise<void> | undefined;
    // The only sync of a drain is that of the cleared file.
    onSync = () => {
      appended ??= spool.append(release('b'));
    };
    expect(await drained(spool)).toEqual(['a']);
    expect(spool.isEmpty).toBe(false);
    await appended;
    expect(await drained(spool)).toEqual(['b']);
    expect(spool.isEmpty).toBe(true);
    await spool.close();
  });

  test('a line is not acknowledged while the disk refuses the sync; it waits in memory and is written when it can be', async () => {
    const fault: { error?: Error } = {};
    const spool = open({ disk: notedDisk([], fault), retryMs: 20 });
    await spool.append(release('a'));
    fault.error = new Error('ENOSPC');
    let isAcknowledged = false;
    const appended = spool.append(release('b')).then(() => (isAcknowledged = true));
    await Bun.sleep(120);
    expect(isAcknowledged).toBe(false);
    expect(spool.isEmpty).toBe(false);
    expect(faults).toEqual(['ended calls wait in memory: Error: ENOSPC']);
    fault.error = undefined;
    await appended;
    expect(linesIn(spool.path)).toHaveLength(2);
    expect(await drained(spool)).toEqual(['a', 'b']);
    await spool.close();
  });

  test('lines in memory are replayed and acknowledged when the database is back before the disk', async () => {
    const fault: { error?: Error } = {};
    const spool = open({ disk: notedDisk([], fault), retryMs: 100_000 });
    await spool.append(release('a'));
    await drained(spool);
    fault.error = new Error('EIO');
    const appended = spool.append(release('b'));
    while (faults.length === 0) await Bun.sleep(5);
    expect(await drained(spool)).toEqual(['b']);
    await appended;
    expect(spool.isEmpty).toBe(true);
    fault.error = undefined;
    await spool.close();
  });

  test('lines of a write that failed half-way are not left in the file after they were replayed from memory', async () => {
    const fault: { error?: Error; room?: number } = {};
    const spool = open({ disk: notedDisk([], fault), retryMs: 100_000, reserveBytes: 0 });
    await spool.append(release('a'));
    await drained(spool);
    Object.assign(fault, { error: new Error('ENOSPC'), room: 150 });
    const appended = spool.append(release('b'));
    while (faults.length === 0) await Bun.sleep(5);
    expect(linesIn(spool.path)).toHaveLength(1);
    // The disk that cannot be written cannot be cleared either: the outage must last.
    expect(drained(spool)).rejects.toThrow('ENOSPC');
    await appended;
    fault.error = undefined;
    expect(await drained(spool)).toEqual([]);
    expect(linesIn(spool.path)).toEqual([]);
    await spool.close();
  });

  test('at its largest size the spool takes no more lines; they wait until it is drained', async () => {
    const spool = open({ mostBytes: 200, reserveBytes: 10, retryMs: 20 });
    await spool.append(release('a'));
    const appended = Promise.all([spool.append(release('b'.repeat(100))), spool.append(release('c'))]);
    while (faults.length === 0) await Bun.sleep(5);
    expect(faults[0]).toContain('200 bytes');
    const ids: string[] = [];
    while (!spool.isEmpty) ids.push(...(await drained(spool)));
    await appended;
    expect(new Set(ids)).toEqual(new Set(['a', 'b'.repeat(100), 'c']));
    await spool.close();
  });

  test('its size is that of all its lines: one that would pass it waits, however short it is', async () => {
    const line = `${JSON.stringify(release('a'))}\n`.length;
    const spool = open({ mostBytes: 2 * line, reserveBytes: 10, retryMs: 100_000 });
    await spool.append(release('a'));
    await spool.append(release('b'));
    expect(faults).toEqual([]);
    const third = spool.append(release('c'));
    for (let wait = 0; wait < 500 && faults.length === 0; wait += 1) await Bun.sleep(2);
    expect([faults.length, linesIn(spool.path).length]).toEqual([1, 2]);
    expect(await drained(spool)).toEqual(['a', 'b', 'c']);
    await third;
    await spool.close();
  });

  test('lines that no disk took are reported when the process ends', async () => {
    const fault = { error: new Error('EIO') };
    const spool = open({ disk: notedDisk([], fault), retryMs: 100_000 });
    void spool.append(release('lost one'));
    await spool.close();
    expect(faults.at(-1)).toContain('"requestId":"lost one"');
  });
});

describe('the spool of another process', () => {
  test('is adopted when its owner has ended, and removed', async () => {
    const spool = open();
    await spool.append(release('a'));
    await spool.close();
    expect(await listLeftSpools(directory, '')).toEqual([{ path: spool.path, nodeId: 'a node' }]);
    expect(await listLeftSpools(directory, spool.path)).toEqual([]);
    expect(await adopted()).toEqual(['a']);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('M1: is not touched while its owner lives', async () => {
    const spool = open();
    await spool.append(release('a'));
    expect(await adopted()).toEqual([]);
    await spool.append(release('b'));
    expect(await drained(spool)).toEqual(['a', 'b']);
    await spool.close();
  });

  test('M1: of another process is adopted only after that process has died, however it died', async () => {
    const script = `
      import { openSpool } from '#server/money/ledger/spool.ts';
      const spool = openSpool({ directory: process.argv.at(-1), nodeId: 'other', onFault() {} });
      await spool.append({ kind: 'release', requestId: 'a', at: 0, tokenDifference: 0, failure: undefined });
      console.log('appended');
      setInterval(() => spool.isEmpty, 1000);`;
    const cwd = new URL('../../..', import.meta.url).pathname;
    const child = Bun.spawn([process.execPath, '-e', script, directory], { cwd, stdout: 'pipe' });
    await child.stdout.getReader().read();
    expect(await listLeftSpools(directory, '')).toMatchObject([{ nodeId: 'other' }]);
    expect(await adopted()).toEqual([]);
    child.kill('SIGKILL');
    await child.exited;
    expect(await adopted()).toEqual(['a']);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('that cannot be read is not taken for an empty one', async () => {
    const path = join(directory, 'broken.jsonl');
    mkdirSync(path, { recursive: true });
    const failure = await adoptSpool(path, async () => {}).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'EISDIR' });
    expect(existsSync(path)).toBe(true);
  });

  test('stays when its replay fails', async () => {
    const spool = open();
    await spool.append(release('a'));
    await spool.close();
    expect(adoptSpool(spool.path, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await adopted()).toEqual(['a']);
  });

  test('is adopted once by two that race for it', async () => {
    const spool = open();
    await spool.append(release('a'));
    await spool.close();
    const { ids, replay } = collector();
    const slowly = async (operations: readonly SpooledOperation[]) => {
      await Bun.sleep(50);
      await replay(operations);
    };
    await Promise.all([adoptSpool(spool.path, slowly), adoptSpool(spool.path, slowly)]);
    await adoptSpool(spool.path, slowly);
    expect(ids).toEqual(['a']);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('without lines leaves nothing behind', async () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'x.01234567-89ab-cdef-0123-456789abcdef.jsonl.lock'), '');
    expect(await adopted()).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('that a crash cut short: the half line and half-cleared ones are ignored, the others are read', async () => {
    const spool = open({ reserveBytes: 0 });
    await spool.append(release('a'));
    await spool.close();
    const [line = ''] = linesIn(spool.path);
    for (let cut = 1; cut < line.length; cut += 1) {
      writeFileSync(spool.path, `${line.slice(cut)}\n\n\n${line}\n${line.slice(0, cut)}`);
      const { ids, replay } = collector();
      await adoptSpool(spool.path, replay);
      expect(ids).toEqual(['a']);
    }
  });

  test('with a line of an unknown kind is refused and stays', async () => {
    const spool = open();
    await spool.append(release('a'));
    await spool.close();
    appendFileSync(spool.path, '{"kind":"transfer","requestId":"x"}\n');
    expect(adopted()).rejects.toThrow('unknown kind');
    expect(existsSync(spool.path)).toBe(true);
  });

  test('of an earlier version, which had no lock, is adopted with the rest of its interrupted drain', async () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'old%20node.jsonl.draining'), `${JSON.stringify(release('a'))}\n`);
    writeFileSync(join(directory, 'old%20node.jsonl'), `\n${JSON.stringify(release('b'))}\n`);
    expect(await listLeftSpools(directory, '')).toMatchObject([{ nodeId: 'old node' }]);
    expect(await adopted()).toEqual(['a', 'b']);
    expect(readdirSync(directory)).toEqual([]);
  });
});

test('lines of the version before, which had another name for the slice of a call, are read', () => {
  const owner = { userId: 5, tokenId: 6 };
  const lines = [
    { kind: 'settle', requestId: 'r1', owner, cover: { allowanceId: 'allowance:node:1:1', amount: 9 } },
    { kind: 'release', requestId: 'r2', owner, memoryOwner: owner },
    { kind: 'release', requestId: 'r3', owner },
  ];
  const operations: unknown = decodeLines(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(operations).toEqual([
    { kind: 'settle', requestId: 'r1', owner, slice: { id: 'allowance:node:1:1', amount: 9 } },
    { kind: 'release', requestId: 'r2', owner, slice: { id: '', amount: 0 } },
    { kind: 'release', requestId: 'r3', owner },
  ]);
});

test('lines of earlier versions, which were lists of values, are read', async () => {
  const log = [
    2,
    5,
    'someone',
    6,
    'key',
    'm',
    'up',
    7,
    'channel',
    'default',
    60,
    40,
    1,
    0,
    1,
    '::1',
    'text',
    '{}',
  ];
  const settle = ['r1', 1700, 321, -3, 7, 'm', 60, 40, 1200, 300, 1, log];
  const lines = [
    ['lateSettle', [5, 6, ...settle]],
    ['settle', ['r2', ...settle.slice(1, -1), null]],
    ['release', ['r3', 1701, -9, [7, 'm', 55, log]]],
    ['release', ['r4', 0, 0, null]],
  ];
  const operations = decodeLines(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const row = {
    type: 2,
    user_id: 5,
    username: 'someone',
    token_id: 6,
    token_name: 'key',
    model_name: 'm',
    upstream_model: 'up',
    channel_id: 7,
    channel_name: 'channel',
    group: 'default',
    prompt_tokens: 60,
    completion_tokens: 40,
    use_time: 1,
    is_stream: 0,
    estimated: 1,
    ip: '::1',
    content: 'text',
    other: '{}',
  };
  const charge = {
    kind: 'settle',
    at: 1700,
    charge: 321,
    tokenDifference: -3,
    channelId: 7,
    modelName: 'm',
    promptTokens: 60,
    completionTokens: 40,
    useTimeMs: 1200,
    firstTokenMs: 300,
    errorCount: 1,
  };
  const failed = { channelId: 7, modelName: 'm', useTimeMs: 55, log: row };
  expect(operations as unknown[]).toEqual([
    { ...charge, requestId: 'r1', log: row, owner: { userId: 5, tokenId: 6 } },
    { ...charge, requestId: 'r2', log: null, owner: undefined },
    { kind: 'release', requestId: 'r3', at: 1701, tokenDifference: -9, failure: failed },
    { kind: 'release', requestId: 'r4', at: 0, tokenDifference: 0, failure: undefined },
  ]);
});
