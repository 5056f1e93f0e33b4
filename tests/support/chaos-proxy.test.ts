import { afterAll, describe, expect, test } from 'bun:test';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { startChaosProxy } from './chaos-proxy.ts';

/** Greets, echoes, and says goodbye after the other side's FIN. */
const server = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => socket.write(data));
  socket.on('end', () => socket.end('bye'));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const target = { port: (server.address() as AddressInfo).port };
afterAll(() => void server.close());

class Caller {
  readonly socket: Socket;
  readonly pieces: string[] = [];
  ending = '';
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.socket.on('data', (data) => this.pieces.push(data.toString()));
    this.socket.on('end', () => {
      this.ending ||= 'end';
      this.socket.end();
    });
    this.socket.on('error', (error) => {
      this.ending = (error as NodeJS.ErrnoException).code ?? 'error';
    });
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve()));
  }

  get text(): string {
    return this.pieces.join('');
  }

  async until(condition: () => boolean): Promise<void> {
    for (let attempt = 0; attempt < 400; attempt += 1) {
      if (condition()) return;
      await Bun.sleep(5);
    }
    throw new Error(`never came: received ${JSON.stringify(this.text)}, ending ${this.ending}`);
  }
}

describe('a clean proxy', () => {
  test('passes bytes both ways and ends when both sides have ended', async () => {
    await using proxy = await startChaosProxy(target);
    const caller = new Caller(proxy.port);
    caller.socket.end('hello');
    await caller.closed;
    expect(caller.text).toBe('hellobye');
    expect(caller.ending).toBe('end');
    await caller.until(() => proxy.connections() === 0);
  });

  test('carries megabytes unchanged', async () => {
    await using proxy = await startChaosProxy(target);
    const caller = new Caller(proxy.port);
    const payload = 'abcdefghij'.repeat(300_000);
    caller.socket.end(payload);
    await caller.closed;
    expect(caller.text === `${payload}bye`).toBe(true);
  });
});

describe('a spoiled proxy', () => {
  test('delays', async () => {
    await using proxy = await startChaosProxy(target);
    proxy.spoil({ toClient: { delayMilliseconds: 80 } });
    const caller = new Caller(proxy.port);
    const started = performance.now();
    caller.socket.write('x');
    await caller.until(() => caller.text === 'x');
    expect(performance.now() - started).toBeGreaterThanOrEqual(79);
  });

  test('slices', async () => {
    await using proxy = await startChaosProxy(target);
    proxy.spoil({ toClient: { sliceBytes: 2, delayMilliseconds: 2 } });
    const caller = new Caller(proxy.port);
    caller.socket.write('abcdefg');
    await caller.until(() => caller.text === 'abcdefg');
    expect(caller.pieces).toEqual(['ab', 'cd', 'ef', 'g']);
  });

  test('limits the rate', async () => {
    await using proxy = await startChaosProxy(target);
    proxy.spoil({ toClient: { bytesPerSecond: 10_000 } });
    const caller = new Caller(proxy.port);
    const started = performance.now();
    caller.socket.write('x'.repeat(3_000));
    await caller.until(() => caller.text.length === 3_000);
    expect(performance.now() - started).toBeGreaterThan(250);
  });

  test('stalls without closing, and flows again when the wire is clean', async () => {
    await using proxy = await startChaosProxy(target);
    proxy.spoil({ toClient: { stallAfterBytes: 3 } });
    const caller = new Caller(proxy.port);
    caller.socket.write('abcdef');
    await caller.until(() => caller.text === 'abc');
    await Bun.sleep(50);
    expect(caller.text).toBe('abc');
    expect(caller.ending).toBe('');
    proxy.spoil({});
    await caller.until(() => caller.text === 'abcdef');
    caller.socket.destroy();
  });

  test('resets after the given byte, and resets everything on demand', async () => {
    await using proxy = await startChaosProxy(target);
    proxy.spoil({ toClient: { resetAfterBytes: 4, delayMilliseconds: 10 } });
    const first = new Caller(proxy.port);
    first.socket.write('abcdef');
    await first.closed;
    expect(first.ending).toBe('ECONNRESET');
    expect(first.text.length).toBeLessThanOrEqual(4);
    proxy.spoil({});
    const second = new Caller(proxy.port);
    second.socket.write('ok');
    await second.until(() => second.text === 'ok');
    proxy.resetAll();
    await second.closed;
    expect(second.ending).toBe('ECONNRESET');
  });

  test('half-closes: the caller sees the end, the server still reads', async () => {
    await using proxy = await startChaosProxy(target);
    proxy.spoil({ toClient: { halfCloseAfterBytes: 2 } });
    const caller = new Caller(proxy.port);
    caller.socket.write('abcd');
    await caller.until(() => caller.ending === 'end');
    expect(caller.text).toBe('ab');
    await caller.closed;
  });

  test('refuses new connections while switched to refuse', async () => {
    await using proxy = await startChaosProxy(target);
    proxy.refuse(true);
    const refused = new Caller(proxy.port);
    await refused.closed;
    expect(refused.ending).toBe('ECONNRESET');
    proxy.refuse(false);
    const served = new Caller(proxy.port);
    served.socket.write('hi');
    await served.until(() => served.text === 'hi');
    served.socket.destroy();
  });

  test('a reset by the server reaches the client as a reset', async () => {
    const hostile = createServer((socket) => setTimeout(() => socket.resetAndDestroy(), 10));
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    await using proxy = await startChaosProxy({ port: (hostile.address() as AddressInfo).port });
    const caller = new Caller(proxy.port);
    await caller.closed;
    expect(caller.ending).toBe('ECONNRESET');
    hostile.close();
  });
});
