import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMediaPath } from './addresses.ts';
import { askedRange, bytesOf, isSameFile, rangeText, readContentRange } from './range.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { openSource } from './open-source.ts';
import { createDisk } from './storage.ts';
import { mediaType } from './types.ts';

describe('ranges', () => {
  test.each([
    ['bytes=0-99', { start: 0, end: 99 }, [0, 100]],
    ['bytes=500-', { start: 500, end: undefined }, [500, 1000]],
    ['bytes=-10', { start: undefined, end: 10 }, [990, 1000]],
    ['bytes=-5000', { start: undefined, end: 5000 }, [0, 1000]],
    ['bytes=900-5000', { start: 900, end: 5000 }, [900, 1000]],
  ])('%s is one range of a file of 1000 bytes', (header, range, [start, end]) => {
    expect(askedRange(header)).toEqual(range);
    expect(rangeText(range)).toBe(header);
    expect(bytesOf(range, 1000)).toEqual({ start: start as number, end: end as number });
  });

  test.each([
    null,
    '',
    'bytes=',
    'bytes=-',
    'bytes=9-1',
    'bytes=0-1,5-6',
    'items=0-1',
    'bytes=a-b',
    'bytes=1.5-2',
  ])('%p asks for the whole file', (header) => expect(askedRange(header)).toBeUndefined());

  test('a range beyond the file, or of no bytes, cannot be answered', () => {
    expect(bytesOf({ start: 1000, end: undefined }, 1000)).toBeUndefined();
    expect(bytesOf({ start: undefined, end: 0 }, 1000)).toBeUndefined();
    expect(bytesOf({ start: 0, end: undefined }, 0)).toBeUndefined();
  });

  test('the place of a part is read, and nonsense is not', () => {
    expect(readContentRange('bytes 0-99/1000')).toEqual({ start: 0, end: 100, size: 1000 });
    expect(readContentRange('bytes 0-99/*')).toEqual({ start: 0, end: 100, size: undefined });
    for (const text of [undefined, '', 'bytes 9-1/10', 'bytes */10', '0-1/2'])
      expect(readContentRange(text)).toBeUndefined();
  });

  test('a range of another file is not continued', () => {
    expect([isSameFile(null, '"a"'), isSameFile('"a"', '"a"')]).toEqual([true, true]);
    expect([isSameFile('"b"', '"a"'), isSameFile('W/"a"', '"a"')]).toEqual([false, false]);
  });
});

describe('types', () => {
  test.each([
    ['audio/mpeg; charset=x', 'audio', 'https://a.example/1', 'audio/mpeg'],
    ['VIDEO/MP4', 'video', 'https://a.example/1', 'video/mp4'],
    ['application/octet-stream', 'video', 'https://a.example/1.webm?x=.html', 'video/webm'],
    ['binary/octet-stream', 'audio', 'https://a.example/1', 'audio/mpeg'],
    [undefined, 'video', 'https://a.example/1', 'video/mp4'],
  ] as const)('%s passes', (header, kind, url, type) => expect(mediaType(header, kind, url)).toBe(type));

  test.each([
    'application/octet-stream',
    '',
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    'video/html',
  ])('a picture of the type %p does not pass', (header) =>
    expect(mediaType(header, 'image', 'https://a.example/1.png')).toBeUndefined(),
  );
});

test('an address names a task and a file, and nothing of the file system', () => {
  expect(readMediaPath('/media/12/audio-0')).toEqual({ taskId: 12, name: 'audio-0' });
  for (const path of [
    '/media/12/',
    '/media/12/..%2f-0',
    '/media/x/audio-0',
    '/media/12/audio',
    '/media/12/a-0/b',
  ])
    expect(readMediaPath(path)).toBeUndefined();
});

describe('the disk', () => {
  const places: string[] = [];
  afterAll(async () => {
    for (const place of places) await rm(place, { recursive: true });
  });
  const place = async () => {
    const made = await mkdtemp(join(tmpdir(), 'media-'));
    places.push(made);
    return made;
  };

  test('nothing is kept while the file could leave less than a gigabyte', async () => {
    const gigabyte = 1024 ** 3;
    const full = createDisk(await place(), async () => gigabyte + 99);
    const refused = await full.temporaryFile('a', 100).catch((error: unknown) => String(error));
    expect(refused).toContain('nearly full');
    expect(
      await createDisk(await place())
        .temporaryFile('a', 1)
        .catch(() => 'full'),
    ).toEndWith('a.part');
    expect(await full.temporaryFile('a', 99)).toEndWith('a.part');
  });

  test('a part of a file is read in pieces; a missing file is none', async () => {
    const disk = createDisk(await place(), async () => Infinity);
    const temporary = await disk.temporaryFile('a', 1);
    const bytes = Uint8Array.from({ length: 700_000 }, (_, index) => index % 251);
    await writeFile(temporary, bytes);
    await disk.put('a', temporary);
    const pieces = await disk.open('a', 5, 650_000);
    const read: Uint8Array[] = [];
    for (let piece = await pieces?.read(); piece !== undefined; piece = await pieces?.read())
      read.push(piece);
    pieces?.close();
    expect(read.length).toBeGreaterThan(1);
    expect(Buffer.concat(read).equals(bytes.subarray(5, 650_000))).toBe(true);
    expect(await disk.open('b', 0, 1)).toBeUndefined();
    expect(await disk.oldFiles()).toEqual([]);
    await utimes(join(disk.directory, 'a'), 1, 1);
    expect(await disk.oldFiles()).toEqual(['a']);
    await disk.remove('a');
    await disk.remove('a');
    expect(await readdir(disk.directory)).toEqual([]);
  });
});

test('the key of a channel is sent to its own origin, and not to another one after a redirect', async () => {
  const seen: (string | null)[] = [];
  const serve = (answer: (url: URL) => Response) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        seen.push(request.headers.get('authorization'));
        return answer(new URL(request.url));
      },
    });
  const film = () => new Response('film', { headers: { 'Content-Type': 'video/mp4' } });
  const storage = serve(film);
  const api = serve(({ pathname }) => {
    if (pathname === '/there') return film();
    const to = pathname === '/own' ? '/there' : `http://127.0.0.1:${storage.port}/`;
    return new Response(null, { status: 302, headers: { Location: to } });
  });
  const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'] });
  const headers = { Authorization: 'Bearer key' };
  for (const path of ['/own', '/away']) {
    const source = { url: `http://127.0.0.1:${api.port}${path}`, home: '', headers };
    const { call, type } = await openSource(source, {
      egress,
      from: 'system',
      kind: 'video',
      mostBytes: 10,
    });
    expect(type).toBe('video/mp4');
    call.abort();
  }
  expect(seen).toEqual(['Bearer key', 'Bearer key', 'Bearer key', null]);
  egress.close();
  await Promise.all([api.stop(true), storage.stop(true)]);
});

test('a file is read through the proxy of its channel, and a part only with its place', async () => {
  const asked: unknown[][] = [];
  let status = 200;
  const answer = (headers: Record<string, string>) => ({
    status,
    header: (name: string) => headers[name],
    read: () => Promise.resolve(undefined),
  });
  const type = { 'content-type': 'video/mp4' };
  let given: Record<string, string> = type;
  const egress = {
    target(...target: unknown[]) {
      asked.push(target);
      return Promise.resolve({});
    },
    open: () => ({ answer: Promise.resolve(answer(given)), abort() {}, drain() {} }),
  } as unknown as Parameters<typeof openSource>[1]['egress'];
  const home = 'https://api.example';
  const open = (proxy?: string) =>
    openSource(
      { url: `${home}/a.mp4`, home, ...(proxy === undefined ? {} : { proxy }) },
      { egress, from: 'channel', kind: 'video', mostBytes: 100 },
    );
  await open('http://proxy.example:3128');
  await open();
  expect(asked).toEqual([
    ['channel', home, 'http://proxy.example:3128'],
    ['channel', home, ''],
  ]);
  status = 206;
  expect(String(await open().catch((error: unknown) => error))).toContain(
    'a part of the file without its place',
  );
  given = { ...type, 'content-range': 'bytes 10-19/50' };
  expect(await open()).toMatchObject({ type: 'video/mp4', length: 10 });
});

test('an address that an upstream names, by its answer or a redirect, never leads into the networks opened for channels (S17)', async () => {
  let hits = 0;
  const inside = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      hits += 1;
      return new Response('secret', { headers: { 'Content-Type': 'application/octet-stream' } });
    },
  });
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('/away')
        ? new Response(null, { status: 302, headers: { Location: inside.url.href } })
        : new Response('film', { headers: { 'Content-Type': 'video/mp4' } }),
  });
  const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'] });
  const home = upstream.url.origin;
  const open = (url: string) =>
    openSource({ url, home }, { egress, from: 'channel', kind: 'video', mostBytes: 100 });
  try {
    // The upstream's own files are where the channel is.
    (await open(`${home}/film.mp4`)).call.abort();
    for (const url of [inside.url.href, `${home}/away`, 'http://169.254.169.254/']) {
      const failure = await open(url).catch((error: unknown) => error);
      expect([url, String(failure)]).toEqual([url, expect.stringContaining('forbidden_address')]);
    }
    expect(hits).toBe(0);
  } finally {
    egress.close();
    await Promise.all([inside.stop(true), upstream.stop(true)]);
  }
});
