// The public port over real sockets: what is answered here, what is carried on, and what callers do to a connection.
import { connect, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ascii, encodeText } from '#server/egress/index.ts';
import { openEdge, Peers, type Edge, type PlainAnswer, type PlainRequest, type StreamSink } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'edge-'));
const unix = join(directory, 'http');
const peers = new Peers();
const seen: { streams: { sink: StreamSink; events: string[] }[]; requests: PlainRequest[] } = {
  streams: [],
  requests: [],
};
let behind: Bun.Server<undefined>;
let edge: Edge;

const answer = (body: PlainAnswer['body'], status = 200): PlainAnswer => ({
  status,
  headers: { 'X-From': 'fast' },
  body,
});

const handlers: Record<
  string,
  (request: PlainRequest, address: string) => PlainAnswer | Promise<PlainAnswer>
> = {
  '/fast': async (request, address) => answer(`${address} ${await request.text()}`),
  '/bytes': async (request) => answer(new Uint8Array(await request.bytes())),
  '/early': (request) => {
    seen.requests.push(request);
    return answer('no', 401);
  },
  '/wait': async (request) => {
    seen.requests.push(request);
    await Bun.sleep(200);
    return answer('waited');
  },
  '/stream': () => {
    const events: string[] = [];
    const body = {
      attach: (sink: StreamSink) => void seen.streams.push({ sink, events }),
      full: () => void events.push('full'),
      drained: () => void events.push('drained'),
      left: () => void events.push('left'),
    };
    return answer(body);
  },
};

beforeAll(() => {
  behind = Bun.serve({
    unix,
    idleTimeout: 0,
    async fetch(request: Request) {
      const address = peers.take(request.headers);
      return new Response(
        `behind ${address} ${request.headers.get('x-tollgate-peer')} ${await request.text()}`,
      );
    },
  } as never);
  edge = openEdge({
    hostname: '127.0.0.1',
    port: 0,
    sharedPort: false,
    fast: (path) => handlers[path],
    unix,
    peers,
    bodyLimitBytes: 1024 * 1024,
    onFault: (error) => {
      throw error;
    },
  });
});

afterAll(async () => {
  await edge.close(1000);
  await behind.stop(true);
  rmSync(directory, { recursive: true });
});

interface Caller {
  socket: Socket;
  text(): string;
  until(pattern: RegExp): Promise<void>;
  closed: Promise<void>;
}

function call(): Promise<Caller> {
  const { promise, resolve } = Promise.withResolvers<Caller>();
  const closed = Promise.withResolvers<void>();
  let text = '';
  const socket = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('data', (bytes) => (text += bytes.toString('latin1')));
  socket.on('end', () => closed.resolve());
  socket.on('error', () => closed.resolve());
  const until = async (pattern: RegExp) => {
    for (let round = 0; round < 500 && !pattern.test(text); round += 1) await Bun.sleep(10);
    expect(text).toMatch(pattern);
  };
  socket.on('connect', () => resolve({ socket, text: () => text, until, closed: closed.promise }));
  return promise;
}

const post = (path: string, body: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe('the public port', () => {
  test('answers the fast paths itself, whichever way the request is cut', async () => {
    const request = post('/fast', 'hällo');
    for (const step of [1, 7, 1000]) {
      const caller = await call();
      const bytes = Buffer.from(request);
      for (let at = 0; at < bytes.length; at += step) {
        caller.socket.write(bytes.subarray(at, at + step));
        if (step < 1000) await Bun.sleep(0);
      }
      await caller.until(/\r\n\r\n127\.0\.0\.1 h\xc3\xa4llo$/);
      expect(caller.text()).toStartWith('HTTP/1.1 200 OK\r\nX-From: fast\r\n');
      caller.socket.destroy();
    }
  });

  test('carries everything else on, with the address of the caller that nobody can forge', async () => {
    const caller = await call();
    caller.socket.write(post('/other', 'abc', 'X-Tollgate-Peer: secret 6.6.6.6\r\n'));
    await caller.until(/behind 127\.0\.0\.1 null abc$/);
    caller.socket.destroy();
  });

  test('answers requests sent ahead one after the other, from both servers', async () => {
    const caller = await call();
    caller.socket.write(
      post('/wait', '') + post('/other', 'two') + post('/fast', 'three') + post('/bytes', 'four'),
    );
    await caller.until(/four$/);
    expect([...caller.text().matchAll(/waited|two|three|four/g)].map(String)).toEqual([
      'waited',
      'two',
      'three',
      'four',
    ]);
    caller.socket.destroy();
  });

  test('reads chunks, and says to go on when asked', async () => {
    const caller = await call();
    caller.socket.write(
      'POST /fast HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
    );
    await caller.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    caller.socket.write('3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n');
    await caller.closed;
    expect(caller.text()).toEndWith(' abcde');
    expect(caller.text()).toContain('Connection: close');
  });

  test('refuses what is malformed or too large, and hangs up', async () => {
    for (const [request, status] of [
      ['GET / HTTP/1.1\r\n\r\n', 400],
      ['POST /fast HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
      ['POST /fast HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
      [`POST /fast HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}`, 431],
    ] as const) {
      const caller = await call();
      caller.socket.write(request);
      await caller.closed;
      expect(caller.text()).toStartWith(`HTTP/1.1 ${status} `);
    }
  });

  test('answers a caller who sends no more, and gives up the call of one who left', async () => {
    const half = await call();
    half.socket.end('GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await half.closed;
    expect(half.text()).toContain('behind 127.0.0.1');
    const gone = await call();
    const before = seen.requests.length;
    gone.socket.write(post('/wait', 'x'));
    while (seen.requests.length === before) await Bun.sleep(5);
    gone.socket.destroy();
    for (let round = 0; round < 100 && seen.requests.at(-1)?.signal.aborted !== true; round += 1)
      await Bun.sleep(5);
    expect(seen.requests.at(-1)?.signal.aborted).toBe(true);
  });

  test('lets a caller see the refusal of a body it is still sending', async () => {
    const caller = await call();
    caller.socket.write(
      `POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(100_000)}`,
    );
    await caller.until(/HTTP\/1\.1 401 Unauthorized\r\n[^]*Connection: close[^]*no$/);
    caller.socket.write('x'.repeat(400_000));
    await caller.closed;
  });

  test('streams in chunks, tells when the caller is slow and when it has left', async () => {
    const caller = await call();
    const at = seen.streams.length;
    caller.socket.write(post('/stream', '{}'));
    while (seen.streams.length === at) await Bun.sleep(5);
    const { sink, events } = seen.streams[at] as (typeof seen.streams)[number];
    sink.write(ascii('one'));
    sink.write(encodeText(' zwölf'));
    sink.flush();
    await caller.until(/Transfer-Encoding: chunked\r\n\r\na\r\none zw\xc3\xb6lf\r\n$/);
    caller.socket.pause();
    const block = ascii('a'.repeat(1024 * 1024));
    for (let count = 0; count < 64 && !events.includes('full'); count += 1) {
      sink.write(block);
      sink.flush();
    }
    expect(events).toEqual(['full']);
    caller.socket.resume();
    for (let round = 0; round < 500 && !events.includes('drained'); round += 1) await Bun.sleep(5);
    sink.close();
    await caller.until(/\r\n0\r\n\r\n$/);
    caller.socket.write(post('/fast', 'again'));
    await caller.until(/127\.0\.0\.1 again$/);
    const next = seen.streams.length;
    caller.socket.write(post('/stream', '{}'));
    while (seen.streams.length === next) await Bun.sleep(5);
    caller.socket.destroy();
    const left = seen.streams[next]?.events ?? [];
    for (let round = 0; round < 500 && left.length === 0; round += 1) await Bun.sleep(5);
    expect(left).toEqual(['left']);
  });

  test('ends in order: running calls are answered, idle connections closed, new ones refused', async () => {
    const other = openEdge({
      hostname: '127.0.0.1',
      port: 0,
      sharedPort: false,
      fast: (path) => handlers[path],
      unix,
      peers,
      bodyLimitBytes: 1024,
      onFault: () => {},
    });
    const running = fetch(`http://127.0.0.1:${other.port}/wait`, { method: 'POST', body: 'x' });
    await Bun.sleep(50);
    expect(await other.close(2000)).toBe(true);
    expect(await (await running).text()).toBe('waited');
    expect(
      await fetch(`http://127.0.0.1:${other.port}/fast`, { method: 'POST' }).catch(() => 'refused'),
    ).toBe('refused');
  });
});
