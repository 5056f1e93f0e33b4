// Realtime sessions whose first channel refuses them, and responses that nobody asked for.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, startRelay, type RelayHarness } from './harness.ts';
import { openRealtime, patience, silence } from './realtime-caller.ts';

setDefaultTimeout(60_000);

let relay: RelayHarness;
beforeEach(async () => {
  relay = await startRelay({ settings: { RetryTimes: '2' } });
});
afterEach(() => relay[Symbol.asyncDispose]());

async function rowsOf(userId: number, count: number) {
  return await eventually(
    () => relay.logs(userId),
    (rows) => rows.length >= count,
    patience,
  );
}

test('a channel that refuses a session is free for the next one', async () => {
  let refused = 0;
  const upstream: Server = createServer((_, response) => response.writeHead(404).end());
  upstream.on('upgrade', (_, socket) => {
    refused += 1;
    socket.end('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => void upstream.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = upstream.address() as AddressInfo;
    const fields = { max_concurrency: 1 };
    await relay.channel({ base_url: `http://127.0.0.1:${port}`, priority: 9, name: 'refuses', fields });
    await relay.channel({ priority: 1, name: 'serves' });
    const token = await relay.token();
    for (const sessions of [1, 2, 3]) {
      const caller = await openRealtime(relay.url, token.key);
      caller.send({ type: 'response.create', response: { output_modalities: ['text'] } });
      await caller.until('response.done');
      caller.leave();
      const row = (await rowsOf(token.userId, sessions)).at(-1);
      expect(row).toMatchObject({ type: 2, channel_name: 'serves' });
      const { admin_info: info } = JSON.parse(row?.other ?? '{}') as {
        admin_info: { attempts: { status: number }[] };
      };
      expect([refused, info.attempts.map(({ status }) => status)]).toEqual([sessions, [500, 101]]);
    }
  } finally {
    upstream.close();
  }
});

test('the report of a response that nobody asked for is believed up to the limit that was held for it', async () => {
  await relay.channel();
  const token = await relay.token({ quota: 100_000_000 });
  relay.mock.behave({ outputTokens: 5, usage: { inputTokens: 60, outputTokens: 3000, reasoningTokens: 0 } });
  const caller = await openRealtime(relay.url, token.key);
  caller.send({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
  caller.send({ type: 'input_audio_buffer.append', audio: silence(4) });
  await caller.until('response.done');
  caller.leave();
  const [row] = await rowsOf(token.userId, 1);
  expect(row).toMatchObject({ prompt_tokens: 60, completion_tokens: 3000, estimated: 0 });
  expect(JSON.parse(row?.other ?? '{}')).not.toHaveProperty('doubts');
});
