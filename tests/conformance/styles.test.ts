// Every provider of the registry × what clients met elsewhere: a Responses client, reasoning that only the total has, cached
// tokens at the top level, allowed tools, custom tools, a stream that breaks off. `styles` is the table: a cell is the check
// or the reason why it cannot apply. A provider without a style fails by name.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { channelTypes } from '#server/models/providers/facts/channel-types.ts';
import { providers } from '#server/models/providers/index.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import type { Behaviour } from '#mock/upstream/index.ts';
import { DEFAULT_PIECES } from '#mock/upstream/openai/compose.ts';
import { startSpark, type SparkServer } from '#mock/upstream/spark/server.ts';
import { SPARK_KEY } from '#mock/upstream/supplier-keys.ts';
import { channelOf, providerFixtures } from './provider-fixtures.ts';

setDefaultTimeout(20_000);

type Json = Record<string, unknown>;
/** The model is the provider's, by its type. */
type Check = (model: string) => Promise<void>;
/** A text is the reason why the check does not apply. */
type Cell = Check | string;

interface Style {
  types: readonly number[];
  /** Its server answers 404 at the path of Responses. */
  chatOnly?: true;
  responsesClient: Cell;
  reasoningOutside: Cell;
  cachedAtTop: Cell;
  allowedTools: Cell;
  customTools: Cell;
  brokenStream: Cell;
}

let relay: RelayHarness;
let token: TestToken;
let spark: SparkServer;

const modelOf = (type: number) => `p${type}`;
const spoken = DEFAULT_PIECES.join('');

async function behaving<T>(behaviour: Behaviour, work: () => Promise<T>): Promise<T> {
  const stop = relay.mock.behave(behaviour);
  try {
    return await work();
  } finally {
    stop();
  }
}

async function send(path: string, body: Json): Promise<string> {
  const answer = await relay.post(path, token.key, body);
  const text = await answer.text();
  expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
  return text;
}
const ask = async (path: string, body: Json) => JSON.parse(await send(path, body)) as Json;
const messages = [{ role: 'user', content: 'Say hello.' }];
const chat = (model: string, more: Json = {}) => ask('/v1/chat/completions', { model, messages, ...more });
const responses = (model: string, more: Json = {}) =>
  ask('/v1/responses', { model, input: 'Say hello.', ...more });

async function events(path: string, body: Json): Promise<Json[]> {
  const text = await send(path, body);
  return text.split('\n\n').flatMap((block) => {
    const data = /^data: (\{.*)$/m.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as Json];
  });
}
const lastEvents = (model: string, more: Json = {}) =>
  events('/v1/responses', { model, input: 'Say hello.', stream: true, ...more });

const loggedTokens = async () => {
  const row = await relay.lastLog(token.userId);
  return [row.prompt_tokens, row.completion_tokens];
};

async function answersResponses(model: string): Promise<void> {
  const whole = await responses(model);
  expect(whole).toMatchObject({ object: 'response', status: 'completed' });
  expect(JSON.stringify(whole['output'])).toContain(spoken);
  const streamed = await lastEvents(model);
  expect(streamed.at(-1)).toMatchObject({ type: 'response.completed' });
  const deltas = streamed.filter(({ type }) => type === 'response.output_text.delta');
  expect(deltas.map(({ delta }) => delta).join('')).toContain(spoken);
}

const reasoningTokens = 7;
const outputTokens = DEFAULT_PIECES.length + reasoningTokens;

const contents = [{ role: 'user', parts: [{ text: 'Say hello.' }] }];
/** Usage for a client of a format that hardly any of these upstreams speaks: it is not passed on as it came. */
const geminiUsage = async (model: string) => {
  const answer = await ask(`/v1beta/models/${model}:generateContent`, { contents });
  return answer['usageMetadata'] as Record<string, number>;
};
const reportsStreams = (model: string) => providerFixtures[Number(model.slice(1))]?.lacksUsage === undefined;

/** All of the output is charged and reported, in a whole answer and in a stream. */
async function countsReasoning(model: string): Promise<void> {
  const usage = { reasoningTokens, outputTokens };
  await behaving({ usageShape: 'reasoning-outside', usage }, async () => {
    const { candidatesTokenCount = 0, thoughtsTokenCount = 0 } = await geminiUsage(model);
    expect(candidatesTokenCount + thoughtsTokenCount).toBe(outputTokens);
    expect((await loggedTokens())[1]).toBe(outputTokens);
    if (!reportsStreams(model)) return;
    await events('/v1/chat/completions', { model, messages, stream: true });
    expect((await loggedTokens())[1]).toBe(outputTokens);
  });
}

async function countsReasoningOfSpark(model: string): Promise<void> {
  spark.reasoningTokens = reasoningTokens;
  const whole = await chat(model);
  spark.reasoningTokens = 0;
  expect(whole['usage']).toMatchObject({ completion_tokens: outputTokens });
}

async function countsCached(model: string): Promise<void> {
  const usage = { inputTokens: 100, cachedInputTokens: 80 };
  await behaving({ usageShape: 'cached-at-top', usage }, async () => {
    expect(await geminiUsage(model)).toMatchObject({ promptTokenCount: 100, cachedContentTokenCount: 80 });
  });
}

const city = { type: 'object', properties: { city: { type: 'string' } } };
const flatTool = (name: string) => ({ type: 'function', name, parameters: city, strict: false });
const deepTool = (name: string) => ({ type: 'function', function: { name, parameters: city } });

const outputOf = (answer: Json) => answer['output'] as Json[];
const callsOf = (answer: Json) => {
  const [choice] = answer['choices'] as { message: { tool_calls?: Json[] } }[];
  return choice?.message.tool_calls ?? [];
};

/** The mock calls every tool that it may. */
async function keepsToAllowed(model: string): Promise<void> {
  const ofResponses = await responses(model, {
    tools: ['weather', 'time'].map(flatTool),
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'time' }] },
  });
  const called = outputOf(ofResponses).filter(({ type }) => type === 'function_call');
  expect(called.map(({ name }) => name)).toEqual(['time']);
  const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'time' } }] };
  const ofChat = await chat(model, {
    tools: ['weather', 'time'].map(deepTool),
    tool_choice: { type: 'allowed_tools', allowed_tools: allowed },
  });
  expect(callsOf(ofChat)).toMatchObject([{ function: { name: 'time' } }]);
}

const patch = '*** Begin Patch\n*** End Patch';
const customTool = { type: 'custom', name: 'apply_patch', description: 'Edits files.' };
/** What an upstream that knows only functions calls. */
const wrapped = [{ name: 'apply_patch', arguments: JSON.stringify({ input: patch }) }];
const plain = [{ name: 'apply_patch', arguments: patch, isCustom: true }];

/** A call whole and streamed, and its result in the next turn. */
async function takesCustomOfResponses(model: string, toolCalls = wrapped): Promise<void> {
  const tools = [customTool, flatTool('weather')];
  const call = await behaving({ toolCalls }, async () => {
    const streamed = await lastEvents(model, { tools });
    const deltas = streamed.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(patch);
    const whole = await responses(model, { tools });
    return outputOf(whole).find(({ type }) => type === 'custom_tool_call') ?? {};
  });
  expect(call).toMatchObject({ name: 'apply_patch', input: patch });
  const result = { type: 'custom_tool_call_output', call_id: call['call_id'], output: 'Done.' };
  const input = [{ role: 'user', content: 'Edit.' }, call, result];
  expect(JSON.stringify(await responses(model, { input, tools }))).toContain(spoken);
}

async function takesCustomOfChat(model: string, toolCalls = wrapped): Promise<void> {
  const { name, description } = customTool;
  const tools = [{ type: 'custom', custom: { name, description } }, deepTool('weather')];
  const [call] = await behaving({ toolCalls }, async () => callsOf(await chat(model, { tools })));
  expect(call).toMatchObject({ type: 'custom', custom: { name: 'apply_patch', input: patch } });
  const turns = [
    ...messages,
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: call?.['id'], content: 'Done.' },
  ];
  expect(JSON.stringify(await chat(model, { messages: turns, tools }))).toContain(spoken);
}

async function takesCustom(model: string): Promise<void> {
  await takesCustomOfResponses(model);
  await takesCustomOfChat(model);
}

/** To a Chat upstream a Chat client's tools pass unchanged. */
async function takesCustomOfBoth(model: string): Promise<void> {
  await takesCustomOfResponses(model);
  await takesCustomOfChat(model, plain);
}

const broken: Behaviour = { cutAfterEvents: 9 };

async function fails(model: string): Promise<void> {
  const streamed = await lastEvents(model);
  expect(streamed.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'stream_broken' } },
  });
  const [, completion = 0] = await loggedTokens();
  expect(completion).toBeGreaterThan(0);
  expect(completion).toBeLessThan(DEFAULT_PIECES.length);
}

/** A Responses client, and a client of the upstream's own format, which gets its bytes unconverted. */
const failsBy =
  (path: string, bodyOf: (model: string) => Json, end: Json): Check =>
  (model) =>
    behaving(broken, async () => {
      await fails(model);
      const own = await events(path.replace('{model}', model), bodyOf(model));
      expect(own.at(-1)).toMatchObject(end);
    });

const failsAsChat = failsBy('/v1/chat/completions', (model) => ({ model, messages, stream: true }), {
  error: { code: 'stream_broken' },
});
const failsAsMessages = failsBy(
  '/v1/messages',
  (model) => ({ model, messages, max_tokens: 100, stream: true }),
  { type: 'error', error: { type: 'api_error' } },
);
const failsAsGemini = failsBy('/v1beta/models/{model}:streamGenerateContent?alt=sse', () => ({ contents }), {
  error: { status: 'INTERNAL' },
});
const failsConverted: Check = (model) => behaving(broken, () => fails(model));

async function failsOfSpark(model: string): Promise<void> {
  spark.cutAfter = 5;
  await fails(model);
  spark.cutAfter = Number.POSITIVE_INFINITY;
}

const noTools = { allowedTools: 'the upstream takes no tools', customTools: 'the upstream takes no tools' };
const namedElsewhere = (name: string) => `the usage names cached tokens ${name}`;
const noCache = 'the usage has no cached tokens';
const T = CHANNEL_TYPE;

const styles: Readonly<Record<string, Style>> = {
  'OpenAI Chat only': {
    types: [
      T.openAi,
      T.azure,
      T.ollama,
      T.openAiMax,
      T.ohMyGpt,
      T.custom,
      T.ails,
      T.aiProxy,
      T.api2Gpt,
      T.aigc2d,
      T.zhipu,
      T.ali,
      T.ai360,
      T.openRouter,
      T.fastGpt,
      T.moonshot,
      T.zhipuV4,
      T.perplexity,
      T.lingyi,
      T.miniMax,
      T.cloudflare,
      T.siliconFlow,
      T.mistral,
      T.deepSeek,
      T.volcEngine,
      T.baiduV2,
      T.xinference,
      T.xai,
      T.submodel,
      T.sub2Api,
      T.newApi,
    ],
    chatOnly: true,
    responsesClient: answersResponses,
    reasoningOutside: countsReasoning,
    cachedAtTop: countsCached,
    allowedTools: keepsToAllowed,
    customTools: takesCustomOfBoth,
    brokenStream: failsAsChat,
  },
  'OpenAI Responses': {
    types: [T.codex],
    responsesClient: answersResponses,
    reasoningOutside: countsReasoning,
    cachedAtTop: namedElsewhere('input_tokens_details.cached_tokens'),
    allowedTools: keepsToAllowed,
    async customTools(model) {
      await takesCustomOfResponses(model, plain);
      await takesCustomOfChat(model, plain);
    },
    brokenStream: failsConverted,
  },
  'Anthropic Messages': {
    types: [T.anthropic, T.vertex, T.advancedCustom],
    responsesClient: answersResponses,
    reasoningOutside: 'the usage has no total, and thinking is part of output_tokens',
    cachedAtTop: namedElsewhere('cache_read_input_tokens'),
    allowedTools: keepsToAllowed,
    customTools: takesCustom,
    brokenStream: failsAsMessages,
  },
  Gemini: {
    types: [T.gemini, T.palm],
    responsesClient: answersResponses,
    // Its usage always has thoughts beside the candidates.
    reasoningOutside: countsReasoning,
    cachedAtTop: namedElsewhere('cachedContentTokenCount'),
    allowedTools: keepsToAllowed,
    customTools: takesCustom,
    brokenStream: failsAsGemini,
  },
  'Bedrock Converse': {
    types: [T.bedrock],
    responsesClient: answersResponses,
    reasoningOutside: 'reasoning is part of outputTokens; the total has cached tokens beside the input',
    cachedAtTop: namedElsewhere('cacheReadInputTokens'),
    allowedTools: keepsToAllowed,
    customTools: takesCustom,
    brokenStream: failsConverted,
  },
  Cohere: {
    types: [T.cohere],
    responsesClient: answersResponses,
    reasoningOutside: 'billed units have no total',
    cachedAtTop: countsCached,
    allowedTools: keepsToAllowed,
    customTools: takesCustom,
    brokenStream: failsConverted,
  },
  Tencent: {
    types: [T.tencent],
    responsesClient: answersResponses,
    reasoningOutside: countsReasoning,
    cachedAtTop: noCache,
    allowedTools: keepsToAllowed,
    customTools: takesCustom,
    brokenStream: failsConverted,
  },
  Baidu: {
    types: [T.baidu],
    responsesClient: answersResponses,
    reasoningOutside: countsReasoning,
    cachedAtTop: noCache,
    ...noTools,
    brokenStream: failsConverted,
  },
  Spark: {
    types: [T.spark],
    responsesClient: answersResponses,
    reasoningOutside: countsReasoningOfSpark,
    cachedAtTop: noCache,
    ...noTools,
    brokenStream: failsOfSpark,
  },
  Dify: {
    types: [T.dify],
    responsesClient: answersResponses,
    reasoningOutside: countsReasoning,
    cachedAtTop: noCache,
    ...noTools,
    brokenStream: failsConverted,
  },
  Coze: {
    types: [T.coze],
    responsesClient: answersResponses,
    reasoningOutside: countsReasoning,
    cachedAtTop: noCache,
    ...noTools,
    brokenStream: failsConverted,
  },
  Replicate: {
    types: [T.replicate],
    responsesClient: answersResponses,
    reasoningOutside: 'metrics have input and output only',
    cachedAtTop: noCache,
    ...noTools,
    brokenStream: 'the upstream never streams',
  },
  'AIProxy library': {
    types: [T.aiProxyLibrary],
    responsesClient: answersResponses,
    reasoningOutside: 'the upstream reports no usage',
    cachedAtTop: 'the upstream reports no usage',
    ...noTools,
    brokenStream: failsConverted,
  },
};

/** Types without a conversation, and why. */
const noConversation: Readonly<Record<number, string>> = {
  [T.jina]: 'embeddings and reranking',
  [T.mokaAi]: 'embeddings',
};

beforeAll(async () => {
  const names = Object.values(styles).flatMap(({ types }) => types.map(modelOf));
  relay = await startRelay({
    settings: {
      ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
      RetryTimes: '0',
    },
  });
  spark = startSpark();
  token = await relay.token({ quota: 4_000_000_000 });
  for (const type of Object.values(styles).flatMap(({ types }) => types)) {
    const name = modelOf(type);
    const fixture = providerFixtures[type];
    const { appId, apiSecret, apiKey } = SPARK_KEY;
    await addChannel(
      relay.store,
      fixture === undefined
        ? {
            type,
            name,
            base_url: spark.url,
            models: [name],
            key: [appId, apiSecret, apiKey].join('|'),
            fields: { model_mapping: JSON.stringify({ [name]: 'SparkDesk-v3.5' }) },
          }
        : channelOf(type, fixture, { mock: relay.mock, name }),
    );
  }
  await relay.relay.reload();
});
afterAll(async () => {
  await spark.stop();
  await relay[Symbol.asyncDispose]();
});

test('every provider with conversations has a style', () => {
  const known = new Set(Object.values(styles).flatMap(({ types }) => types));
  const missing = providers.filter(({ type }) => !known.has(type) && noConversation[type] === undefined);
  expect(missing.map(({ type }) => titleOf(type))).toEqual([]);
});

const titleOf = (type: number) => `${type} ${channelTypes.find((facts) => facts.type === type)?.name}`;

const columns = {
  responsesClient: 'W2 a Responses client is answered',
  reasoningOutside: 'W1 reasoning that only the total has is output',
  cachedAtTop: 'W3 cached tokens at the top level are cached',
  allowedTools: 'W5 only the allowed tools may be called',
  customTools: 'W7 custom tools are called and answered as such',
  brokenStream: 'W10 a stream that breaks off fails in the words of the client',
} as const satisfies Partial<Record<keyof Style, string>>;

for (const [style, row] of Object.entries(styles)) {
  describe(style, () => {
    for (const [column, title] of Object.entries(columns) as [keyof typeof columns, string][]) {
      const cell = row[column];
      if (typeof cell === 'string') continue;
      test.each(row.types.map((type) => [titleOf(type), type] as const))(`%s: ${title}`, (_title, type) => {
        const check = () => cell(modelOf(type));
        if (row.chatOnly !== true) return check();
        return withoutResponses(check);
      });
    }
  });
}

test('a Messages client without a version header is answered by every provider', async () => {
  for (const type of Object.values(styles).flatMap(({ types }) => types)) {
    const body = { model: modelOf(type), messages, max_tokens: 400 };
    expect(JSON.stringify([type, await ask('/v1/messages', body)])).toContain(spoken);
  }
});

async function withoutResponses(check: () => Promise<void>): Promise<void> {
  const stop = relay.mock.behave({
    when: { path: '/responses' },
    behaviour: { status: 404, errorBody: { detail: 'Not Found' } },
  });
  await check().finally(stop);
}
