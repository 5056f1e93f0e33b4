import { afterEach, beforeEach, expect, test } from 'bun:test';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpooledOperation } from './spool-lines.ts';
import { openSpool } from './spool.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spool-'));
  file = join(directory, 'deep', 'node.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const release = (requestId: string): SpooledOperation => ({
  kind: 'release',
  requestId,
  at: 0,
  tokenDifference: 0,
  failure: undefined,
});

async function drained(spool: ReturnType<typeof openSpool>): Promise<string[]> {
  const ids: string[] = [];
  await spool.drain(async (operations) => {
    ids.push(...operations.map(({ requestId }) => requestId));
  });
  return ids;
}

test('what was appended is in the file when the promise resolves, and comes back in order', async () => {
  const spool = openSpool(file);
  const ids = Array.from({ length: 500 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id) => spool.append(release(id))));
  expect(readFileSync(file, 'utf8').match(/release/g)).toHaveLength(500);
  expect(await drained(spool)).toEqual(ids);
  expect(await drained(spool)).toEqual([]);
  await spool.append(release('again'));
  expect(await drained(spool)).toEqual(['again']);
  await spool.close();
});

test('a new process finds what the last one left, also from an interrupted drain', async () => {
  const first = openSpool(file);
  await first.append(release('a'));
  await first.close();
  renameSync(file, `${file}.draining`);
  const second = openSpool(file);
  await second.append(release('b'));
  expect(await drained(second)).toEqual(['a', 'b']);
  expect(existsSync(`${file}.draining`)).toBe(false);
  await second.close();
});

test('when the replay fails everything stays for the next time', async () => {
  const spool = openSpool(file);
  await spool.append(release('a'));
  const failure = await spool.drain(() => Promise.reject(new Error('away'))).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  await spool.append(release('b'));
  expect(await drained(spool)).toEqual(['a', 'b']);
  await spool.close();
});

test('a line cut short by a crash is ignored and does not damage the next', async () => {
  const first = openSpool(file);
  await first.append(release('a'));
  await first.close();
  appendFileSync(file, '{"kind":"release","requestId":"half');
  const second = openSpool(file);
  await second.append(release('b'));
  expect(await drained(second)).toEqual(['a', 'b']);
  await second.close();
});

test('a line of an unknown kind is refused, and the file stays', async () => {
  const spool = openSpool(file);
  await spool.append(release('a'));
  appendFileSync(file, '{"kind":"transfer","requestId":"x"}\n');
  const refusal = await drained(spool).catch((error: unknown) => error);
  expect(String(refusal)).toContain('unknown kind');
  expect(readFileSync(`${file}.draining`, 'utf8')).toContain('transfer');
  await spool.close();
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
  const spool = openSpool(file);
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const operations: SpooledOperation[] = [];
  await spool.drain(async (chunk) => void operations.push(...chunk));
  await spool.close();
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
