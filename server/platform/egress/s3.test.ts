import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import S3rver from '@20minutes/s3rver';
import { createEgress, type Egress } from './egress.ts';
import { createS3, type S3Options } from './s3.ts';
import { signedAddress } from './s3-address.ts';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-s3-'));
let storage: S3rver;
let egress: Egress;
let options: S3Options;

beforeAll(async () => {
  // Checks every signature.
  storage = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: 'copies' }],
  });
  const { port } = await storage.run();
  egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'] });
  options = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'copies',
    region: '',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  };
});
afterAll(async () => {
  egress.close();
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

test('objects are put, listed, read and removed, also with names that must be encoded', async () => {
  const s3 = createS3(() => options, 'a folder', egress);
  const names = ['date=2026-11-17/1 (2)+3~4.gz', 'plain.db'];
  for (const name of names) await s3.put(name, new TextEncoder().encode(name), 'text/plain');
  expect(await s3.list()).toEqual(names.toSorted());
  const [first = ''] = names;
  expect([await s3.exists(first), await s3.exists('none')]).toEqual([true, false]);
  const file = join(folder, 'saved');
  await s3.save(first, file);
  expect(readFileSync(file, 'utf8')).toBe(first);
  expect(await (await fetch(s3.address(first))).text()).toBe(first);
  await s3.remove(first);
  expect(await s3.list()).toEqual(['plain.db']);
  expect(await s3.save(first, file).catch(String)).toContain('NoSuchKey');
});

test('an object of several parts arrives whole', async () => {
  const s3 = createS3(() => options, 'large', egress);
  const bytes = new Uint8Array(70 * 1024 ** 2).map((_, at) => (at * 7) % 251);
  await s3.put('one', new Blob([bytes]), 'application/octet-stream');
  const file = join(folder, 'large');
  await s3.save('one', file);
  expect(Bun.hash(readFileSync(file))).toBe(Bun.hash(bytes));
}, 60_000);

test('a storage that answers with a redirect gets an error, and nothing is sent to where it points (S33)', async () => {
  const reached: string[] = [];
  const thief = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      reached.push(`${request.method} ${request.url}`);
      return new Response('<ListBucketResult></ListBucketResult>');
    },
  });
  const storageThatPoints = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(null, { status: 307, headers: { Location: thief.url.href } }),
  });
  try {
    const s3 = createS3(() => ({ ...options, endpoint: storageThatPoints.url.origin }), 'x', egress);
    const content = new TextEncoder().encode('the whole backup');
    for (const work of [
      () => s3.put('one', content, 'text/plain'),
      () => s3.put('large', new Blob([new Uint8Array(65 * 1024 ** 2)]), 'text/plain'),
      () => s3.list(),
      () => s3.remove('one'),
      () => s3.exists('one'),
      () => s3.save('one', join(folder, 'stolen')),
    ])
      expect(await work().then(String, (error: Error) => error.message)).toContain(
        'redirects are not followed',
      );
    expect(reached).toEqual([]);
  } finally {
    await thief.stop(true);
    await storageThatPoints.stop(true);
  }
}, 30_000);

test('an address outside what the installation may reach is refused before anything is sent (S33)', async () => {
  const s3 = createS3(() => ({ ...options, endpoint: 'http://169.254.169.254' }), 'x', egress);
  expect(await s3.list().catch(String)).toContain('forbidden_address');
});

test('the signature is the one of the published example of AWS', () => {
  const url = signedAddress(
    {
      endpoint: 'https://examplebucket.s3.amazonaws.com',
      bucket: '',
      region: 'us-east-1',
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    { method: 'GET', key: 'test.txt' },
    86_400,
    new Date('2013-05-24T00:00:00Z'),
  );
  expect(url.searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});
