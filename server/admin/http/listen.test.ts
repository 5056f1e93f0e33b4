// The public port over real sockets: what a handler is given, what callers do to a connection, and the end.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { RelayHandler } from '#server/relay/entry/handler.ts';
import { streamResponse, type StreamSink } from '#server/relay/caller/response.ts';
import { exchange, openSocket } from '#tests/support/raw-socket.ts';
import { createListener, type Listener } from './listen.ts';
import { createLog } from '#server/platform/log.ts';

setDefaultTimeout(30_000);

interface OpenStream {
  sink: StreamSink;
  left: boolean;
}

const logged: string[] = [];
const streams: OpenStream[] = [];
const aborted: string[] = [];
let running = 0;
let mostPerAddress = 0;

const handlers: Record<string, RelayHandler> = {
  '/echo': async (request, connection) => new Response(`${connection.address} ${await request.text()}`),
  '/refuse': async () => new Response('no', { status: 401 }),
  '/wait': async (request) => {
    running += 1;
    request.signal.addEventListener('abort', () => aborted.push(request.url));
    await Bun.sleep(400);
    return new Response('waited');
  },
  '/stream': async (request, connection) => {
    if (request.headers.has('x-late')) {
      running += 1;
      await Bun.sleep(200);
    }
    const stream = { left: false } as OpenStream;
    return streamResponse(
      {
        attach(sink) {
          stream.sink = sink;
          streams.push(stream);
        },
        left() {
          stream.left = true;
        },
      },
      new Headers({ 'Content-Type': 'text/event-stream' }),
      connection,
    );
  },
  '/socket': async (_request, connection) =>
    connection.upgrade({ data: {}, headers: {} }) ? undefined : new Response('no', { status: 426 }),
};

const listen = (port = 0, sharedPort = false, drainSeconds = 30): Listener =>
  createListener({
    drainSeconds,
    hostname: '127.0.0.1',
    port,
    sharedPort,
    routes: handlers,
    websocket: { message: (socket, message) => void socket.send(message) },
    fetch: async (_request, connection) => new Response(`web ${connection}`),
    addressOf: (request, connection) => request.headers.get('x-forwarded-for') ?? connection ?? '',
    mostPerAddress: () => mostPerAddress,
    log: createLog({ level: 'debug', write: (line) => logged.push(line) }),
  });

let listener: Listener;
beforeAll(() => {
  listener = listen();
});
afterAll(() => listener.close());

const post = (path: string, body: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 1000 && !isTrue(); round += 1) await Bun.sleep(10);
  expect(isTrue()).toBe(true);
}

async function openedStream(): Promise<{
  caller: Awaited<ReturnType<typeof openSocket>>;
  stream: OpenStream;
}> {
  const before = streams.length;
  const caller = await openSocket(listener.port);
  await caller.send(post('/stream', '{}'));
  await until(() => streams.length > before);
  return { caller, stream: streams[before] as OpenStream };
}

describe('the public port', () => {
  test('serves routes and everything else, with the address of the caller, whichever way a request is cut', async () => {
    const bytes = Buffer.from(post('/echo', 'hällo', 'Connection: close\r\n'));
    for (const step of [1, 7, 1000]) {
      const caller = await openSocket(listener.port);
      for (let at = 0; at < bytes.length; at += step) await caller.send(bytes.subarray(at, at + step));
      await caller.over;
      expect(caller.text()).toEndWith('127.0.0.1 h\xc3\xa4llo');
    }
    expect(await (await fetch(`${listener.url}/other`)).text()).toBe('web 127.0.0.1');
  });

  test('says to go on when asked, and reads chunks', async () => {
    const caller = await openSocket(listener.port);
    await caller.send(
      'POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
    );
    expect(await caller.until(/100 Continue\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await caller.send('3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n');
    await caller.over;
    expect(caller.text()).toEndWith(' abcde');
  });

  test('lets a caller see the refusal of a body it is still sending', async () => {
    const caller = await openSocket(listener.port);
    await caller.send(
      `POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(100_000)}`,
    );
    expect(await caller.until(/no$/)).toStartWith('HTTP/1.1 401');
    await caller.send('x'.repeat(400_000));
    await caller.send(post('/echo', 'next', 'Connection: close\r\n'));
    await caller.over;
    expect(caller.text()).toEndWith('127.0.0.1 next');
  });

  test('closes a connection on which a request comes before the answer to the last', async () => {
    const before = running;
    const answer = await exchange(listener.port, post('/wait', '') + post('/echo', 'second'));
    expect(answer).toBe('');
    expect(running - before).toBe(1);
  });

  test('gives up the request of a caller who leaves, and of one who sends no more', async () => {
    for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const before = aborted.length;
      const caller = await openSocket(listener.port);
      const begun = running;
      await caller.send(post('/wait', 'x'));
      await until(() => running > begun);
      caller.socket[leave]();
      await until(() => aborted.length > before);
      caller.socket.destroy();
    }
  });

  test('streams, waits for a caller who is slow, and knows when one has left', async () => {
    const { caller, stream } = await openedStream();
    stream.sink.write('one');
    stream.sink.write(Buffer.from(' zwölf'));
    expect(stream.sink.flush()).toBeUndefined();
    await caller.until(/one zw\xc3\xb6lf/);
    caller.socket.pause();
    const block = 'a'.repeat(1024 * 1024);
    let taken = stream.sink.flush();
    for (let count = 0; count < 64 && taken === undefined; count += 1) {
      stream.sink.write(block);
      taken = stream.sink.flush();
    }
    expect(taken).toBeInstanceOf(Promise);
    caller.socket.resume();
    await taken;
    stream.sink.close();
    await caller.until(/\r\n0\r\n\r\n$/);
    await caller.send(post('/echo', 'again'));
    await caller.until(/127\.0\.0\.1 again$/);
    expect(stream.left).toBe(false);
    caller.socket.destroy();

    const next = await openedStream();
    next.caller.socket.destroy();
    await until(() => next.stream.left);
  });

  test('counts the running requests of an address, streams and WebSockets until their end', async () => {
    mostPerAddress = 2;
    try {
      const first = await openedStream();
      const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/socket`);
      await new Promise((resolve) => socket.addEventListener('open', resolve));
      const status = async (address = '127.0.0.1') =>
        (await fetch(`${listener.url}/echo`, { method: 'POST', headers: { 'X-Forwarded-For': address } }))
          .status;
      expect(await status()).toBe(429);
      expect((await fetch(`${listener.url}/other`)).status).toBe(429);
      expect(await status('10.0.0.1')).toBe(200);
      first.stream.sink.close();
      expect(await status()).toBe(200);
      const second = await openedStream();
      expect(await status()).toBe(429);
      socket.close();
      let code = 0;
      for (let round = 0; round < 200 && code !== 200; round += 1) code = await status();
      expect(code).toBe(200);
      second.caller.socket.destroy();
      first.caller.socket.destroy();
    } finally {
      mostPerAddress = 0;
    }
  });

  test('counts a stream no longer whose caller left before its head', async () => {
    mostPerAddress = 1;
    try {
      const before = [running, streams.length];
      const caller = await openSocket(listener.port);
      await caller.send(post('/stream', '{}', 'X-Late: 1\r\nX-Forwarded-For: 10.0.0.2\r\n'));
      await until(() => running > (before[0] as number));
      caller.socket.destroy();
      await Bun.sleep(400);
      const headers = { 'X-Forwarded-For': '10.0.0.2' };
      expect((await fetch(`${listener.url}/other`, { headers })).status).toBe(200);
      expect(streams.length).toBe(before[1] as number);
    } finally {
      mostPerAddress = 0;
    }
  });
});

describe('the end of the public port', () => {
  test('running requests and streams are finished, idle connections closed, new ones refused', async () => {
    const other = listen();
    const idle = await openSocket(other.port);
    await idle.send(post('/echo', 'x'));
    await idle.until(/127\.0\.0\.1 x$/);
    const unfinished = await openSocket(other.port);
    await unfinished.send('POST /echo HTTP/1.1\r\nHo');
    const before = streams.length;
    const stream = await openSocket(other.port);
    await stream.send(post('/stream', '{}'));
    await until(() => streams.length > before);
    const { sink } = streams[before] as OpenStream;
    sink.write('first');
    void sink.flush();
    const begun = running;
    const waiting = fetch(`${other.url}/wait`, { method: 'POST', body: 'x' });
    await until(() => running > begun);
    const closed = other.close();
    await idle.over;
    const refused = await fetch(`${other.url}/echo`, { method: 'POST' }).catch(() => 'refused');
    expect(refused).toBe('refused');
    expect(await (await waiting).text()).toBe('waited');
    sink.write('last');
    sink.close();
    await stream.over;
    expect(stream.text()).toMatch(/first[^]*last/);
    expect(stream.text()).toEndWith('\r\n0\r\n\r\n');
    await closed;
    await unfinished.over;
    expect(logged.filter((line) => line.includes('were cut'))).toEqual([]);
  });

  test('N13: what still runs at the end of the drain is cut', async () => {
    const other = listen(0, false, 0);
    const before = streams.length;
    const stream = await openSocket(other.port);
    await stream.send(post('/stream', '{}'));
    await until(() => streams.length > before);
    await other.close();
    await stream.over;
    expect(streams[before]?.left).toBe(true);
    expect(logged.filter((line) => line.includes('were cut'))).toHaveLength(1);
  });

  test('several listeners share a port', async () => {
    const first = listen(0, true);
    const second = listen(first.port, true);
    expect(second.port).toBe(first.port);
    await first.close();
    for (let count = 0; count < 20; count += 1)
      expect((await fetch(`${second.url}/other`, { headers: { Connection: 'close' } })).status).toBe(200);
    await second.close();
  });
});
