// Addresses from callers, upstreams and settings, against the wired server: callback addresses, images of drawings, and
// the operator's worker. Only 127.0.0.1 is allowed for channels; a server on 127.0.0.2 must never be called.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  ask,
  ended,
  imagine,
  openStudio,
  type Painter,
  type Studio,
} from '#tests/integration/relay/drawing/support.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(60_000);

let studio: Studio;
let painter: Painter;
let trap: Bun.Server<undefined>;
let worker: Bun.Server<undefined>;
const trapped: string[] = [];
const orders: string[] = [];
const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex');

beforeAll(async () => {
  studio = await openStudio({
    // Every address passes the list of hosts: the rules for addresses alone have to refuse.
    environment: { ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1', EGRESS_ALLOW: 'localhost,0.0.0.0/0,::/0' },
  });
  painter = await studio.painter(100_000_000);
  trap = Bun.serve({
    port: 0,
    hostname: '127.0.0.2',
    fetch(request) {
      trapped.push(request.url);
      return new Response(PIXEL, { headers: { 'Content-Type': 'image/png' } });
    },
  });
  worker = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      orders.push(((await request.json()) as { url: string }).url);
      return Response.json({});
    },
  });
  await studio.app.settings.set('MjNotifyEnabled', 'true', 0);
  await studio.app.settings.set('MjForwardUrlEnabled', 'true', 0);
});
afterAll(async () => {
  await studio.close();
  await trap.stop(true);
  await worker.stop(true);
});
beforeEach(() => {
  trapped.length = 0;
  orders.length = 0;
});

/** Spellings of one address of this machine, and addresses that no call may reach. */
const inside = (port: number) => [
  `http://127.0.0.2:${port}/`,
  `http://127.2:${port}/`,
  `http://0x7f000002:${port}/`,
  `http://2130706434:${port}/`,
  `http://0177.0.0.2:${port}/`,
  `http://[::ffff:127.0.0.2]:${port}/`,
  `http://[::ffff:7f00:2]:${port}/`,
  `http://[64:ff9b::7f00:2]:${port}/`,
  `http://[2002:7f00:2::]:${port}/`,
  `http://public@127.0.0.2:${port}/`,
  `http://127.0.0.2.:${port}/`,
  `http://１２７.0.0.2:${port}/`,
  'http://127.0.0.2/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://100.100.100.200/latest/meta-data/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://0.0.0.0/',
  'http://[::]/',
];

/** A finished drawing with a callback address. */
async function drawnWithHook(notifyHook: string): Promise<string> {
  const { body } = await ask(studio.app.url, painter.key, '/mj/submit/imagine', { prompt: 'a', notifyHook });
  const id = String(body['result']);
  await studio.mj.finish(id);
  await ended(studio.app.store, id);
  return id;
}

const failedCallbacks = () =>
  studio.app.logged.filter((line) => line.includes('a callback to a caller failed')).length;

describe('callbacks', () => {
  test('an internal address is never called, in any spelling, nor another scheme or port (plan S8)', async () => {
    // A user's loopback address is refused on port 443 as on any other port.
    const hooks = [
      ...inside(trap.port ?? 0),
      `http://127.0.0.1:${worker.port}/`,
      `http://localhost:${trap.port}/`,
      'file:///etc/passwd',
      `ftp://127.0.0.2:${trap.port}/`,
      'http://1.1.1.1:25/',
    ];
    const before = failedCallbacks();
    await Promise.all(hooks.map(drawnWithHook));
    // Each drawing reports at least its end; an address of another scheme is not even stored.
    const tried = hooks.filter((hook) => hook.startsWith('http:')).length;
    await eventually(failedCallbacks, (count) => count >= before + tried);
    expect(trapped).toEqual([]);
    expect(orders).toEqual([]);
    expect(failedCallbacks()).toBeGreaterThanOrEqual(before + tried);
    faultSeen('S8', `${hooks.length} callback addresses: 0 connections`);
  });

  test('with a worker the same addresses are refused before the worker gets a request (plan S8)', async () => {
    await studio.app.settings.set('WorkerUrl', `http://127.0.0.1:${worker.port}`, 0);
    try {
      const before = failedCallbacks();
      const hooks = inside(trap.port ?? 0);
      await Promise.all(hooks.map(drawnWithHook));
      await eventually(failedCallbacks, (count) => count >= before + hooks.length);
      expect(orders).toEqual([]);
      expect(trapped).toEqual([]);
      await drawnWithHook('https://1.1.1.1/hook');
      await eventually(
        () => orders.length,
        (count) => count > 0,
      );
      expect(new Set(orders)).toEqual(new Set(['https://1.1.1.1/hook']));
      faultSeen('S8', `${hooks.length} addresses through the worker: 0 orders`);
    } finally {
      await studio.app.settings.set('WorkerUrl', '', 0);
    }
  });
});

test('a worker at an internal address gets no request: the rules apply to the worker itself (plan S8)', async () => {
  for (const address of [
    `http://127.0.0.2:${trap.port}`,
    'http://169.254.169.254',
    `http://[::ffff:127.0.0.2]:${trap.port}`,
  ]) {
    await studio.app.settings.set('WorkerUrl', address, 0);
    const before = failedCallbacks();
    await drawnWithHook('https://1.1.1.1/hook');
    await eventually(failedCallbacks, (count) => count > before);
  }
  await studio.app.settings.set('WorkerUrl', '', 0);
  expect(trapped).toEqual([]);
  faultSeen('S8', '3 internal addresses of the worker itself: 0 connections');
});

describe('pictures', () => {
  let id: string;
  let address: string;
  beforeAll(async () => {
    id = await imagine(studio.app.url, painter.key);
    await studio.mj.finish(id);
    await ended(studio.app.store, id);
    const { body } = await ask(studio.app.url, painter.key, `/mj/task/${id}/fetch`);
    address = String(body['imageUrl']);
  });
  const point = (result_url: string, channel_id = studio.channelId) =>
    studio.app.store.db
      .updateTable('tasks')
      .set({ result_url, channel_id })
      .where('task_id', '=', id)
      .execute();

  test('an upstream cannot name an internal address for an image, in any spelling, nor a file (plan S8)', async () => {
    expect((await fetch(address)).status).toBe(200);
    for (const bad of [
      ...inside(trap.port ?? 0),
      'file:///etc/passwd',
      'data:image/png;base64,AA==',
      'not an address',
    ]) {
      await point(bad);
      expect([bad, (await fetch(address)).status]).toEqual([bad, 502]);
    }
    expect(trapped).toEqual([]);
    faultSeen('S8', `${inside(0).length} addresses of images: 0 connections`);
  });

  test('nor by redirects, with a status or a chain of them, nor by other content (plan S8)', async () => {
    let answer = (): Response => new Response(PIXEL, { headers: { 'Content-Type': 'image/png' } });
    let visits = 0;
    const gallery = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        visits += 1;
        return answer();
      },
    });
    // An allowed private address is open to channels, not to what their upstreams name.
    await point(gallery.url.href);
    expect([(await fetch(address)).status, visits]).toEqual([502, 0]);
    await point(gallery.url.href, await studio.channel({ base_url: gallery.url.origin, models: [] }));
    await eventually(
      async () => (await fetch(address)).status,
      (status) => status === 200,
    );
    const moved = (location: string, status: number) => () =>
      new Response(null, { status, headers: { Location: location } });
    const of = (type: string) => () => new Response('<svg onload=x>', { headers: { 'Content-Type': type } });
    for (const bad of [
      ...[301, 302, 303, 307, 308].map((status) => moved(`http://127.0.0.2:${trap.port}/`, status)),
      moved(`//127.0.0.2:${trap.port}/`, 302),
      moved(`http://[::ffff:7f00:2]:${trap.port}/`, 302),
      moved('file:///etc/passwd', 302),
      moved('/again', 302),
      of('text/html'),
      of('image/svg+xml'),
      of('IMAGE/SVG+XML; charset=utf-8'),
      of('application/octet-stream'),
      of(''),
    ]) {
      answer = bad;
      const before = visits;
      expect((await fetch(address)).status).toBe(502);
      expect(visits).toBeGreaterThan(before);
    }
    expect(trapped).toEqual([]);
    faultSeen('S8', '9 redirects of an image: 0 connections');
    await gallery.stop(true);
  });

  test('the address of an image is refused with another key, id or user', async () => {
    await point(`${studio.mj.url}/picture/there.png`);
    const other = await studio.painter(100_000_000);
    const foreign = await imagine(studio.app.url, other.key);
    await studio.mj.finish(foreign);
    await ended(studio.app.store, foreign);
    const url = new URL(address);
    const proof = url.searchParams.get('key') ?? '';
    for (const wrong of [
      url.pathname,
      `${url.pathname}?key=`,
      `${url.pathname}?key=${proof.slice(0, -1)}`,
      `${url.pathname}?key=${proof}0`,
      `${url.pathname}?key=${proof.toUpperCase()}x`,
      `/mj/image/${foreign}?key=${proof}`,
      `/mj/image/..%2f..%2fapi%2fstatus?key=${proof}`,
    ])
      expect([wrong, (await fetch(studio.app.url + wrong)).status]).toEqual([wrong, 404]);
    expect((await fetch(address)).status).toBe(200);
  });
});
