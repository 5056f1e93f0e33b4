// A conversation keeps its channel, so that the prompt cache of the upstream is warm; played by counting, for each channel, how much of
// a prompt it has seen before.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { SettingKey } from '#contract/settings.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;
beforeAll(async () => {
  relay = await startRelay({ settings: { RetryTimes: '1' } });
  token = await relay.token({ user_id: await relay.user() });
});
afterAll(() => relay[Symbol.asyncDispose]());

beforeEach(async () => {
  await relay.store.db.updateTable('channels').set({ status: 2 }).execute();
  await relay.store.db.deleteFrom('abilities').execute();
  await set('ConversationAffinityEnabled', 'true');
  relay.mock.reset();
});

const set = (key: SettingKey, text: string) => relay.settings.set(key, text, 0);
const channel = (name: string, more: object = {}) => relay.channel({ key: `sk-${name}`, weight: 1, ...more });

/** The calls of an agent's conversation: each has the prompt of the one before, its answer, and what came back from a tool. */
interface Agent {
  readonly path: string;
  readonly headers: Record<string, string>;
  body(turn: number): object;
}

const system = (name: string) => `You are ${name}. ${'Follow the rules of the repository. '.repeat(40)}`;
const spoken = (name: string, turn: number) =>
  Array.from({ length: turn * 2 + 1 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${name} ${index}: ${'a line of a file that was read. '.repeat(30)}`,
  }));

/** As the agents send them: Claude Code names its session in the metadata, Codex in a header and as cache key; others in nothing. */
const AGENTS: readonly ((name: string) => Agent)[] = [
  (name) => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: (turn) => ({
      model: 'gpt-4o',
      max_tokens: 20,
      system: system(name),
      metadata: { user_id: `user_1_account__session_${name}` },
      messages: spoken(name, turn),
    }),
  }),
  (name) => ({
    path: '/v1/responses',
    headers: { session_id: name },
    body: (turn) => ({
      model: 'gpt-4o',
      store: false,
      instructions: system(name),
      prompt_cache_key: name,
      input: spoken(name, turn),
    }),
  }),
  (name) => ({
    path: '/v1/chat/completions',
    headers: {},
    body: (turn) => ({
      model: 'gpt-4o',
      messages: [{ role: 'system', content: system(name) }, ...spoken(name, turn)],
    }),
  }),
];

const TURNS = 12;
const conversations = () =>
  Array.from({ length: 18 }, (_, index) => AGENTS[index % AGENTS.length]?.(`agent ${index}`) as Agent);

async function send(agent: Agent, turn: number): Promise<Response> {
  const answer = await relay.post(agent.path, token.key, agent.body(turn), agent.headers);
  await answer.text();
  return answer;
}

/** Part of all prompts that the channel which got them had seen. */
function cachedShare(): number {
  const seen = new Map<string, string[]>();
  let [cached, all] = [0, 0];
  for (const { key, body } of relay.mock.requests) {
    const { messages, input } = body as { messages?: unknown; input?: unknown };
    const prompt = JSON.stringify(messages ?? input);
    const before = seen.get(key) ?? [];
    cached += Math.max(0, ...before.map((each) => sameStart(each, prompt)));
    all += prompt.length;
    seen.set(key, [...before, prompt]);
  }
  return cached / all;
}

function sameStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

async function sharesOf(tags: readonly string[]): Promise<number> {
  await relay.store.db.updateTable('channels').set({ status: 2 }).execute();
  await relay.store.db.deleteFrom('abilities').execute();
  relay.mock.reset();
  for (const tag of tags) await channel(tag);
  const all = conversations();
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const agent of all) expect((await send(agent, turn)).status).toBe(200);
  expect(new Set(relay.mock.requests.map(({ key }) => key)).size).toBe(tags.length);
  return cachedShare();
}

test('with two channels agents find at least 95 % of the prompt that one channel alone would have cached', async () => {
  const alone = await sharesOf(['one']);
  const both = await sharesOf(['left', 'right']);
  expect(both).toBeGreaterThanOrEqual(alone * 0.95);
  await set('ConversationAffinityEnabled', 'false');
  expect(await sharesOf(['off left', 'off right'])).toBeLessThan(alone * 0.95);
});

const keys = () => relay.mock.requests.map(({ key }) => key);
const agent = (name: string) => AGENTS[2]?.(name) as Agent;

test('new conversations are shared by weight, also when they begin alike', async () => {
  await channel('a');
  await channel('b');
  for (let round = 0; round < 60; round += 1) await send(agent('same'), 0);
  const count = keys().filter((key) => key === 'sk-a').length;
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThan(50);
});

test('a channel that cannot be used is left, and the conversation stays where it went', async () => {
  const first = await channel('a');
  await send(agent('moved'), 0);
  await channel('b');
  const setStatus = async (status: number) => {
    await relay.store.db.updateTable('channels').set({ status }).where('id', '=', first).execute();
    await relay.store.changes.announce('channels', String(first));
    await eventually(
      async () => relay.relay.core.catalog.current.channel(first)?.isEnabled,
      (is) => is === (status === 1),
    );
    relay.mock.reset();
  };
  await setStatus(2);
  await send(agent('moved'), 1);
  expect(keys()).toEqual(['sk-b']);
  await setStatus(1);
  for (let turn = 2; turn < 12; turn += 1) await send(agent('moved'), turn);
  expect(new Set(keys())).toEqual(new Set(['sk-b']));
});

test('a channel of a higher priority that is back is used again', async () => {
  await channel('low');
  await channel('low too');
  await send(agent('low'), 0);
  await channel('high', { priority: 9 });
  relay.mock.reset();
  await send(agent('low'), 1);
  expect(keys()).toEqual(['sk-high']);
});

/** Of the newest row. */
async function mark(): Promise<unknown> {
  const { other } = await relay.lastLog(token.userId);
  return (JSON.parse(other) as { admin_info: { conversation?: unknown } }).admin_info.conversation;
}

test('the log row says whether the conversation kept its channel, and why not', async () => {
  const turn = async (at: number, name = 'marked') => {
    await send(agent(name), at);
    return await mark();
  };
  const a = await channel('a');
  expect(await turn(0, 'alone')).toBeUndefined();
  const b = await channel('b');
  expect(await turn(0)).toEqual({ why: 'weight' });
  const first = keys().at(-1) === 'sk-a' ? a : b;
  const other = first === a ? b : a;
  for (let at = 1; at < 4; at += 1) expect(await turn(at)).toEqual({ why: 'kept', channel: first });

  relay.relay.core.breaker.failed(first, { retryAfterSeconds: 60 });
  expect(await turn(4)).toEqual({ why: 'paused', channel: first });
  expect((await relay.lastLog(token.userId)).channel_id).toBe(other);
  // From now on it is the other one's.
  relay.relay.core.breaker.headroom.note({ id: other, baseUrl: '' }, 'gpt-4o', {
    requests: { limit: 9, left: 0, resetSeconds: 60 },
    tokens: undefined,
    organization: '',
  });
  relay.relay.core.breaker.succeeded(first, 'gpt-4o');
  expect(await turn(5)).toEqual({ why: 'limit', channel: other });
  const high = await channel('high', { priority: 9 });
  expect(await turn(6)).toEqual({ why: 'priority', channel: first });
  expect(await turn(7)).toEqual({ why: 'kept', channel: high });
  await set('ConversationAffinityEnabled', 'false');
  expect(await turn(8)).toBeUndefined();
});

test('a kept channel that fails is named in the row of the channel that answered', async () => {
  const names = { [await channel('a')]: 'sk-a', [await channel('b')]: 'sk-b' };
  await send(agent('broken'), 0);
  const first = (await relay.lastLog(token.userId)).channel_id;
  relay.mock.behave({ when: { key: names[first] ?? '' }, behaviour: { status: 503 } });
  await send(agent('broken'), 1);
  expect(await mark()).toEqual({ why: 'kept', channel: first });
  expect((await relay.lastLog(token.userId)).channel_id).not.toBe(first);
});
