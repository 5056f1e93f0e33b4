// Realtime in both directions against a peer that stops reading: the other peer is slowed down, memory stays small.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { flood, startRawUpstream } from '#tests/support/raw-upstream.ts';
import { openRealtime, patience } from './realtime-caller.ts';
import { eventually, startRelay, type RelayHarness } from './harness.ts';

const megabyte = 1024 * 1024;
const plannedMegabytes = 800;
const stalledReaderSeconds = 4;

let relay: RelayHarness;
beforeEach(async () => {
  relay = await startRelay({ timeouts: { stalledReaderSeconds } });
});
afterEach(() => relay[Symbol.asyncDispose]());

/** Accepts the handshake of a WebSocket; the test does the rest. */
function accept(socket: Socket, head: string): void {
  const key = /^sec-websocket-key: (\S+)/im.exec(head)?.[1] ?? '';
  const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
  );
}

async function openCaller(url: string): Promise<WebSocket & { pause(): void }> {
  await relay.channel({ base_url: url });
  const token = await relay.token();
  const socket = new WebSocket(`${relay.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, [
    'realtime',
    `openai-insecure-api-key.${token.key}`,
  ]) as WebSocket & { pause(): void };
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('not opened')));
  });
  return socket;
}

test('S8 an upstream that stops reading slows the caller down, and is closed after a while', async () => {
  await using upstream = await startRawUpstream((socket) => socket.pause(), { onHead: accept });
  const caller = await openCaller(upstream.url.replace('upstream.test', '127.0.0.1'));
  const closed = new Promise<number>((resolve) => {
    caller.addEventListener('close', ({ code }) => resolve(code));
  });
  const before = process.memoryUsage().rss;
  const message = JSON.stringify({ type: 'input_audio_buffer.append', audio: 'A'.repeat(megabyte) });
  let sent = 0;
  let idle = 0;
  // The caller sends as fast as its connection accepts.
  while (sent < plannedMegabytes && idle < 100 && caller.readyState === WebSocket.OPEN) {
    if (caller.bufferedAmount > 2 * megabyte) {
      idle += 1;
      await Bun.sleep(10);
    } else {
      caller.send(message);
      sent += 1;
      idle = 0;
      if (sent % 8 === 0) await Bun.sleep(0);
    }
  }
  expect(sent).toBeGreaterThan(1);
  // The kernel's buffers of the two connections, and a little of the gateway's.
  expect(sent).toBeLessThan(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte);
  expect(await Promise.race([closed, Bun.sleep(patience)])).toBe(1011);
  expect(
    await eventually(
      () => relay.holds(),
      (holds) => holds === 0,
    ),
  ).toBe(0);
});

test('S8 a caller that stops reading slows the upstream down, and is closed after a while', async () => {
  let sent = 0;
  const payload = Buffer.alloc(megabyte, 'x');
  const frame = Buffer.concat([Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 0x10, 0, 0]), payload]);
  await using upstream = await startRawUpstream(() => undefined, {
    onHead(socket, head) {
      accept(socket, head);
      flood(socket, frame, () => (sent += 1) > plannedMegabytes);
    },
  });
  const before = process.memoryUsage().rss;
  const caller = await openCaller(upstream.url.replace('upstream.test', '127.0.0.1'));
  caller.pause();
  await Bun.sleep(2000);
  expect(sent).toBeGreaterThan(1);
  expect(sent).toBeLessThan(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte);
  expect(
    await eventually(
      () => upstream.open(),
      (open) => open === 0,
    ),
  ).toBe(0);
  expect(
    await eventually(
      () => relay.holds(),
      (holds) => holds === 0,
    ),
  ).toBe(0);
  caller.close();
});

test('M2 messages that wait for the hold slow the upstream down, and the session ends after a while', async () => {
  let sent = 0;
  const event = { type: 'response.output_audio.delta', response_id: 'r', delta: 'A'.repeat(megabyte) };
  const payload = Buffer.from(JSON.stringify(event));
  const head = Buffer.alloc(10);
  head.writeUInt8(0x81, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  const frame = Buffer.concat([head, payload]);
  await using upstream = await startRawUpstream(() => undefined, {
    onHead(socket, request) {
      accept(socket, request);
      flood(socket, frame, () => (sent += 1) > plannedMegabytes);
    },
  });
  let extensions = 0;
  relay.ledger.extend = () => {
    extensions += 1;
    return new Promise(() => {});
  };
  const before = process.memoryUsage().rss;
  const caller = await openCaller(upstream.url.replace('upstream.test', '127.0.0.1'));
  const closed = new Promise<number>((resolve) => {
    caller.addEventListener('close', ({ code }) => resolve(code));
  });
  const received: string[] = [];
  caller.addEventListener('message', ({ data }) => received.push(String(data)));
  await Bun.sleep(2000);
  expect(extensions).toBe(1);
  expect(sent).toBeGreaterThan(1);
  expect(sent).toBeLessThan(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte);
  expect(await Promise.race([closed, Bun.sleep(patience)])).toBe(1013);
  expect(received).toHaveLength(1);
  expect(received[0]).toContain('"code":"unavailable"');
  expect(await relay.holds()).toBe(0);
});

test('a caller that does not answer pings is gone after a while; a silent one that answers is not', async () => {
  await using watched = await startRelay({ callerSeconds: { silentSocket: 8 } });
  await watched.channel();
  const { key } = await watched.token();
  const caller = await openRealtime(watched.url, key);
  const vanished = connect(watched.port, '127.0.0.1');
  vanished.write(
    `GET /v1/realtime?model=gpt-realtime HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  vanished.resume();
  const untilHolds = (count: number) =>
    eventually(
      () => watched.holds(),
      (holds) => holds === count,
      30_000,
    );
  expect(await untilHolds(2)).toBe(2);
  expect(await untilHolds(1)).toBe(1);
  expect(await Promise.race([caller.closed, Bun.sleep(10_000).then(() => 'open')])).toBe('open');
  caller.leave();
  await caller.closed;
  expect(await untilHolds(0)).toBe(0);
});
