// Findings of clients and captured traffic (W…), each through the real relay against an upstream that the test scripts.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { chatAnswer, startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts';

setDefaultTimeout(20_000);

let relay: RelayHarness;
let upstream: ScriptedUpstream;
let token: TestToken;

const channelTypes: Readonly<Record<string, number>> = {
  openai: CHANNEL_TYPE.openAi,
  'deepseek-chat': CHANNEL_TYPE.deepSeek,
  'claude-sonnet-4-5': CHANNEL_TYPE.anthropic,
  'gemini-2.5-flash': CHANNEL_TYPE.gemini,
};

beforeAll(async () => {
  upstream = startScriptedUpstream();
  const names = Object.keys(channelTypes);
  relay = await startRelay({
    settings: {
      ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
      RetryTimes: '0',
    },
  });
  token = await relay.token();
  for (const [name, type] of Object.entries(channelTypes))
    await addChannel(relay.store, { type, name, base_url: upstream.url, models: [name], key: 'sk-key' });
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const get = (path: string, headers: Record<string, string>) => fetch(relay.url + path, { headers });
const bearer = () => ({ Authorization: `Bearer ${token.key}` });
const chat = { model: 'openai', messages: [{ role: 'user', content: 'Hi' }] };

describe('paths and listings', () => {
  test('W4 a misspelt path is served', async () => {
    upstream.answer = () => chatAnswer();
    const paths = ['/v1/v1/chat/completions', '//v1/chat/completions', '/v1/chat/completions/'];
    for (const path of [...paths, '/chat/completions', '/v1//chat/completions', '/v1beta/chat/completions']) {
      const answer = await relay.post(path, token.key, chat);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
    }
  });

  test('W4 model lists at paths without a version or with a slash at the end, and JSON at /v1', async () => {
    for (const path of ['/models', '/v1/models/', '//v1/models', '/v1/v1/models']) {
      const answer = await get(path, bearer());
      expect(await answer.json()).toMatchObject({ object: 'list', data: [{ object: 'model' }, {}, {}, {}] });
    }
    const bare = await get('/v1', bearer());
    expect(bare.status).toBe(404);
    expect(await bare.json()).toMatchObject({ error: { code: 'unknown_route' } });
  });

  test('W8 one model is described in the dialect of the caller, and so are refusals', async () => {
    const google = { 'x-goog-api-key': token.key };
    const anthropic = { 'x-api-key': token.key, 'anthropic-version': '2023-06-01' };
    expect(await (await get('/v1/models/openai', google)).json()).toMatchObject({ name: 'models/openai' });
    const gemini = { error: { code: 404, status: 'NOT_FOUND' } };
    for (const path of ['/v1/models/missing', '/v1beta/foo', '/v1/foo'])
      expect(await (await get(path, google)).json()).toMatchObject(gemini);
    expect(await (await get('/v1beta/foo', {})).json()).toMatchObject(gemini);
    for (const path of ['/v1/models/missing', '/v1/foo'])
      expect(await (await get(path, anthropic)).json()).toMatchObject({
        type: 'error',
        error: { type: 'not_found_error' },
      });
    const wrong = await relay.post('/v1/v1/messages', token.key, { model: 'openai' });
    expect(await wrong.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });
});
