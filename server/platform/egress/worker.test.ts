import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createEgress, type Egress } from './egress.ts';
import { EgressError } from './refusal.ts';
import { throughWorker } from './worker.ts';

interface Order {
  url: string;
  key: string;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

let worker: Bun.Server<undefined>;
let site: Bun.Server<undefined>;
let egress: Egress;
let address = '';
const orders: Order[] = [];

beforeAll(() => {
  worker = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      orders.push((await request.json()) as Order);
      return new Response('by the worker');
    },
  });
  site = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('by the site') });
  const pinned = () => [worker.url.origin, site.url.origin];
  egress = createEgress({ allowedPrivateAddresses: ['127.0.0.0/8'], systemOrigins: pinned });
});
afterAll(async () => {
  egress.close();
  await worker.stop(true);
  await site.stop(true);
});

const door = () =>
  throughWorker(egress, {
    worker: () => ({ address, key: 'worker-key' }),
    systemOrigins: () => [site.url.origin],
  });

test('without a worker calls go out directly', async () => {
  address = '';
  expect(await (await door().fetch('system', site.url.href)).text()).toBe('by the site');
});

test('an order names the destination, the key and the request', async () => {
  address = worker.url.href;
  orders.length = 0;
  const headers = { 'Content-Type': 'application/json', Accept: 'text/plain' };
  const answer = await door().fetch('system', `${site.url.href}verify?x=1`, {
    method: 'POST',
    headers,
    body: '{"a":1}',
  });
  expect(await answer.text()).toBe('by the worker');
  await door().fetch('system', site.url.href, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'a=1',
  });
  expect(orders[0]).toEqual({
    url: `${site.url.href}verify?x=1`,
    key: 'worker-key',
    method: 'POST',
    headers,
    body: { a: 1 },
  });
  expect(orders[1]?.body).toBe('a=1');
});

test('an address a user gave is fetched by the worker, so that this server is not seen there', async () => {
  address = worker.url.href;
  orders.length = 0;
  const answer = await door().fetch('user', 'http://93.184.216.34/picture.png');
  expect(await answer.text()).toBe('by the worker');
  expect(orders.map(({ url, method }) => [url, method])).toEqual([
    ['http://93.184.216.34/picture.png', 'GET'],
  ]);
});

test('channels never go through it', async () => {
  address = worker.url.href;
  expect(await (await door().fetch('channel', site.url.href)).text()).toBe('by the site');
});

test('what may not be called directly may not be called through the worker', async () => {
  address = worker.url.href;
  orders.length = 0;
  const refusalOf = async (call: Promise<Response>) => {
    const error: unknown = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    return error instanceof EgressError ? error.reason : error;
  };
  expect(await refusalOf(door().fetch('system', 'https://elsewhere.example/'))).toBe('unpinned_origin');
  expect(await refusalOf(door().fetch('user', 'http://127.0.0.1/'))).toBe('forbidden_address');
  expect(orders).toEqual([]);
});
