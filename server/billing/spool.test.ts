import { afterEach, beforeEach, expect, test } from 'bun:test';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSpool, type SpooledOperation } from './spool.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spool-'));
  file = join(directory, 'deep', 'node.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const release = (id: string): SpooledOperation => ({ name: 'release', args: [id, 0, 0, null] });

async function drained(spool: ReturnType<typeof openSpool>): Promise<string[]> {
  const ids: string[] = [];
  await spool.drain(async (operations) => {
    ids.push(...operations.map((operation) => String(operation.args[0])));
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
  appendFileSync(file, '["release",["half');
  const second = openSpool(file);
  await second.append(release('b'));
  expect(await drained(second)).toEqual(['a', 'b']);
  await second.close();
});
