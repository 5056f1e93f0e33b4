import { afterAll, describe, expect, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createEgress } from './egress.ts';
import { EgressError } from './refusal.ts';
import { readAll } from './http-call.ts';
import { ConnectionError } from './connection-error.ts';
import { TEST_AUTHORITY, UPSTREAM_CERTIFICATE, UPSTREAM_KEY } from './test-certificates.ts';

const timeouts = { firstByteSeconds: 5, idleSeconds: 5, totalSeconds: 10 };
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

function serve(fetch: (request: Request) => Response | Promise<Response>, secure = false): number {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch,
    ...(secure ? { tls: { cert: UPSTREAM_CERTIFICATE, key: UPSTREAM_KEY } } : {}),
  });
  closing.push(() => server.stop(true));
  return server.port ?? 0;
}

function egressTo(options: Parameters<typeof createEgress>[0]) {
  const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'], ...options });
  closing.push(() => egress.close());
  return egress;
}

const reasonOf = (error: unknown) => (error instanceof EgressError ? error.reason : error);

describe('where calls may go', () => {
  test.each([
    ['loopback', 'user', 'http://127.0.0.1/'],
    ['decimal', 'user', 'http://2130706433/'],
    ['octal', 'user', 'http://0177.0.0.1/'],
    ['hexadecimal', 'user', 'http://0x7f000001/'],
    ['mapped in hex', 'user', 'http://[::ffff:7f00:1]/'],
    ['unspecified', 'user', 'http://0.0.0.0/'],
    ['metadata', 'channel', 'http://169.254.169.254/latest/meta-data'],
    ['carrier-grade NAT', 'user', 'http://100.64.0.1/'],
    ['NAT64', 'user', 'http://[64:ff9b::7f00:1]/'],
    ['6to4', 'user', 'http://[2002:7f00:1::]/'],
    ['site-local', 'user', 'http://[fec0::1]/'],
  ] as const)('%s is refused', async (_what, kind, url) => {
    const egress = egressTo({ allowedPrivateAddresses: [] });
    expect(reasonOf(await egress.fetch(kind, url).catch((error: unknown) => error))).toBe(
      'forbidden_address',
    );
  });

  test('metadata stays closed for channels even when private ranges are open', async () => {
    const egress = egressTo({ allowedPrivateAddresses: ['0.0.0.0/0', '::/0'] });
    const error = await egress.fetch('channel', 'http://169.254.169.254/').catch((caught: unknown) => caught);
    expect(reasonOf(error)).toBe('forbidden_address');
  });

  test.each([
    ['another scheme', 'file:///etc/passwd'],
    ['credentials in the address', 'http://user:pass@example.com/'],
    ['no address at all', 'nonsense'],
  ])('%s is refused', async (_what, url) => {
    const error = await egressTo({})
      .fetch('user', url)
      .catch((caught: unknown) => caught);
    expect(reasonOf(error)).toBe('bad_url');
  });

  test('users reach ports 80 and 443 only, the system only its own origins', async () => {
    const egress = egressTo({
      resolve: async () => ['93.184.216.34'],
      systemOrigins: () => ['https://a.example'],
    });
    const port = await egress.fetch('user', 'http://example.com:8080/').catch((error: unknown) => error);
    expect(reasonOf(port)).toBe('forbidden_port');
    const origin = await egress.fetch('system', 'https://b.example/').catch((error: unknown) => error);
    expect(reasonOf(origin)).toBe('unpinned_origin');
    const socket = await egress
      .webSocket('system', 'https://b.example/', {})
      .catch((error: unknown) => error);
    expect(reasonOf(socket)).toBe('unpinned_origin');
  });

  test.each(['Authorization', 'cookie', 'X-Api-Key', 'x-access-token'])(
    'no %s goes to an address a user gave',
    async (name) => {
      const egress = egressTo({ resolve: async () => ['93.184.216.34'] });
      const call = egress.fetch('user', 'http://example.com/', { headers: { [name]: 'secret' } });
      expect(reasonOf(await call.catch((error: unknown) => error))).toBe('forbidden_header');
    },
  );

  test('a service of the operator may stand in a network the operator opened, an address a user gave never', async () => {
    const options = { resolve: async () => ['10.1.2.3'], systemOrigins: () => ['http://inside.example'] };
    const opened = egressTo({ ...options, allowedPrivateAddresses: ['10.1.0.0/16'] });
    expect(await opened.check('system', 'http://inside.example')).toBeUndefined();
    const closed = egressTo({ ...options, allowedPrivateAddresses: [] });
    const service = closed.check('system', 'http://inside.example');
    expect(reasonOf(await service.catch((error: unknown) => error))).toBe('private_address');
    const user = opened.check('user', 'http://inside.example');
    expect(reasonOf(await user.catch((error: unknown) => error))).toBe('forbidden_address');
  });

  test('one bad address among several forbids the name, and a trailing dot changes nothing', async () => {
    const egress = egressTo({
      allowedPrivateAddresses: [],
      resolve: async () => ['93.184.216.34', '127.0.0.1'],
    });
    for (const url of ['http://mixed.example/', 'http://mixed.example./']) {
      expect(reasonOf(await egress.fetch('user', url).catch((error: unknown) => error))).toBe(
        'forbidden_address',
      );
    }
  });

  test('the connection goes to the checked address: a name that answers differently the second time gains nothing (plan S8)', async () => {
    let asked = 0;
    let hits = 0;
    const port = serve((request) => {
      hits += 1;
      return new Response(request.headers.get('host'));
    });
    const egress = egressTo({
      resolve: async () => {
        asked += 1;
        return asked === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
      },
    });
    for (let round = 0; round < 3; round += 1) {
      const response = await egress.fetch('channel', `http://rebinding.example:${port}/`);
      expect(await response.text()).toBe(`rebinding.example:${port}`);
    }
    expect({ asked, hits }).toEqual({ asked: 1, hits: 3 });
    faultSeen(
      'S8',
      'a name that answers with metadata the second time: asked once, the checked address is used',
    );
  });

  test('redirects are answers, not orders (U9)', async () => {
    let followed = false;
    const port = serve((request) => {
      if (request.url.endsWith('/next')) followed = true;
      return new Response(null, { status: 302, headers: { Location: '/next' } });
    });
    const response = await egressTo({}).fetch('channel', `http://127.0.0.1:${port}/`);
    expect(response.status).toBe(302);
    expect(followed).toBe(false);
  });

  test('proxies of the environment are not used', async () => {
    let asked = 0;
    const trap = serve(() => {
      asked += 1;
      return new Response('from the proxy');
    });
    const upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request, self) => (self.upgrade(request) ? undefined : new Response('direct')),
      websocket: { message() {} },
    });
    closing.push(() => upstream.stop(true));
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${trap}`;
    try {
      const url = `http://127.0.0.1:${upstream.port}/`;
      expect(await (await egressTo({}).fetch('channel', url)).text()).toBe('direct');
      (await egressTo({}).webSocket('channel', url, {})).close();
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(asked).toBe(0);
  });

  test('asks for no compression and sends no header of its own making twice', async () => {
    const port = serve((request) => Response.json(Object.fromEntries(request.headers.entries())));
    const response = await egressTo({}).fetch('channel', `http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: 'körper',
      headers: { 'X-A': 'b' },
    });
    const seen = (await response.json()) as Record<string, string>;
    expect(seen).toMatchObject({ 'accept-encoding': 'identity', 'x-a': 'b', 'content-length': '7' });
  });
});

describe('TLS (U13)', () => {
  let requests = 0;
  const port = serve(() => {
    requests += 1;
    return new Response('secret');
  }, true);
  const resolve = async () => ['127.0.0.1'];

  test('a certificate of an unknown authority is refused, before a request is sent (plan U13)', async () => {
    const error = await egressTo({ resolve })
      .fetch('channel', `https://upstream.test:${port}/`)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as ConnectionError).reason).toBe('certificate');
    expect(requests).toBe(0);
    faultSeen('U13', 'certificate of an unknown authority: refused, 0 requests sent');
  });

  test('a certificate for another name is refused (plan U13)', async () => {
    const egress = egressTo({ resolve, certificateAuthority: TEST_AUTHORITY });
    const error = await egress
      .fetch('channel', `https://other.test:${port}/`)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as ConnectionError).reason).toBe('certificate');
    expect(requests).toBe(0);
    faultSeen('U13', 'certificate for another name: refused, 0 requests sent');
  });

  test('the right name of a trusted authority is accepted, by address, also again on the same connection', async () => {
    const egress = egressTo({ resolve, certificateAuthority: TEST_AUTHORITY });
    for (let round = 0; round < 3; round += 1) {
      const response = await egress.fetch('channel', `https://upstream.test:${port}/`);
      expect(await response.text()).toBe('secret');
    }
  });

  test('a kept connection serves no other name of the same address', async () => {
    const egress = egressTo({ resolve, certificateAuthority: TEST_AUTHORITY });
    await (await egress.fetch('channel', `https://upstream.test:${port}/`)).text();
    for (const name of ['other.test', '127.0.0.1']) {
      const error = await egress
        .fetch('channel', `https://${name}:${port}/`)
        .catch((caught: unknown) => caught);
      expect((error as ConnectionError).reason).toBe('certificate');
    }
  });

  test('a WebSocket is held to the same names', async () => {
    const outcome = (opening: ReturnType<typeof egressTo>, name: string) =>
      opening.webSocket('channel', `https://${name}:${server.port}/`, {}).then(
        (socket) => {
          socket.close();
          return 'open';
        },
        (error: ConnectionError) => error.reason,
      );
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { cert: UPSTREAM_CERTIFICATE, key: UPSTREAM_KEY },
      fetch: (request, self) => (self.upgrade(request) ? undefined : new Response('no')),
      websocket: { message() {} },
    });
    closing.push(() => server.stop(true));
    const trusting = egressTo({ resolve, certificateAuthority: TEST_AUTHORITY });
    expect(await outcome(trusting, 'upstream.test')).toBe('open');
    expect(await outcome(trusting, 'other.test')).toBe('certificate');
    expect(await outcome(egressTo({ resolve }), 'upstream.test')).toBe('certificate');
  });
});

describe('one call', () => {
  test('a kept connection that the other side closed is replaced without the caller noticing', async () => {
    let connections = 0;
    // Answers once per connection and then hangs up without saying so.
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: () => void (connections += 1),
        data(socket) {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          setTimeout(() => socket.end(), 5);
        },
      },
    });
    closing.push(() => server.stop(true));
    const egress = egressTo({});
    for (let round = 0; round < 10; round += 1) {
      const response = await egress.fetch('channel', `http://127.0.0.1:${server.port}/`);
      expect(await response.text()).toBe('ok');
      await Bun.sleep(round % 3 === 0 ? 4 : 8);
    }
    expect(connections).toBeGreaterThan(1);
  });

  test('a body larger than the socket takes at once arrives whole', async () => {
    const port = serve(async (request) => new Response(String((await request.bytes()).length)));
    const egress = egressTo({});
    const body = new Uint8Array(20 * 1024 * 1024).fill(65);
    const bytes = await egress.fetch('channel', `http://127.0.0.1:${port}/`, { method: 'POST', body });
    expect(await bytes.text()).toBe(String(body.length));
    const text = '好'.repeat(3 * 1024 * 1024);
    const response = await egress.fetch('channel', `http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: text,
    });
    expect(await response.text()).toBe(String(text.length * 3));
  });

  test('silence before the head and inside the body ends in a timeout', async () => {
    const port = serve(async (request) => {
      if (request.url.endsWith('/head')) await Bun.sleep(5000);
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('a'));
          },
        }),
      );
    });
    const egress = egressTo({});
    const target = await egress.target('channel', `http://127.0.0.1:${port}`);
    const open = (path: string) =>
      egress.open(target, {
        method: 'GET',
        path,
        headers: new Headers(),
        timeouts: { ...timeouts, firstByteSeconds: 0.3, idleSeconds: 0.3 },
      });
    const early = await open('/head').answer.catch((error: unknown) => error);
    expect((early as ConnectionError).reason).toBe('timeout');
    const call = open('/body');
    const late = await readAll(call, await call.answer, 100).catch((error: unknown) => error);
    expect((late as ConnectionError).reason).toBe('timeout');
  });

  test('an answer over the limit is cut off', async () => {
    const port = serve(() => new Response('x'.repeat(10_000)));
    const error = await egressTo({})
      .fetch('channel', `http://127.0.0.1:${port}/`, { limitBytes: 1000 })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as ConnectionError).reason).toBe('too_large');
  });

  test.each([
    ['X-A', 'b\r\nX-C: d'],
    ['X A', 'b'],
    ['X-A', '好'],
  ])('a header that would begin another one is refused: %p %p', async (name, value) => {
    let hits = 0;
    const port = serve(() => {
      hits += 1;
      return new Response('');
    });
    const call = egressTo({}).fetch('channel', `http://127.0.0.1:${port}/`, { headers: { [name]: value } });
    expect(((await call.catch((caught: unknown) => caught)) as ConnectionError).reason).toBe('format');
    expect(hits).toBe(0);
  });
});
