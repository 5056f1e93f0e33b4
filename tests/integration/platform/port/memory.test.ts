// What callers can make the process hold: requests sent ahead and never read (S1), bodies in one-byte chunks (S12). The
// real process, so that its memory is its own.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startGateway, type Gateway } from '#tests/support/gateway.ts';
import { cpuMicroseconds } from '#tests/bench/process-stats.ts';
import { memoryOf, openSocket, type RawSocket } from '#tests/support/raw-socket.ts';
import { createKey } from './key.ts';

setDefaultTimeout(120_000);

const password = 'port-root-password';
const connections = 10;
const requestsEach = 30_000;
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ environment: { INITIAL_ROOT_PASSWORD: password } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
});

/** On a busy machine the gateway waits for the processor, so the time it computes until its answer counts. */
async function healthMilliseconds(): Promise<number> {
  const begun = performance.now();
  const used = cpuMicroseconds(gateway.pid);
  const response = await fetch(`${gateway.url}/healthz`, { headers: { Connection: 'close' } });
  expect(response.status).toBe(200);
  await response.text();
  return Math.min(performance.now() - begun, (cpuMicroseconds(gateway.pid) - used) / 1000);
}

describe('S1 requests sent ahead and never read', () => {
  const head = 'HTTP/1.1\r\nHost: x\r\n';
  test.each([
    ['calls without a key', `POST /v1/chat/completions ${head}Content-Length: 2\r\n\r\n{}`],
    ['calls with a wrong key', `POST /v1/messages ${head}x-api-key: sk-no\r\nContent-Length: 2\r\n\r\n{}`],
    ['unknown paths of the relay', `GET /v1/nothing ${head}\r\n`],
    ['preflights', `OPTIONS /v1/models ${head}Origin: http://a.example\r\n\r\n`],
    ['the API', `GET /api/status ${head}\r\n`],
    ['health checks', `GET /healthz ${head}\r\n`],
    ['malformed hosts', `GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n`],
  ])('%s: memory stays under 300 MB and health checks under a second', async (_what, request) => {
    const bytes = Buffer.from(request.repeat(requestsEach));
    const callers: RawSocket[] = [];
    try {
      for (let count = 0; count < connections; count += 1) {
        const caller = await openSocket(gateway.port);
        caller.socket.pause();
        caller.socket.write(bytes);
        callers.push(caller);
      }
      for (let check = 0; check < 10; check += 1) {
        expect(await healthMilliseconds()).toBeLessThan(1000);
        await Bun.sleep(100);
      }
      expect(memoryOf(gateway.pid).peak).toBeLessThan(300);
    } finally {
      for (const { socket } of callers) socket.destroy();
    }
  });
});

describe('S12 one-byte chunks', () => {
  test('a body in one-byte chunks costs no more than a few times its size', async () => {
    const key = await createKey(gateway.url, password);
    const megabytes = 8;
    const chunks = Buffer.from('1\r\na\r\n'.repeat(128 * 1024));
    const before = memoryOf(gateway.pid);
    const caller = await openSocket(gateway.port);
    await caller.send(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    let slowest = 0;
    for (let sent = 0; sent < megabytes * 8; sent += 1) {
      await caller.send(chunks);
      if (sent % 16 === 0) slowest = Math.max(slowest, await healthMilliseconds());
    }
    await caller.send('0\r\n\r\n');
    expect(await caller.until(/\r\n\r\n[^]*\}$/)).toStartWith('HTTP/1.1 400');
    caller.socket.destroy();
    expect(Math.max(memoryOf(gateway.pid).peak - before.peak, 0)).toBeLessThan(megabytes * 10);
    expect(slowest).toBeLessThan(1000);
  });
});
