// Every end of a call frees its hold and its place at the channel: a refusal, a whole stream, a caller who leaves between two
// steps of a call.
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { startRawUpstream, whole } from '#tests/support/raw-upstream.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;
let slowName: PromiseWithResolvers<readonly string[]>;
let isNameAsked: boolean;

beforeEach(async () => {
  slowName = Promise.withResolvers();
  isNameAsked = false;
  const resolve = async (name: string) => {
    if (name !== 'slow.test') return ['127.0.0.1'];
    isNameAsked = true;
    return await slowName.promise;
  };
  relay = await startRelay({ settings: { RetryTimes: '2' }, egress: { resolve } });
  token = await relay.token();
});
afterEach(() => relay[Symbol.asyncDispose]());

/** Answers how to leave. */
function callChat(extra: object): () => void {
  const controller = new AbortController();
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...extra };
  fetch(`${relay.url}/v1/chat/completions`, {
    method: 'POST',
    signal: controller.signal,
    headers: { Authorization: `Bearer ${token.key}` },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  return () => controller.abort();
}

const holdsLeft = (count: number) =>
  eventually(
    () => relay.holds(),
    (holds) => holds === count,
  );

test('M20 a caller who leaves during the attempt after a refused stream closes that attempt', async () => {
  const refusal = whole('data: {"error":{"message":"busy"}}\n\n', 'text/event-stream');
  await using first = await startRawUpstream((socket) => socket.write(refusal));
  await using second = await startRawUpstream(() => {});
  await relay.channel({ base_url: first.url, priority: 5 });
  await relay.channel({ base_url: second.url });
  const leave = callChat({ stream: true });
  await eventually(
    () => second.received.length,
    (count) => count === 1,
  );
  leave();
  expect(
    await eventually(
      () => second.open(),
      (open) => open === 0,
    ),
  ).toBe(0);
  expect(await holdsLeft(0)).toBe(0);
});

test('M20 a caller who leaves before the second attempt is sent pays nothing for the one that failed', async () => {
  await using first = await startRawUpstream((socket) =>
    socket.write('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n'),
  );
  await using second = await startRawUpstream(() => {});
  await relay.channel({ base_url: first.url, priority: 5 });
  await relay.channel({ base_url: second.url.replace('upstream.test', 'slow.test') });
  const leave = callChat({});
  await eventually(
    () => isNameAsked,
    (isAsked) => isAsked,
  );
  leave();
  // The relay looks for callers who left eight times a second.
  await Bun.sleep(400);
  slowName.resolve(['127.0.0.1']);
  expect(await holdsLeft(0)).toBe(0);
  expect(second.received).toHaveLength(0);
  expect((await relay.userRow(token.userId)).used_quota).toBe(0);
});

function acceptSocket(socket: Socket, head: string): void {
  const key = /^sec-websocket-key: (\S+)/im.exec(head)?.[1] ?? '';
  const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
  );
  // The only frame that follows is the closing one.
  socket.once('data', () => socket.end());
}

function callRealtime(): Socket {
  const socket = connect(relay.port, '127.0.0.1', () =>
    socket.write(
      `GET /v1/realtime?model=gpt-realtime HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    ),
  );
  return socket.on('error', () => {});
}

test('U14 a caller who leaves during a realtime handshake frees one place of the channel, not two', async () => {
  const heads: (() => void)[] = [];
  await using upstream = await startRawUpstream(() => {}, {
    onHead: (socket, head) => heads.push(() => acceptSocket(socket, head)),
  });
  await relay.channel({ base_url: upstream.url, fields: { max_concurrency: 2 } });
  const [staying, leaving] = [callRealtime(), callRealtime()];
  const answers: string[] = [];
  staying.on('data', (bytes) => answers.push(bytes.toString()));
  await eventually(
    () => heads.length,
    (count) => count === 2,
  );
  leaving.destroy();
  await Bun.sleep(100);
  for (const accept of heads.splice(0)) accept();
  await eventually(
    () => upstream.open(),
    (open) => open === 1,
  );
  expect(upstream.open()).toBe(1);
  expect(await holdsLeft(1)).toBe(1);
  expect(answers.join('')).toStartWith('HTTP/1.1 101');
  // One of two places is free.
  const next = callRealtime();
  await eventually(
    () => heads.length,
    (count) => count === 1,
  );
  const refused = callRealtime();
  const answer = Promise.withResolvers<string>();
  refused.on('data', (bytes) => answer.resolve(bytes.toString()));
  expect(await answer.promise).toStartWith('HTTP/1.1 503');
  for (const socket of [staying, next, refused]) socket.destroy();
  for (const accept of heads) accept();
  expect(await holdsLeft(0)).toBe(0);
});

test('U14 a call that is refused for lack of balance, and a stream that ends, free their place of the channel', async () => {
  await relay.channel({ fields: { max_concurrency: 1 } });
  const poor = await relay.token({ quota: 1 });
  const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  const statusOf = async (key: string, extra: object = {}) => {
    const response = await relay.post('/v1/chat/completions', key, { ...chat, ...extra });
    await response.text();
    return response.status;
  };
  for (let round = 0; round < 2; round += 1) {
    expect(await statusOf(poor.key)).toBe(403);
    expect(await statusOf(token.key, { stream: true })).toBe(200);
  }
  expect(await statusOf(token.key)).toBe(200);
});

test('M20 a stream that the balance cannot pay sends nothing that is not charged', async () => {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word '.repeat(100) } }] })}\n\n`;
  const events = 400;
  // In one piece, so that the balance ends in the middle of what was read.
  await using upstream = await startRawUpstream((socket) =>
    socket.write(whole(`${event.repeat(events)}data: [DONE]\n\n`, 'text/event-stream')),
  );
  await relay.channel({ base_url: upstream.url });
  const run = async ({ key, userId }: TestToken) => {
    const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] };
    const text = await (await relay.post('/v1/chat/completions', key, body)).text();
    return { sent: text.split('data: {"choices"').length - 1, row: await relay.lastLog(userId) };
  };
  const rich = await run(token);
  expect(rich.sent).toBe(events);
  const poor = await run(await relay.token({ quota: 40_000 }));
  expect(poor.sent).toBeGreaterThan(0);
  expect(poor.sent).toBeLessThan(events);
  expect(poor.row.completion_tokens).toBe((rich.row.completion_tokens / events) * poor.sent);
});
