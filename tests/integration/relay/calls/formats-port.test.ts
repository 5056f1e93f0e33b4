// The formats on the public port of the whole application, where calls pass more layers than in the relay's harness.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream, behaviourMessage, type MockUpstream } from '#mock/upstream/index.ts';
import { eventually } from './harness.ts';

let application: TestApplication;
let mock: MockUpstream;
let userId: number;
const key = 'k'.repeat(48);
const sentence = 'Hello! I am a mock model, and this is a steady answer.';

beforeAll(async () => {
  mock = startMockUpstream();
  application = await startApplication();
  const { store } = application;
  ({ id: userId } = await application.createUser({ quota: 100_000_000 }));
  await store.db
    .insertInto('tokens')
    .values({
      name: 'test',
      key_digest: store.vault.digest('token', key),
      created_time: 1,
      unlimited_quota: 1,
      status: 1,
      user_id: userId,
      deleted_at: null,
    })
    .execute();
  await addChannel(store, { base_url: mock.url, models: ['claude-opus-4-5'], type: CHANNEL_TYPE.anthropic });
  await addChannel(store, { base_url: mock.url, models: ['gemini-2.5-flash'], type: CHANNEL_TYPE.gemini });
  // The relay loads the channels after their announcement.
  await eventually(
    () =>
      post('/v1/messages/count_tokens', {
        model: 'gemini-2.5-flash',
        messages: [{ role: 'user', content: 'x' }],
      }),
    (response) => response.status === 200,
  );
});
afterAll(async () => {
  await application.close();
  await mock.stop();
});

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(application.url + path, {
    method: 'POST',
    headers: { 'x-api-key': `sk-${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

test('Anthropic’s SDK on a Gemini upstream, and Google’s on an Anthropic one', async () => {
  const claude = new Anthropic({ baseURL: application.url, apiKey: `sk-${key}`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Say hello' }];
  const final = await claude.messages
    .stream({ model: 'gemini-2.5-flash', max_tokens: 99, messages })
    .finalMessage();
  expect(final.content).toMatchObject([{ type: 'text', text: sentence }]);
  const gemini = new GoogleGenAI({ apiKey: `sk-${key}`, httpOptions: { baseUrl: application.url } });
  const asked = { model: 'claude-opus-4-5', contents: 'Say hello' };
  expect((await gemini.models.generateContent(asked)).text).toBe(sentence);
  let text = '';
  for await (const chunk of await gemini.models.generateContentStream(asked)) text += chunk.text ?? '';
  expect(text).toBe(sentence);
  expect((await gemini.models.countTokens(asked)).totalTokens).toBeGreaterThan(2);
});

test('W4 a stream as one JSON array, a path without its version, and errors in the caller’s format', async () => {
  const contents = [{ parts: [{ text: 'Say hello' }] }];
  const array = await post('/v1beta/models/claude-opus-4-5:streamGenerateContent', { contents });
  expect(array.headers.get('content-type')).toStartWith('application/json');
  expect(((await array.json()) as unknown[]).length).toBeGreaterThan(3);
  const unversioned = await post('/models/claude-opus-4-5:generateContent', { contents });
  expect(await unversioned.json()).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  const wrong = await post('/v1/messages', { model: 'gemini-2.5-flash', max_tokens: 9, messages: 7 });
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
});

test('a caller who leaves a converted stream pays for what was delivered, and the upstream is closed too', async () => {
  const controller = new AbortController();
  const content = behaviourMessage({ endless: true, chunkDelayMilliseconds: 1, tag: 'left' });
  const body = { model: 'claude-opus-4-5', input: content, stream: true };
  const response = await post('/v1/responses', body, controller.signal);
  const reader = response.body?.getReader();
  for (let part = 0; part < 5; part += 1) await reader?.read();
  controller.abort();
  const served = () => mock.requests.find(({ tag }) => tag === 'left')?.ending;
  expect(await eventually(served, (ending) => ending === 'aborted')).toBe('aborted');
  const { db } = application.store;
  const rows = await eventually(
    () => db.selectFrom('logs').selectAll().where('user_id', '=', userId).execute(),
    (list) => list.some(({ other }) => other.includes('client_left')),
  );
  expect(rows.find(({ other }) => other.includes('client_left'))?.quota).toBeGreaterThan(0);
});
