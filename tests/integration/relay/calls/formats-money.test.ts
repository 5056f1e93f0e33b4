// Charges of streams in every format, unconverted and converted: reported usage is charged once, unreported usage is
// counted, an interrupted stream is charged for what was delivered, and the upstream's own count agrees.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;

type Json = Record<string, unknown>;

const upstreams = {
  chat: { type: CHANNEL_TYPE.submodel, model: 'gpt-4o' },
  responses: { type: CHANNEL_TYPE.openAi, model: 'o3-pro' },
  messages: { type: CHANNEL_TYPE.anthropic, model: 'claude-opus-4-5' },
  gemini: { type: CHANNEL_TYPE.gemini, model: 'gemini-2.5-flash' },
} as const;
type Name = keyof typeof upstreams;
const names = Object.keys(upstreams) as Name[];

beforeAll(async () => {
  relay = await startRelay({ settings: { RetryTimes: '2' } });
  for (const { type, model } of Object.values(upstreams)) await relay.channel({ type, models: [model] });
  token = await relay.token();
});
afterAll(() => relay[Symbol.asyncDispose]());

function request(caller: Name, model: string, behaviour: Behaviour): [path: string, body: Json] {
  const text = behaviourMessage(behaviour, 'Tell me.');
  const messages = [{ role: 'user', content: text }];
  const requests: Record<Name, [path: string, body: Json]> = {
    chat: ['/v1/chat/completions', { model, messages, stream: true }],
    responses: ['/v1/responses', { model, input: text, stream: true }],
    messages: ['/v1/messages', { model, messages, stream: true, max_tokens: 4000 }],
    gemini: [`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents: [{ parts: [{ text }] }] }],
  };
  return requests[caller];
}

async function stream(caller: Name, upstream: Name, behaviour: Behaviour) {
  const before = (await relay.logs(token.userId)).length;
  const [path, body] = request(caller, upstreams[upstream].model, behaviour);
  const response = await relay.post(path, token.key, body);
  const text = await response.text().catch(() => '');
  const rows = await eventually(
    () => relay.logs(token.userId),
    (list) => list.length > before,
  );
  const row = rows.at(-1);
  if (row === undefined) throw new Error('no log row');
  return { text, row, status: response.status, rows: rows.length - before };
}

const pairs = names.flatMap((upstream) =>
  names
    .filter((caller) => caller === upstream || caller === 'chat' || upstream === 'chat')
    .map((caller) => [caller, upstream] as const),
);

describe.each(pairs)('%s → %s', (caller, upstream) => {
  const usage = { inputTokens: 200, outputTokens: 30, reasoningTokens: 0 };

  test('M18 reported usage is charged once, also when it is reported twice (plan M18)', async () => {
    const once = await stream(caller, upstream, { text: 'One two three.', usage });
    const twice = await stream(caller, upstream, { text: 'One two three.', usage, usageReport: 'twice' });
    for (const { row, rows } of [once, twice]) {
      expect(rows).toBe(1);
      expect(row).toMatchObject({ prompt_tokens: 200, completion_tokens: 30, estimated: 0 });
    }
    expect(twice.row.quota).toBe(once.row.quota);
    faultSeen('M18', `twice and missing in ${pairs.length} pairs of formats`);
  });

  test('M18 without a report the output is counted locally, and never free (plan M18)', async () => {
    const { row } = await stream(caller, upstream, { outputTokens: 40, usageReport: 'missing' });
    expect(row.estimated).toBe(1);
    expect(row.completion_tokens).toBeGreaterThan(20);
    expect(row.prompt_tokens).toBeGreaterThan(0);
    expect(row.quota).toBeGreaterThan(0);
  });

  test('an interrupted stream is charged for what was delivered, and the caller gets an error', async () => {
    for (const fault of [{ resetAfterEvents: 15 }, { cutAfterEvents: 15 }] satisfies Behaviour[]) {
      const { row, text } = await stream(caller, upstream, { outputTokens: 60, ...fault });
      expect(JSON.parse(row.other)).toMatchObject({ ending: 'broken' });
      expect(row.completion_tokens).toBeGreaterThan(3);
      expect(row.completion_tokens).toBeLessThan(40);
      expect(text).toContain('The upstream disconnected');
    }
    expect(
      await eventually(
        () => relay.holds(),
        (count) => count === 0,
      ),
    ).toBe(0);
  });

  test('a stream without output is not charged', async () => {
    const { quota } = await relay.userRow(token.userId);
    const { status, row } = await stream(caller, upstream, { errorInside200: true });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(row).toMatchObject({ type: 5, quota: 0 });
    expect((await relay.userRow(token.userId)).quota).toBe(quota);
  });
});

test('a prompt that Gemini reported with its first events counts, also if the rest never comes', async () => {
  const usage = { inputTokens: 777, outputTokens: 60, reasoningTokens: 0 };
  for (const caller of ['gemini', 'chat'] as const) {
    const { row } = await stream(caller, 'gemini', { outputTokens: 60, usage, cutAfterEvents: 15 });
    expect(JSON.parse(row.other)).toMatchObject({ ending: 'broken' });
    expect([caller, row.prompt_tokens]).toEqual([caller, 777]);
  }
});

test('the arguments of a call are counted, also where the caller gets them only at the end', async () => {
  const toolCalls = [{ name: 'write', arguments: JSON.stringify({ text: 'one two three '.repeat(40) }) }];
  for (const caller of names) {
    const { row } = await stream(caller, 'chat', { toolCalls, usageReport: 'missing' });
    expect([caller, row.estimated]).toEqual([caller, 1]);
    expect(row.completion_tokens).toBeGreaterThan(60);
  }
});

test('after a failure of a first channel of another format the next one serves, and the failure is not charged', async () => {
  await relay.settings.set('ModelRatio', '{"either":1,"rerank-1":1}', 0);
  const behaviour = Buffer.from(JSON.stringify({ status: 500 })).toString('base64url');
  await relay.channel({
    type: CHANNEL_TYPE.anthropic,
    models: ['either'],
    priority: 9,
    key: `sk-bad.mock-${behaviour}`,
    name: 'fails',
  });
  await relay.channel({ type: CHANNEL_TYPE.gemini, models: ['either'], priority: 5, name: 'serves' });
  const { json, row } = await (async () => {
    const response = await relay.post('/v1/chat/completions', token.key, {
      model: 'either',
      messages: [{ role: 'user', content: 'hi' }],
    });
    return { json: (await response.json()) as Json, row: await relay.lastLog(token.userId) };
  })();
  expect(json['choices']).toHaveLength(1);
  expect(row.channel_name).toBe('serves');
  const { admin_info: info } = JSON.parse(row.other) as { admin_info: { attempts: Json[] } };
  expect(info.attempts.map(({ status }) => status)).toEqual([500, 200]);
});

test('the upstream’s own count of every format equals the ledger', async () => {
  const counted = await startRelay();
  try {
    for (const { type, model } of Object.values(upstreams))
      await counted.channel({ type, models: [model], key: `sk-${model}` });
    const own = await counted.token();
    for (const upstream of names) {
      for (const caller of names) {
        const [path, body] = request(caller, upstreams[upstream].model, { outputTokens: 25 });
        await (await counted.post(path, own.key, body)).text();
      }
    }
    for (const { model } of Object.values(upstreams)) {
      const totals = counted.mock.books.ofKey(`sk-${model}`);
      const rows = (await counted.logs(own.userId)).filter((row) => row.model_name === model);
      expect(rows).toHaveLength(4);
      expect(rows.reduce((sum, row) => sum + row.prompt_tokens, 0)).toBe(totals.inputTokens);
      expect(rows.reduce((sum, row) => sum + row.completion_tokens, 0)).toBe(totals.outputTokens);
    }
  } finally {
    await counted[Symbol.asyncDispose]();
  }
});
