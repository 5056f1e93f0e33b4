// Realtime in both directions against a peer that stops reading: the other peer is slowed down, memory stays small.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { flood, startRawUpstream } from '#tests/support/raw-upstream.ts';
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
  expect(await Promise.race([closed, Bun.sleep((stalledReaderSeconds + 4) * 1000)])).toBe(1011);
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
      (stalledReaderSeconds + 8) * 1000,
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
