// Effects of the relay options: retries, limits, checks, prices and logs of calls, and the status of channels.
import { expect, spyOn } from 'bun:test';
import { addChannel } from '#tests/support/channels.ts';
import type { Behaviour } from '#mock/upstream/index.ts';
import { MODEL, type Effect, type Effects, type Stage, type Texts } from './effects-stage.ts';

const PRICED: Texts = { ModelRatio: `{"${MODEL}":1}`, CompletionRatio: `{"${MODEL}":1}` };

/** The status of one call that the upstream answers with this behaviour. */
const callStatus =
  (behaviour: Behaviour = {}, body: Record<string, unknown> = {}) =>
  async (stage: Stage): Promise<number> => {
    const { key } = await stage.key();
    const stop = stage.mock.behave(behaviour);
    try {
      const response = await stage.call(key, body);
      await response.text();
      return response.status;
    } finally {
      stop();
    }
  };

/** The end of a stream: complete, or with an error event. */
const streamEnding = (behaviour: Behaviour) => async (stage: Stage) => {
  const { key } = await stage.key();
  const stop = stage.mock.behave(behaviour);
  try {
    const text = await (await stage.call(key, { stream: true })).text();
    return text.includes('[DONE]') && !text.includes('"error"') ? 'whole' : 'cut';
  } finally {
    stop();
  }
};

/** The charge of one call, in quota, when the upstream reports this usage. */
const charge = (usage: Behaviour['usage'], group?: string) => async (stage: Stage) => {
  const { key, userId } = await stage.key(undefined, group);
  const stop = stage.mock.behave({ usage: { inputTokens: 0, outputTokens: 0, ...usage } });
  try {
    const response = await stage.call(key);
    if (response.status !== 200) throw new Error(await response.text());
    await response.text();
    return await stage.spentBy(userId);
  } finally {
    stop();
  }
};

const priced = (effect: string, usage: Behaviour['usage'], before: number, after: number): Effect => ({
  effect,
  given: () => PRICED,
  text: `{"${MODEL}":3}`,
  observe: charge(usage),
  before,
  after,
});

/** A call that fails on its first channel and would succeed on its second. */
async function secondChannel(stage: Stage): Promise<number> {
  const model = stage.fresh('retry-model-');
  await stage.save({ ModelRatio: `{"${model}":1}` });
  await addChannel(stage.app.store, { base_url: 'http://127.0.0.1:9', models: [model], priority: 10 });
  await addChannel(stage.app.store, { base_url: stage.mock.url, models: [model], priority: 1 });
  const { key } = await stage.key();
  return (await stage.call(key, { model })).status;
}

/** The status of a new channel after its upstream refused a call. */
const channelAfter = (behaviour: Behaviour) => async (stage: Stage) => {
  const model = stage.fresh('refused-model-');
  await stage.save({ ModelRatio: `{"${model}":1}` });
  const id = await addChannel(stage.app.store, { base_url: stage.mock.url, models: [model] });
  const { key } = await stage.key();
  const stop = stage.mock.behave({ when: { model }, behaviour });
  await (await stage.call(key, { model })).text();
  stop();
  const row = stage.app.store.db.selectFrom('channels').select('status').where('id', '=', id);
  for (let look = 0; look < 20; look += 1) {
    if ((await row.executeTakeFirstOrThrow()).status === 3) return 'disabled';
    await Bun.sleep(10);
  }
  return 'enabled';
};

async function consumeRows(stage: Stage): Promise<number> {
  const { key, userId } = await stage.key();
  await (await stage.call(key)).text();
  const rows = await stage.app.store.db
    .selectFrom('logs')
    .select('id')
    .where('user_id', '=', userId)
    .where('type', '=', 2)
    .execute();
  return rows.length;
}

/** How many of two log rows, one of them ten days old, are left when the job has run. */
async function keptRows({ app, root, fresh }: Stage): Promise<number> {
  const username = fresh('kept');
  const now = Math.floor(Date.now() / 1000);
  const times = [now - 10 * 86_400, now];
  await app.store.db
    .insertInto('logs')
    .values(times.map((created_at) => ({ created_at, username, type: 3 })))
    .execute();
  const job = async () => (await app.client(root).jobs.list()).find((view) => view.name === 'log-retention');
  const runs = (await job())?.runs ?? 0;
  for (let look = 0; look < 500; look += 1) {
    const view = await job();
    if (view !== undefined && view.runs > runs && view.state === 'ok') break;
    if (view?.state !== 'running') await app.request('/api/jobs/log-retention/run', { as: root, body: {} });
    await Bun.sleep(20);
  }
  const rows = await app.store.db.selectFrom('logs').select('id').where('username', '=', username).execute();
  return rows.length;
}

/** The number of notices raised by a call that leaves its user with 5900 of 6000. */
async function reminders(stage: Stage): Promise<number> {
  const { key, userId } = await stage.key(6000);
  const stop = stage.mock.behave({ usage: { inputTokens: 100, outputTokens: 0 } });
  try {
    await (await stage.call(key, { max_tokens: 1 })).text();
  } finally {
    stop();
  }
  expect(await stage.spentBy(userId)).toBe(100);
  const rows = await stage.app.store.db
    .selectFrom('notices')
    .select('id')
    .where('user_id', '=', userId)
    .where('event', '=', 'low_balance')
    .execute();
  return rows.length;
}

async function billingLimit(stage: Stage): Promise<number> {
  const user = await stage.app.actor({ quota: 2_000_000 });
  const [token] = await stage.app
    .client(user)
    .tokens.create({ body: { name: 'small', remain_quota: 500_000 } });
  const response = await fetch(`${stage.app.url}/v1/dashboard/billing/subscription`, {
    headers: { Authorization: `Bearer sk-${token?.key}` },
  });
  return ((await response.json()) as { hard_limit_usd: number }).hard_limit_usd;
}

const WORDS: Texts = { ...PRICED, SensitiveWords: 'forbidden fruit' };
const said = { messages: [{ role: 'user', content: 'eat the Forbidden Fruit' }] };

async function usableGroups({ app }: Stage): Promise<unknown> {
  const groups = await app.client(await app.actor()).users.selfGroups();
  return Object.keys(groups).toSorted();
}

/** The policy in the last call of `ledger.configure`; the ledger uses it for calls of a node that died. */
async function recoveryPolicy({ app }: Stage): Promise<unknown> {
  const configure = spyOn(app.ledger, 'configure');
  try {
    await app.settings.reload();
    return configure.mock.lastCall?.[0].recoveryPolicy;
  } finally {
    configure.mockRestore();
  }
}

/** Anthropic's request with a tool that only Anthropic has. */
async function lossyCall(stage: Stage): Promise<number> {
  const { key } = await stage.key();
  const response = await fetch(`${stage.app.url}/v1/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: MODEL,
      max_tokens: 50,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      messages: [{ role: 'user', content: 'hello' }],
    }),
  });
  await response.text();
  return response.status;
}

/** The status of a call while another of the same address runs. */
async function secondAtOnce(stage: Stage): Promise<number> {
  const { key } = await stage.key();
  const stop = stage.mock.behave({ stall: { afterEvents: 2, milliseconds: 60_000 } });
  const running = await stage.call(key, { stream: true });
  stop();
  const second = await stage.call(key);
  await second.text();
  await running.body?.cancel();
  const isFree = async () => (await fetch(`${stage.app.url}/healthz`)).status === 200;
  while (!(await isFree())) await Bun.sleep(20);
  return second.status;
}

const slow = { headersDelayMilliseconds: 1500 };

const perAddress = (effect: string) => ({ effect, file: 'tests/integration/admin/http/server.test.ts' });

export const relayEffects: Effects = {
  AllowedPrivateAddresses: {
    effect: 'The private addresses that channels and the services of the operator may reach',
    file: 'tests/integration/admin/channels/private-address.test.ts',
  },
  RetryTimes: {
    effect: 'How many other channels a failed call is tried on',
    text: '0',
    observe: secondChannel,
    before: 200,
    after: 502,
  },
  HedgeGroups: {
    effect: 'A late stream of these groups gets a second attempt on another channel',
    file: 'tests/integration/relay/calls/hedge.test.ts',
  },
  HedgeSharePercent: {
    effect: 'The largest share of these calls that get a second attempt',
    file: 'tests/integration/relay/calls/hedge-limits.test.ts',
  },
  HedgeDollarsPerDay: {
    effect: 'What the attempts that lost may cost together in a day',
    file: 'tests/integration/relay/calls/hedge-limits.test.ts',
  },
  HedgeLeastMilliseconds: {
    effect: 'No second attempt begins before this wait',
    file: 'tests/integration/relay/calls/hedge.test.ts',
  },
  HedgeMostMilliseconds: {
    effect: 'After this wait the second attempt begins in any case',
    file: 'tests/integration/relay/calls/hedge-random.test.ts',
  },
  AnswerCache: {
    effect: 'Equal requests of keys that ask for it, or of all keys, get the cached answer',
    file: 'tests/integration/relay/calls/answer-cache.test.ts',
  },
  AnswerCacheSeconds: {
    effect: 'How long an answer is kept',
    file: 'tests/integration/relay/calls/answer-cache.test.ts',
  },
  AnswerCacheMostSeconds: {
    effect: 'No key and no request keeps an answer for longer',
    file: 'tests/integration/relay/calls/answer-cache.test.ts',
  },
  AnswerCachePricePercent: {
    effect: 'The part of its price that a cached answer costs',
    file: 'tests/integration/relay/calls/answer-cache.test.ts',
  },
  AnswerCacheShared: {
    effect: 'Accounts of a group get the same cached answers',
    file: 'tests/integration/relay/calls/answer-cache-attacks.test.ts',
  },
  AnswerCacheMegabytes: {
    effect: 'The memory of cached answers on each node',
    file: 'tests/integration/relay/calls/answer-cache.test.ts',
  },
  AnswerCacheEntries: {
    effect: 'The number of cached answers on each node',
    file: 'tests/integration/relay/calls/answer-cache.test.ts',
  },
  AnswerCacheEntryKilobytes: {
    effect: 'A longer answer is not kept',
    file: 'tests/integration/relay/calls/answer-cache.test.ts',
  },
  ShadowCallsForEveryone: {
    effect: 'Calls of users who said nothing are copied too',
    file: 'tests/integration/relay/calls/shadow-calls.test.ts',
  },
  ShadowKeepDays: {
    effect: 'Samples of shadow calls that are older are removed',
    file: 'tests/integration/relay/calls/shadow-calls.test.ts',
  },
  ShadowCallsAtOnce: {
    effect: 'How many shadow calls a node makes at once',
    file: 'tests/integration/relay/calls/shadow-limits.test.ts',
  },
  ConversationAffinityEnabled: {
    effect: 'Further calls of a conversation keep its channel',
    file: 'tests/integration/relay/calls/warm-channels.test.ts',
  },
  ChannelOrder: {
    effect: 'Which channel of the same priority a call is sent to',
    file: 'tests/integration/money/ledger/margins.test.ts',
  },
  MaxRequestsPerAddress: {
    effect: 'An address with this many running requests gets 429 for the next one',
    given: () => PRICED,
    text: '1',
    observe: secondAtOnce,
    before: 200,
    after: 429,
  },
  ApiCallsPerThreeMinutes: perAddress('More API calls of one address in three minutes get 429'),
  PageLoadsPerThreeMinutes: perAddress('More page loads of one address in three minutes get 429'),
  SearchesPerMinute: perAddress('More searches of one user in a minute get 429'),
  FailedSignInsPerTwentyMinutes: perAddress('More failed sign-ins of one address in twenty minutes get 429'),
  SensitiveCallsPerTwentyMinutes: perAddress(
    'More sign-ups, codes and orders of one address in twenty minutes get 429',
  ),
  RelayFirstByteSeconds: {
    effect: 'An upstream that sends nothing for longer is given up',
    given: () => PRICED,
    text: '1',
    observe: callStatus(slow),
    before: 200,
    after: 504,
  },
  RelayIdleSeconds: {
    effect: 'A stream that pauses for longer is ended',
    given: () => PRICED,
    text: '1',
    observe: streamEnding({ stall: { afterEvents: 3, milliseconds: 1500 } }),
    before: 'whole',
    after: 'cut',
  },
  RelayTotalSeconds: {
    effect: 'A call or realtime session that takes longer in all is ended',
    given: () => PRICED,
    text: '1',
    observe: streamEnding({ chunkDelayMilliseconds: 250, text: 'one two three four five six seven eight' }),
    before: 'whole',
    after: 'cut',
  },
  SelfUseModeEnabled: {
    effect: 'Models without a price may be called',
    text: 'true',
    observe: callStatus({}, { model: 'unpriced-model' }),
    before: 400,
    after: 200,
  },
  DisplayTokenStatEnabled: {
    effect: "The billing calls of chat clients show the API key's quota or the account's",
    text: 'false',
    observe: billingLimit,
    before: 1,
    after: 4,
  },
  CheckSensitiveEnabled: {
    effect: 'The word check is enabled',
    given: () => WORDS,
    text: 'false',
    observe: callStatus({}, said),
    before: 400,
    after: 200,
  },
  CheckSensitiveOnPromptEnabled: {
    effect: 'Prompts are checked for words',
    given: () => WORDS,
    text: 'false',
    observe: callStatus({}, said),
    before: 400,
    after: 200,
  },
  SensitiveWords: {
    effect: 'The words, upper or lower case',
    given: () => PRICED,
    text: 'forbidden fruit',
    observe: callStatus({}, said),
    before: 200,
    after: 400,
  },
  LogConsumeEnabled: {
    effect: 'Whether calls are written to the log',
    given: () => PRICED,
    text: 'false',
    observe: consumeRows,
    before: 1,
    after: 0,
  },
  LogRetentionDays: {
    effect: 'Log rows and finished drawings older than this are removed every hour; 0 keeps them',
    text: '3',
    observe: keptRows,
    before: 2,
    after: 1,
  },
  AutomaticDisableChannelEnabled: {
    effect: 'A channel whose key is refused is disabled',
    text: 'false',
    observe: channelAfter({ status: 401 }),
    before: 'disabled',
    after: 'enabled',
  },
  AutomaticDisableKeywords: {
    effect: 'Words in a refusal that disable a channel',
    given: () => ({ AutomaticDisableChannelEnabled: 'true' }),
    text: 'house rule broken',
    observe: channelAfter({ status: 403, errorCode: 'odd', errorMessage: 'HOUSE rule broken' }),
    before: 'enabled',
    after: 'disabled',
  },
  ChannelDisableThreshold: {
    effect: 'Channels slower than this in a test of all channels are disabled',
    file: 'tests/integration/admin/channels/upstream.test.ts',
  },
  AutomaticEnableChannelEnabled: {
    effect: 'Channels that pass a test are enabled again',
    file: 'tests/integration/admin/channels/upstream.test.ts',
  },
  QuotaRemindThreshold: {
    effect:
      'Below it a user gets an email, at most every two hours (tests/integration/money/ledger/limits.test.ts)',
    given: ({ mail }) => ({ ...PRICED, ...mail.settings }),
    text: '5950',
    observe: reminders,
    before: 0,
    after: 1,
  },
  HoldRecoveryPolicy: {
    effect:
      'What a call that was running during a crash is charged (tests/integration/money/ledger/recovery.test.ts)',
    text: 'review',
    observe: recoveryPolicy,
    before: 'checkpoint',
    after: 'review',
  },
  StrictConversionEnabled: {
    effect: 'A call whose conversion to another format would lose something is refused',
    given: () => PRICED,
    text: 'true',
    observe: lossyCall,
    before: 200,
    after: 400,
  },
  PreConsumedQuota: {
    effect: 'The smallest hold of a call',
    given: () => PRICED,
    text: '1',
    observe: async (stage) => (await stage.call((await stage.key(300)).key, { max_tokens: 1 })).status,
    before: 403,
    after: 200,
  },
  LowerAnswerLimits: {
    effect: 'Whether an answer is shortened to what the balance can pay for, or the call is refused',
    given: () => PRICED,
    text: 'false',
    observe: async (stage) => (await stage.call((await stage.key(5000)).key, { max_tokens: 100_000 })).status,
    before: 200,
    after: 403,
  },
  ModelLimits: {
    effect: 'The largest answer of a model, which a call holds for',
    given: () => PRICED,
    text: `{"${MODEL}":{"answer":2000}}`,
    observe: async (stage) =>
      (await stage.call((await stage.key(5000)).key)).headers.get('x-tollgate-output-limit') !== null,
    before: true,
    after: false,
  },
  QuotaPerUnit: {
    effect: 'How much quota a dollar is',
    given: () => ({ ModelPrice: `{"${MODEL}":0.01}` }),
    text: '1000000',
    observe: charge({ inputTokens: 10 }),
    before: 5000,
    after: 10_000,
  },
  GroupRatio: {
    effect: 'What a group pays, as a multiple',
    text: '{"default":1,"vip":0.5,"svip":1}',
    given: () => PRICED,
    observe: charge({ inputTokens: 100 }, 'vip'),
    before: 100,
    after: 50,
  },
  UserUsableGroups: {
    effect: 'The groups an API key can be given',
    text: '{"default":"x","vip":"y","svip":"z"}',
    observe: usableGroups,
    before: ['default', 'vip'],
    after: ['default', 'svip', 'vip'],
  },
  ModelPrice: {
    effect: 'A fixed price in dollars for each call',
    given: () => PRICED,
    text: `{"${MODEL}":0.01}`,
    observe: charge({ inputTokens: 100 }),
    before: 100,
    after: 5000,
  },
  PriceUnit: {
    effect: 'Whether a fixed price is for a call or for each second of video',
    file: 'tests/integration/relay/video/video.test.ts',
  },
  ResolutionPrice: {
    effect: 'What a second or clip of video costs at one resolution',
    file: 'tests/integration/relay/video/video.test.ts',
  },
  ModelRatio: priced('What the input of a model costs', { inputTokens: 100 }, 100, 300),
  CompletionRatio: priced('The price of output as a multiple of input', { outputTokens: 100 }, 100, 300),
  CacheRatio: priced(
    'The price of input read from a cache, as a multiple of fresh input',
    { inputTokens: 100, cachedInputTokens: 100 },
    100,
    300,
  ),
  CreateCacheRatio: priced(
    'The price of input written to a cache',
    { inputTokens: 100, cacheWriteInputTokens: 100 },
    125,
    300,
  ),
  CreateCache1hRatio: {
    effect: 'The price of input written to a cache for an hour',
    file: 'server/money/prices/price.test.ts',
  },
  ImageRatio: priced(
    'The price of images in the input',
    { inputTokens: 100, imageInputTokens: 100 },
    100,
    300,
  ),
  AudioRatio: priced(
    'The price of audio in the input',
    { inputTokens: 100, audioInputTokens: 100 },
    100,
    300,
  ),
  AudioCompletionRatio: priced(
    'The price of audio in the output',
    { outputTokens: 100, audioOutputTokens: 100 },
    100,
    300,
  ),
  ReasoningRatio: priced(
    'The price of reasoning in the output',
    { outputTokens: 100, reasoningTokens: 100 },
    100,
    300,
  ),
  BatchRatio: {
    effect: 'What a batch costs, as a multiple of the usual price; a running batch keeps its own',
    file: 'tests/integration/relay/batches/batches.test.ts',
  },
  PriceRules: {
    effect: 'Tiers, hours, request classes, fees and a minimum change what a call costs',
    file: 'tests/integration/money/prices/price-book.test.ts',
  },
  PriceListUrls: {
    effect: 'Prices in these lists that differ wait for review; none is applied automatically',
    file: 'tests/integration/money/prices/price-book.test.ts',
  },
  FileUploadMegabytes: {
    effect: 'A larger file is refused',
    file: 'tests/integration/relay/batches/batches.test.ts',
  },
  FilesPerUser: {
    effect: 'A user with this many files cannot upload another one',
    file: 'tests/integration/relay/batches/batches.test.ts',
  },
};
