import { afterAll, describe, expect, test } from 'bun:test';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createEgress } from './egress.ts';
import { readAll } from './http-call.ts';
import { parseProxy } from './proxy.ts';
import { Tunnels } from './tunnel.ts';
import { TEST_AUTHORITY, UPSTREAM_CERTIFICATE, UPSTREAM_KEY } from './test-certificates.ts';

const closers: (() => void)[] = [];
afterAll(() => closers.forEach((close) => close()));

const tls = { key: UPSTREAM_KEY, cert: UPSTREAM_CERTIFICATE };
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls,
  fetch(request, server) {
    if (server.upgrade(request)) return undefined;
    return Response.json({ host: request.headers.get('host'), path: new URL(request.url).pathname });
  },
  websocket: { message: (socket, message) => void socket.send(message) },
});
const plain = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) => new Response(request.headers.get('host')),
});
closers.push(
  () => void upstream.stop(true),
  () => void plain.stop(true),
);

interface TestProxy {
  port: number;
  /** Login and destination of each request. */
  asked: string[];
}

/** The proxy's name server: whatever it is asked for is on this machine. */
function joinTo(port: number, near: Socket, before: Buffer | string): void {
  const far = connect(port, '127.0.0.1', () => {
    near.write(before);
    near.pipe(far);
    far.pipe(near);
  });
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.on('close', () => far.destroy());
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function httpProxy(isSecure: boolean): Promise<TestProxy> {
  const asked: string[] = [];
  const serve = (near: Socket): void => {
    near.on('error', () => near.destroy());
    near.once('data', (head: Buffer) => {
      const [, destination = '', port = ''] = /^CONNECT (\S+):(\d+) /.exec(head.toString()) ?? [];
      const login = /proxy-authorization: basic (\S+)/i.exec(head.toString())?.[1] ?? '';
      const who = Buffer.from(login, 'base64').toString();
      asked.push(`${who}@${destination}:${port}`);
      if (who === 'eve:wrong') near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      else joinTo(Number(port), near, 'HTTP/1.1 200 Connection established\r\n\r\n');
    });
  };
  const server = isSecure ? createTlsServer(tls, serve) : createServer(serve);
  return { port: await listening(server), asked };
}

async function socksProxy(): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    let step: 'greeting' | 'login' | 'request' = 'greeting';
    let who = '';
    const onData = (bytes: Buffer): void => {
      if (step === 'greeting') {
        const method = bytes.subarray(2).includes(2) ? 2 : 0;
        step = method === 2 ? 'login' : 'request';
        near.write(Buffer.from([5, method]));
      } else if (step === 'login') {
        const nameEnd = 2 + (bytes[1] ?? 0);
        who = `${bytes.toString('utf8', 2, nameEnd)}:${bytes.toString('utf8', nameEnd + 1)}`;
        step = 'request';
        near.write(Buffer.from([1, who === 'eve:wrong' ? 1 : 0]));
      } else {
        near.off('data', onData);
        const isName = bytes[3] === 3;
        const end = isName ? 5 + (bytes[4] ?? 0) : 8;
        const destination = isName ? bytes.toString('utf8', 5, end) : bytes.subarray(4, 8).join('.');
        const port = bytes.readUInt16BE(end);
        asked.push(`${who}@${destination}:${port}`);
        joinTo(port, near, Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
      }
    };
    near.on('data', onData);
  });
  return { port: await listening(server), asked };
}

function egressTo(answers: Record<string, string[]>) {
  const egress = createEgress({
    allowedPrivateAddresses: ['127.0.0.1'],
    certificateAuthority: TEST_AUTHORITY,
    resolve: (name) => Promise.resolve(answers[name] ?? []),
  });
  closers.push(() => egress.close());
  return egress;
}

const known = { 'upstream.test': ['127.0.0.1'] };
const address = `https://upstream.test:${upstream.port}`;

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no failure',
    (error: Error) => error.message,
  );
}

describe('proxies of a channel', () => {
  const kinds: [string, () => Promise<TestProxy>, string][] = [
    ['http', () => httpProxy(false), 'http://127.0.0.1'],
    ['https', () => httpProxy(true), 'https://upstream.test'],
    ['socks5', socksProxy, 'socks5://127.0.0.1'],
  ];

  test.each(kinds)(
    '%s: a call goes through it, TLS proves the upstream end to end, the proxy is asked for the name',
    async (_kind, start, at) => {
      const proxy = await start();
      const egress = egressTo(known);
      const response = await egress.fetch('channel', `${address}/v1/models`, {
        proxy: `${at}:${proxy.port}`,
      });
      expect(await response.json()).toEqual({ host: `upstream.test:${upstream.port}`, path: '/v1/models' });
      expect(proxy.asked).toEqual([`@upstream.test:${upstream.port}`]);
    },
  );

  test.each(kinds)('%s: a login is presented, and a refused one fails the call', async (_kind, start, at) => {
    const proxy = await start();
    const egress = egressTo(known);
    const withLogin = (login: string) => at.replace('://', `://${login}@`) + `:${proxy.port}`;
    const response = await egress.fetch('channel', address, { proxy: withLogin('ann:p%40ss') });
    expect(response.status).toBe(200);
    expect(proxy.asked[0]).toStartWith('ann:p@ss@');
    const said = await failureOf(egress.fetch('channel', address, { proxy: withLogin('eve:wrong') }));
    expect(said).toMatch(/^the proxy failed: (answered 407|Socks5 Authentication failed)$/);
  });

  test('a plain upstream is reached as well, and connections are kept by proxy', async () => {
    const [one, two] = [await httpProxy(false), await httpProxy(false)];
    const egress = egressTo({ 'plain.test': ['127.0.0.1'] });
    const call = async (proxy?: TestProxy) => {
      const way = proxy === undefined ? {} : { proxy: `http://127.0.0.1:${proxy.port}` };
      return (await egress.fetch('channel', `http://plain.test:${plain.port}/`, way)).text();
    };
    for (const proxy of [one, two, undefined, one])
      expect(await call(proxy)).toBe(`plain.test:${plain.port}`);
    expect([one.asked.length, two.asked.length]).toEqual([1, 1]);
  });

  test('calls that need the same way at the same time share one', async () => {
    const proxy = parseProxy('http://127.0.0.1:9');
    if (proxy === undefined) throw new Error('not a proxy');
    const tunnels = new Tunnels();
    closers.push(() => tunnels.close());
    const certificateAuthority = undefined;
    const route = { proxy, address: '127.0.0.1', destination: 'plain.test', port: 80, certificateAuthority };
    const [one, two] = await Promise.all([tunnels.to('way', route), tunnels.to('way', route)]);
    expect(one.path).toBe(two.path);
  });

  test('a WebSocket goes through every kind of proxy', async () => {
    for (const [, start, at] of kinds) {
      const proxy = await start();
      const egress = egressTo(known);
      const socket = await egress.webSocket('channel', `${address}/ws`, {}, `${at}:${proxy.port}`);
      const received = await new Promise<unknown>((resolve, reject) => {
        socket.addEventListener('message', ({ data }) => resolve(data));
        socket.addEventListener('error', () => reject(new Error('the socket failed')));
        socket.resume();
        socket.send('hello');
      });
      socket.close();
      expect(received).toBe('hello');
      expect(proxy.asked).toEqual([`@upstream.test:${upstream.port}`]);
    }
  });

  test('a name this side cannot resolve is left to the proxy; one that is forbidden here stays forbidden', async () => {
    const proxy = await httpProxy(false);
    const way = { proxy: `http://127.0.0.1:${proxy.port}` };
    const egress = egressTo({ 'inside.test': ['10.0.0.5'] });
    expect((await egress.fetch('channel', address, way)).status).toBe(200);
    for (const [forbidden, reason] of [
      ['http://inside.test/', 'private_address: inside.test (10.0.0.5:80)'],
      ['http://169.254.169.254/', 'forbidden_address'],
      ['http://[::ffff:10.0.0.1]/', 'private_address: 10.0.0.1:80'],
    ] as const) {
      expect(await failureOf(egress.fetch('channel', forbidden, way))).toStartWith(reason);
    }
    expect(await failureOf(egress.fetch('channel', 'http://intranet/', way))).toStartWith('unresolved');
    expect(proxy.asked).toHaveLength(1);
  });

  test('a proxy must stand where a channel may go, and is for channels only', async () => {
    const egress = egressTo({ ...known, 'proxy.inside': ['10.0.0.7'] });
    const through = (proxy: string) => failureOf(egress.fetch('channel', address, { proxy }));
    expect(await through('http://proxy.inside:3128')).toStartWith('private_address');
    expect(await through('http://169.254.169.254')).toStartWith('forbidden_address');
    expect(await through('http://nowhere.test')).toStartWith('unresolved');
    expect(await through('ftp://127.0.0.1')).toStartWith('bad_proxy');
    const user = failureOf(egress.fetch('user', 'https://upstream.test/', { proxy: 'http://127.0.0.1' }));
    expect(await user).toStartWith('bad_proxy');
  });

  test('a proxy that answers with another certificate than the upstream’s is found out', async () => {
    const proxy = await httpProxy(false);
    const egress = egressTo({ 'other.test': ['127.0.0.1'] });
    const call = egress.fetch('channel', `https://other.test:${upstream.port}/`, {
      proxy: `http://127.0.0.1:${proxy.port}`,
    });
    expect(await failureOf(call)).toMatch(/altname|certificate|Hostname/i);
  });

  test('addresses of proxies', () => {
    expect(parseProxy('socks5h://u:p%3A@[::1]:1081')).toEqual({
      kind: 'socks5',
      hostname: '::1',
      port: 1081,
      username: 'u',
      password: 'p:',
    });
    expect(parseProxy(' http://proxy.test ')?.port).toBe(80);
    expect(parseProxy('socks5://proxy.test')?.port).toBe(1080);
    for (const text of ['', 'proxy.test:80', 'socks4://a', 'http://', 'http://a/path', 'http://a?x=1'])
      expect(parseProxy(text)).toBeUndefined();
  });
});

describe('a question over a WebSocket', () => {
  const timeouts = { firstByteSeconds: 2, idleSeconds: 2, totalSeconds: 5 };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls,
    fetch(request, bun) {
      if (request.url.includes('refused'))
        return Response.json({ message: 'HMAC signature does not match' }, { status: 401 });
      return bun.upgrade(request, { data: request.url }) ? undefined : new Response('', { status: 400 });
    },
    websocket: {
      data: '',
      message(socket, message) {
        if (String(message) === 'silence') return;
        socket.send(`{"received":\n${String(message)}}`);
        socket.ping('x');
        socket.send(`{"long":"${'é'.repeat(70_000)}"}`);
        socket.close();
      },
    },
  });
  closers.push(() => void server.stop(true));

  async function ask(path: string, message: string): Promise<{ status: number; text: string }> {
    const egress = egressTo(known);
    const target = await egress.target('channel', `https://upstream.test:${server.port}`);
    const call = egress.openSocket(target, {
      path,
      headers: new Headers({ 'X-Test': '1' }),
      message,
      timeouts,
    });
    const answer = await call.answer;
    const body = await readAll(call, answer, 1_000_000);
    return { status: answer.status, text: body.toString() };
  }

  test('each message is one line, and the end of the socket is the end', async () => {
    const { status, text } = await ask('/chat?x=1', '{"q":"你好"}');
    expect(status).toBe(200);
    const lines = text.split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ received: { q: '你好' } });
    expect((JSON.parse(lines[1] ?? '') as { long: string }).long).toHaveLength(70_000);
  });

  test('a refused handshake is the answer it is in HTTP', async () => {
    const { status, text } = await ask('/refused', '{}');
    expect([status, JSON.parse(text)]).toEqual([401, { message: 'HMAC signature does not match' }]);
  });

  test('silence ends in a timeout, and a long question arrives whole', async () => {
    expect(await failureOf(ask('/chat', 'silence'))).toBe('the upstream took too long');
    const { text } = await ask('/chat', JSON.stringify('y'.repeat(200_000)));
    expect(text.startsWith(`{"received": "yyyy`)).toBe(true);
  });
});
