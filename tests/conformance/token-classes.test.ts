// Every provider's own usage object through the relay: the log row and the charge count each token once, in its class.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts';
import { usageSamples, type UsageSample } from './usage-samples.ts';

setDefaultTimeout(20_000);

let relay: RelayHarness;
let upstream: ScriptedUpstream;
let token: TestToken;

/** Units per token: every class has another price, so a token in the wrong class changes the charge. */
const unitsPerToken: Readonly<Record<TokenClass, number>> = {
  input: 100,
  cacheRead: 10,
  cacheWrite5m: 125,
  cacheWrite1h: 200,
  imageInput: 300,
  audioInput: 700,
  output: 400,
  reasoning: 500,
  audioOutput: 1400,
};
const ratios: Readonly<Record<string, number>> = {
  ModelRatio: 100,
  CompletionRatio: 4,
  CacheRatio: 0.1,
  CreateCacheRatio: 1.25,
  CreateCache1hRatio: 2,
  ImageRatio: 3,
  AudioRatio: 7,
  AudioCompletionRatio: 2,
  ReasoningRatio: 5,
};
const modelOf = (index: number) => `m${index}`;

beforeAll(async () => {
  upstream = startScriptedUpstream();
  const names = usageSamples.map((_sample, index) => modelOf(index));
  const settings = Object.fromEntries(
    Object.entries(ratios).map(([option, ratio]) => [
      option,
      JSON.stringify(Object.fromEntries(names.map((name) => [name, ratio]))),
    ]),
  );
  relay = await startRelay({ settings: { ...settings, RetryTimes: '0' } });
  token = await relay.token({ quota: 4_000_000_000 });
  for (const [index, sample] of usageSamples.entries()) {
    const name = modelOf(index);
    await addChannel(relay.store, {
      type: sample.channelType,
      name,
      base_url: upstream.url,
      models: [name],
      key: sample.key ?? 'sk-key',
    });
  }
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const finding = ({ provider }: UsageSample): string =>
  provider === 'xAI' ? 'W1 ' : provider === 'Moonshot' ? 'W3 ' : '';

for (const [index, sample] of usageSamples.entries()) {
  test(`${finding(sample)}${sample.provider}: ${sample.what}`, async () => {
    upstream.answer = sample.answer;
    const model = modelOf(index);
    const path = (sample.path ?? '/v1/chat/completions').replace('/m:', `/${model}:`);
    const answer = await relay.post(path, token.key, {
      model,
      max_tokens: 10_000,
      messages: [{ role: 'user', content: 'Hi' }],
      ...(path === '/v1/responses' ? { input: 'Hi', messages: undefined, max_tokens: undefined } : {}),
      ...(path.includes(':') ? { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] } : {}),
    });
    expect(answer.status, await answer.text()).toBe(200);
    const row = await relay.lastLog(token.userId);
    const sum = (names: readonly TokenClass[]): number =>
      names.reduce((total, name) => total + (sample.classes[name] ?? 0), 0);
    const outputs: readonly TokenClass[] = ['output', 'reasoning', 'audioOutput'];
    const prompt = sum(TOKEN_CLASSES.filter((name) => !outputs.includes(name)));
    expect([row.prompt_tokens, row.completion_tokens]).toEqual([prompt, sum(outputs)]);
    const charge = TOKEN_CLASSES.reduce(
      (total, name) => total + (sample.classes[name] ?? 0) * unitsPerToken[name],
      0,
    );
    expect(row.quota).toBe(charge);
  });
}

test('docs/providers.md explains the usage of every sampled provider', () => {
  const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## What counts where');
  const explained = new Set(Array.from(section.matchAll(/^\| ([^|]+?) +\|/gm), ([, name]) => name));
  expect(usageSamples.map(({ provider }) => provider).filter((name) => !explained.has(name))).toEqual([]);
});
