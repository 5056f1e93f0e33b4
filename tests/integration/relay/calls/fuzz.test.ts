// D11 bodies with mistakes in every place, through the public port: each gets an answer other than an internal error, in
// time, and leaves no hold. FUZZ_BODIES sets how many, TEST_SEED which.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { seed } from '#tests/support/random.ts';
import { eventually, testModels } from './harness.ts';

const bodies = Number(process.env['FUZZ_BODIES'] ?? 1500);
const callersAtOnce = 8;
const answerMilliseconds = 15_000;

setDefaultTimeout(60_000 + bodies * 100);

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Grüße, 世界 🌍' }] },
];
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };

/** Valid bodies, one or two per kind of endpoint. */
const valid: readonly [path: string, body: object][] = [
  ['/v1/chat/completions', { model: 'gpt-4o', messages, max_tokens: 20, temperature: 0.5, n: 1 }],
  ['/v1/chat/completions', { model: 'gpt-4o', messages, stream: true, tools: [tool], tool_choice: 'auto' }],
  ['/v1/completions', { model: 'gpt-4o', prompt: ['one', 'two'], max_tokens: 5 }],
  ['/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'b'], dimensions: 8 }],
  ['/v1/moderations', { model: 'text-moderation-stable', input: 'x' }],
  ['/v1/images/generations', { model: 'dall-e-3', prompt: 'a cat', n: 1, size: '1024x1024' }],
  ['/v1/audio/speech', { model: 'tts-1', voice: 'alloy', input: 'Hello' }],
  ['/v1/rerank', { model: 'rerank-1', query: 'cat', documents: ['dog', 'cat'] }],
  ['/v1/responses', { model: 'gpt-4o', input: [{ role: 'user', content: 'hi' }], stream: true }],
  ['/v1/messages', { model: 'gpt-4o', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] }],
  ['/v1beta/models/gpt-4o:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
];

/** Values that often break parsers. */
const odd = [
  'null',
  'true',
  '-1',
  '1e308',
  '9007199254740993',
  '"\\ud800"',
  '"\\u0000"',
  '[]',
  '{}',
  '[[[[[[[[[[]]]]]]]]]]',
  '{"__proto__":{"stream":true}}',
  '{"toString":1,"length":-1}',
  '""',
  '"sk-x"',
];

/** The same numbers for the same seed (mulberry32). */
function randomNumbers(start: number): (limit: number) => number {
  let state = start;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}

type Mutation = (text: string, below: (limit: number) => number) => string;

const mutations: readonly Mutation[] = [
  // Replaces an existing value.
  (text, below) => {
    const values = [...text.matchAll(/(?<=[:[,])(?:"[^"]*"|-?[\d.]+|true|false|null)(?=[,}\]])/g)];
    const found = values[below(values.length)];
    if (found === undefined) return text;
    return text.slice(0, found.index) + odd[below(odd.length)] + text.slice(found.index + found[0].length);
  },
  // Drops or doubles a member.
  (text, below) => {
    const members = [...text.matchAll(/"[a-z_]+":(?:"[^"]*"|-?[\d.]+|true|false|null),/g)];
    const found = members[below(members.length)];
    if (found === undefined) return text;
    const copy = below(2) === 0 ? '' : found[0] + found[0];
    return text.slice(0, found.index) + copy + text.slice(found.index + found[0].length);
  },
  (text, below) => text.slice(0, below(text.length)),
  (text, below) => {
    const at = below(text.length);
    return text.slice(0, at) + String.fromCharCode(below(256)) + text.slice(at + below(3));
  },
  (text, below) => {
    const from = below(text.length);
    return text + text.slice(from, from + below(40));
  },
];

let app: TestApplication;
let mock: MockUpstream;
let upstream: Bun.Server<undefined>;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream();
  upstream = startForgivingUpstream(mock.url);
  app = await startApplication({ settings: { ModelRatio: '{"rerank-1":1}' } });
  await addChannel(app.store, { base_url: `http://127.0.0.1:${upstream.port}`, models: testModels });
  const user = await app.actor({ quota: 1_000_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 'fuzz', unlimited_quota: true } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
  await mock.stop();
});

/** The mock fails on some of these bodies; a real upstream would answer 400, and its channel would not cool down. */
function startForgivingUpstream(url: string): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const answer = await fetch(url + pathname + search, {
        method: request.method,
        headers: request.headers,
        body: await request.bytes(),
      });
      if (answer.status < 500) return answer;
      const error = { message: 'bad request', type: 'invalid_request_error', param: null, code: null };
      return Response.json({ error }, { status: 400 });
    },
  });
}

function send(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(app.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body,
    signal: AbortSignal.timeout(answerMilliseconds),
  });
}

test('the bodies are valid before they are corrupted', async () => {
  for (const [path, body] of valid) {
    const response = await send(path, JSON.stringify(body));
    expect({ path, status: response.status, text: await response.text() }).toMatchObject({
      path,
      status: 200,
    });
  }
});

test(`D11 ${bodies} corrupted bodies (seed ${seed}): no internal error, no hang, no hold left (plan D11)`, async () => {
  const below = randomNumbers(seed);
  const statuses = new Map<number, number>();
  let left = bodies;
  async function caller(): Promise<void> {
    while (left > 0) {
      left -= 1;
      const [path, body] = valid[below(valid.length)] ?? ['', {}];
      let text = JSON.stringify(body);
      for (let times = 1 + below(3); times > 0; times -= 1)
        text = mutations[below(mutations.length)]?.(text, below) ?? text;
      // Half of them are corrupted byte by byte, so that some are not UTF-8.
      const bytes = below(2) === 0 ? text : new Uint8Array(Buffer.from(text, 'latin1'));
      const response = await send(path, bytes);
      const answer = await response.text();
      // A corrupted name may be that of another model, which has a price and no channel: a correct answer.
      const isFault = response.status >= 500 && !answer.includes('"code":"no_channel"');
      if (isFault) throw new Error(`${response.status} ${answer}\n${path}\n${text}`);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: callersAtOnce }, caller));
  // Some of the mistakes are harmless; most are refused.
  expect(statuses.get(200)).toBeGreaterThan(0);
  expect(statuses.get(400)).toBeGreaterThan(0);
  expect(app.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  const holds = async () => {
    await app.ledger.writeHolds();
    return await app.store.db.selectFrom('holds').select('id').execute();
  };
  expect(await eventually(holds, (rows) => rows.length === 0)).toEqual([]);
  expect(await checkInvariants(app.store)).toEqual([]);
  const refused = bodies - (statuses.get(200) ?? 0);
  faultSeen('D11', `${bodies} corrupted bodies: ${refused} refused, none with an internal error`);
});
