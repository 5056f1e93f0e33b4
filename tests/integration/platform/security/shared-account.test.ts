// Objects that lie in an upstream's account, which all users share: user B sends the ids of user A's in every API. The table of
// places is tested beside it; here each way into an upstream is tried.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { toFile } from 'openai';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import {
  openStation,
  MODEL,
  CLAUDE,
  line,
  upload,
  type Station,
} from '#tests/integration/relay/batches/support.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(120_000);

let relay: RelayHarness;
let token: TestToken;
beforeAll(async () => {
  relay = await startRelay();
  await relay.channel({ models: ['gpt-4o', 'gpt-5', 'gpt-image-1'] });
  await relay.channel({ type: CHANNEL_TYPE.anthropic, models: ['claude-opus-4-5'] });
  await relay.channel({ type: CHANNEL_TYPE.gemini, models: ['gemini-2.5-flash'] });
  token = await relay.token();
});
afterEach(() => relay.mock.reset());
afterAll(() => relay[Symbol.asyncDispose]());

const user = (...parts: unknown[]) => [{ role: 'user', content: parts }];
const googleFile = 'https://generativelanguage.googleapis.com/v1beta/files/abc';
const picture = (url: string) => ({ type: 'image_url', image_url: { url } });
const chat = (...parts: unknown[]) => ({ model: 'gpt-4o', messages: user(...parts) });
const gemini = '/v1beta/models/gemini-2.5-flash';

const attacks: [string, string, object][] = [
  ['a file in Chat', '/v1/chat/completions', chat({ type: 'file', file: { file_id: 'file_a' } })],
  [
    'a file in Chat whose name is spelt with escapes',
    '/v1/chat/completions',
    chat({ type: 'file', file: { file_id: 'file-aaaaaaaaaaaaaaaaaaaaaaaa' } }),
  ],
  [
    'a Gemini file as a picture of Chat',
    '/v1/chat/completions',
    { ...chat(picture(googleFile)), model: 'gemini-2.5-flash' },
  ],
  [
    'an object of a bucket as a picture of Messages',
    '/v1/messages',
    {
      model: 'gemini-2.5-flash',
      max_tokens: 5,
      messages: user({ type: 'image', source: { type: 'url', url: 'gs://bucket/a.png' } }),
    },
  ],
  [
    'a file in Messages',
    '/v1/messages',
    {
      model: 'claude-opus-4-5',
      max_tokens: 5,
      messages: user({ type: 'document', source: { type: 'file', file_id: 'file_a' } }),
    },
  ],
  [
    'a container in Messages',
    '/v1/messages',
    { model: 'claude-opus-4-5', max_tokens: 5, container: 'container_a', messages: user() },
  ],
  [
    'a file where tokens of Messages are counted',
    '/v1/messages/count_tokens',
    {
      model: 'claude-opus-4-5',
      messages: user({ type: 'document', source: { type: 'file', file_id: 'file_a' } }),
    },
  ],
  ['a cache of Gemini', `${gemini}:generateContent`, { contents: [], cachedContent: 'cachedContents/a' }],
  [
    'a cache of Gemini in a stream',
    `${gemini}:streamGenerateContent?alt=sse`,
    { contents: [], cached_content: 'cachedContents/a' },
  ],
  [
    'a file of Gemini',
    `${gemini}:generateContent`,
    { contents: [{ parts: [{ fileData: { fileUri: googleFile } }] }] },
  ],
  [
    'a cache of Gemini where tokens are counted',
    `${gemini}:countTokens`,
    { generateContentRequest: { contents: [], cachedContent: 'cachedContents/a' } },
  ],
  [
    'a picture that another response made',
    '/v1/responses',
    { model: 'gpt-5', input: [{ type: 'image_generation_call', id: 'ig_a' }] },
  ],
  ['an item', '/v1/responses', { model: 'gpt-5', input: [{ type: 'item_reference', id: 'msg_a' }] }],
  [
    'a container',
    '/v1/responses',
    { model: 'gpt-5', input: [{ type: 'code_interpreter_call', id: 'ci', container_id: 'cntr_a' }] },
  ],
  ['a stored prompt', '/v1/responses', { model: 'gpt-5', prompt: { id: 'pmpt_a' } }],
  [
    'a file to edit as a picture',
    '/v1/images/edits',
    { model: 'gpt-image-1', prompt: 'x', images: [{ file_id: 'file_a' }] },
  ],
];

test.each(attacks)(
  '%s cannot be named: nothing is sent, nothing is charged (S24)',
  async (name, path, body) => {
    const before = (await relay.userRow(token.userId)).quota;
    const text = JSON.stringify(body);
    const answer = await fetch(`${relay.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token.key}`, 'Content-Type': 'application/json' },
      body: name.includes('escapes') ? text.replace('"file_id"', String.raw`"file\u005fid"`) : text,
    });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('all users share')]);
    expect(relay.mock.requests).toEqual([]);
    expect([(await relay.userRow(token.userId)).quota, await relay.holds()]).toEqual([before, 0]);
  },
);

test('a field of a form cannot name a file either (S24)', async () => {
  const form = new FormData();
  form.set('model', 'gpt-image-1');
  form.set('prompt', 'x');
  form.set('images[0][file_id]', 'file_a');
  form.set('image', new Blob(['x']), 'a.png');
  const answer = await fetch(`${relay.url}/v1/images/edits`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token.key}` },
    body: form,
  });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('state_not_here')]);
  expect(relay.mock.requests).toEqual([]);
});

test('a user may name what an upstream issued to it, on the channel that did; another user may not (S24)', async () => {
  const client = relay.sdk(token);
  const first = await client.responses.create({ model: 'gpt-5', input: 'Hello' });
  const id = String(first.output.find(({ type }) => type === 'message')?.id);
  const input = [
    { type: 'item_reference', id },
    { role: 'user', content: 'Go on' },
  ] as const;
  await client.responses.create({ model: 'gpt-5', input: [...input] });
  expect(JSON.stringify(relay.mock.requests.at(-1)?.body)).toContain(id);
  const sent = relay.mock.requests.length;
  const other = relay.sdk(await relay.token());
  const refused = await other.responses
    .create({ model: 'gpt-5', input: [...input] })
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 400, code: 'state_not_here', param: 'input[0]' });
  expect(relay.mock.requests).toHaveLength(sent);
});

test('requests of batches name nothing of others, and own files reach Responses under the upstream’s id (S24, W29)', async () => {
  const station: Station = await openStation('sqlite');
  try {
    const { openai, anthropic } = await station.caller();
    const body = { input: [{ type: 'item_reference', id: 'msg_a' }] };
    const lines: [string, object, string][] = [
      ['/v1/responses', body, 'input[0]'],
      ['/v1/responses', { prompt: { id: 'pmpt_a' } }, 'prompt'],
      [
        '/v1/chat/completions',
        { messages: user({ type: 'file', file: { file_id: 'file_a' } }) },
        'messages[0].content[0].file.file_id',
      ],
    ];
    for (const [url, more, param] of lines) {
      const refused = await upload(openai, [line('one', { ...more }, url)]).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 400, code: 'state_not_here', param });
    }
    const refused = await anthropic.messages.batches
      .create({
        requests: [
          {
            custom_id: 'one',
            params: { model: CLAUDE, max_tokens: 5, messages: [], container: 'container_a' },
          },
        ],
      })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400 });
    expect(String(refused)).toContain('container');
    const file = await openai.files.create({
      file: await toFile(Buffer.from('hi'), 'a.txt'),
      purpose: 'user_data',
    });
    const asked: string[] = [];
    station.openai.plan(/POST \/v1\/responses/, async (request) => {
      asked.push(await request.text());
      return Response.json({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        model: 'm',
        output: [],
        usage: { input_tokens: 5, output_tokens: 1, total_tokens: 6 },
      });
    });
    await openai.responses.create({
      model: MODEL,
      input: [{ role: 'user', content: [{ type: 'input_file', file_id: file.id }] }],
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toContain(file.id);
  } finally {
    await station.close();
  }
});
