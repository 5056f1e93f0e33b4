// What a call can cost at most, and how much output an amount pays for.
import { describe, expect, test } from 'bun:test';
import type { RatioSnapshot } from '#server/money/prices/price.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import { prepareJsonBody } from '#server/relay/upstream-body/prepare.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { Exposure } from './exposure.ts';

const limits = {
  answerTokens: 9000,
  isAnswerKnown: true,
  contextTokens: undefined,
  tokensPerSecond: 500,
  hiddenTokensPerSecond: 50,
  limitsReasoning: true,
  besideTokens: 0,
  isReasoning: false,
};

/** One unit for a token of input, two for output, and these ratios. */
const price = (ratios: Partial<RatioSnapshot> = {}): RatioSnapshot => ({
  version: 1,
  kind: 'ratio',
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  modelRatio: 1,
  completionRatio: 2,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  reasoningRatio: 2,
  ...ratios,
});

function exposureOf(
  fields: Record<string, unknown>,
  ratios: Partial<RatioSnapshot> = {},
  known: Partial<typeof limits> = {},
) {
  const endpoint = relayEndpoints.find(({ path }) => path === '/v1/chat/completions')!;
  const value = { model: 'm', messages: [{ role: 'user', content: 'hello there' }], ...fields };
  const prepared = prepareJsonBody(endpoint, { text: JSON.stringify(value), value });
  const exposure = new Exposure(prepared, price(ratios), { ...limits, ...known }, 0);
  return { exposure, promptTokens: prepared.estimate.promptTokens };
}

const reportOf = (input: number): CanonicalUsage => ({ ...usageOf({ input }), webSearches: 0, raw: {} });

describe('the hold of a call', () => {
  test('is for the caller’s limit, else for the model’s largest answer, of every choice', () => {
    expect(exposureOf({ max_tokens: 700 }).exposure.outputTokens).toBe(700);
    expect(exposureOf({}).exposure.outputTokens).toBe(9000);
    expect(exposureOf({ max_tokens: 700, n: 3 }).exposure.outputTokens).toBe(2100);
  });

  test('has the reasoning that comes beside the limit, and the limit sent upstream is without it (M11)', () => {
    const beside = { besideTokens: 5000 };
    const { exposure } = exposureOf({ max_tokens: 700, n: 2 }, {}, beside);
    expect(exposure.outputTokens).toBe(2 * 5700);
    expect(exposure.leastOutputTokens).toBe(2 * 5256);
    expect(exposure.limitFor(2 * 5400)).toBe(400);
    expect(exposureOf({}, {}, beside).exposure.outputTokens).toBe(14_000);
  });

  test('a limit for several answers is rounded down, so that the hold pays for all of them (M21)', () => {
    const { exposure } = exposureOf({ max_tokens: 700, n: 3 }, {}, { besideTokens: 50 });
    expect([1350, 1351, 1352, 1353].map((tokens) => exposure.limitFor(tokens))).toEqual([400, 400, 400, 401]);
  });

  test('an amount pays for as much output as costs no more than it', () => {
    const { exposure, promptTokens } = exposureOf({});
    expect(exposure.costOf(100)).toBe(promptTokens + 200);
    for (const amount of [promptTokens + 1, promptTokens + 200, promptTokens + 201, promptTokens + 17_999])
      expect(exposure.costOf(exposure.tokensFor(amount, 9000))).toBeLessThanOrEqual(amount);
    expect(exposure.tokensFor(promptTokens + 201, 9000)).toBe(100);
    expect(exposure.tokensFor(1_000_000, 9000)).toBe(9000);
  });

  test('a prompt that may be written into a cache is held at the price of writing', () => {
    const cached = [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    ];
    const hour = [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { ttl: '1h' } }] }];
    const ratios = { cacheWriteRatio: 2, cacheWrite1hRatio: 4 };
    const cost = (messages: unknown) => {
      const { exposure, promptTokens } = exposureOf({ messages }, ratios);
      return exposure.costOf(0) / promptTokens;
    };
    expect(cost([{ role: 'user', content: 'x' }])).toBe(1);
    expect(cost(cached)).toBe(2);
    expect(cost(hour)).toBe(4);
  });

  test('output is held at its dearest class: reasoning, or speech that was asked for', () => {
    const of = (fields: object, ratios: Partial<RatioSnapshot>) => {
      const { exposure } = exposureOf({ ...fields }, ratios);
      return exposure.costOf(100) - exposure.costOf(0);
    };
    expect(of({}, { reasoningRatio: 5 })).toBe(500);
    expect(of({}, { audioRatio: 10, audioCompletionRatio: 2 })).toBe(200);
    expect(of({ modalities: ['text', 'audio'] }, { audioRatio: 10, audioCompletionRatio: 2 })).toBe(2000);
  });

  test('tools that the upstream runs add input, attachments count as large ones, and functions add nothing', () => {
    const inputOf = (fields: object) => exposureOf({ ...fields }).exposure.costOf(0);
    const plain = inputOf({});
    expect(inputOf({ tools: [{ type: 'web_search' }] })).toBeGreaterThan(plain + 60_000);
    expect(inputOf({ web_search_options: {} })).toBeGreaterThan(plain + 60_000);
    expect(inputOf({ tools: [{ type: 'function', function: { name: 'f' } }] })).toBeLessThan(plain + 100);
    const picture = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x' } }] }];
    expect(inputOf({ messages: picture })).toBeGreaterThan(5000);
    const file = [{ role: 'user', content: [{ type: 'file', file: { file_data: 'A'.repeat(80_000) } }] }];
    expect(inputOf({ messages: file })).toBeGreaterThan(7500);
  });

  test.each<[string, object, boolean]>([
    ['a shell of the caller', { type: 'shell' }, false],
    ['a shell that is said to be local', { type: 'shell', environment: { type: 'local' } }, false],
    ['a shell in a container', { type: 'shell', environment: { type: 'container_auto' } }, true],
    ['the older shell', { type: 'local_shell' }, false],
    ['patches', { type: 'apply_patch' }, false],
    ['a computer', { type: 'computer_use_preview', display_width: 800 }, false],
    ['functions in a namespace', { type: 'namespace', tools: [{ type: 'function', name: 'f' }] }, false],
    ['a search in a namespace', { type: 'namespace', tools: [{ type: 'web_search' }] }, true],
    ['a search for tools by the caller', { type: 'tool_search', execution: 'client' }, false],
    ['a search for tools by the upstream', { type: 'tool_search' }, true],
    ['Anthropic’s shell', { type: 'bash_20250124', name: 'bash' }, false],
    ['Anthropic’s editor', { type: 'text_editor_20250728', name: 'edit' }, false],
    ['Anthropic’s search', { type: 'web_search_20250305', name: 'web_search' }, true],
    ['a search that has a schema', { type: 'web_search_20250305', input_schema: {} }, true],
    ['a tool with a schema', { name: 'f', input_schema: {} }, false],
    ['Gemini’s functions', { functionDeclarations: [] }, false],
    ['Gemini’s functions beside a search', { functionDeclarations: [], googleSearch: {} }, true],
    ['a remote server', { type: 'mcp', server_label: 's' }, true],
  ])(
    '%s adds input that the upstream may read only where the upstream runs it (M11)',
    (_, tool, isUpstreams) => {
      const inputOf = (fields: object) => exposureOf({ ...fields }).exposure.costOf(0);
      const added = inputOf({ tools: [tool] }) - inputOf({});
      expect(added > 60_000).toBe(isUpstreams);
      expect(added).toBeLessThan(isUpstreams ? 70_000 : 500);
    },
  );

  test('a stream holds the pages of its tools too, until the upstream has counted as many (M11)', () => {
    const { exposure } = exposureOf({ stream: true, tools: [{ type: 'web_search' }] });
    const before = exposure.costOf(0);
    expect(before).toBeGreaterThan(60_000);
    // The prompt alone is counted at the start of an answer, the pages at its end.
    expect(exposure.costOf(0, reportOf(10))).toBe(before);
    expect(exposure.costOf(0, reportOf(before - 1))).toBe(before);
    expect(exposure.costOf(0, reportOf(90_000))).toBe(90_000);
    expect(exposureOf({ stream: true }).exposure.costOf(0, reportOf(7))).toBe(7);
  });

  test('several answers come at several times the speed of one (M11)', () => {
    const { exposure } = exposureOf({ n: 3 });
    expect([exposure.tokensPerSecond, exposure.hiddenTokensPerSecond]).toEqual([1500, 150]);
  });

  test('an upstream may be silent while the model thinks, and while it runs tools (M11)', () => {
    const isSilent = (fields: object, known = {}) =>
      exposureOf({ ...fields }, {}, known).exposure.mayBeSilent;
    expect(isSilent({})).toBe(false);
    expect(isSilent({}, { isReasoning: true })).toBe(true);
    expect(isSilent({ tools: [{ type: 'web_search' }] })).toBe(true);
    expect(isSilent({ tools: [{ type: 'function', function: { name: 'f' } }] })).toBe(false);
  });

  test('a searched answer holds as many searches as it may make', () => {
    const search = (fields: object) => {
      const { exposure } = exposureOf({ ...fields }, { search: 0.01 });
      const without = exposureOf({ ...fields }).exposure;
      return (exposure.costOf(0) - without.costOf(0)) / 5000;
    };
    expect(search({ tools: [{ type: 'web_search_20250305', max_uses: 3 }] })).toBe(3);
    expect(search({ tools: [{ type: 'web_search' }] })).toBe(10);
    expect(search({})).toBe(1);
  });

  test('the least limit leaves room for the thinking that was asked for, and is no more than the limit', () => {
    const thinking = { type: 'enabled', budget_tokens: 3000 };
    expect(exposureOf({ max_tokens: 9000, thinking }).exposure.leastOutputTokens).toBe(3256);
    expect(exposureOf({ max_tokens: 9000 }).exposure.leastOutputTokens).toBe(256);
    expect(exposureOf({ max_tokens: 50 }).exposure.leastOutputTokens).toBe(50);
  });

  test('a report without a prompt counts nothing of it', () => {
    const { exposure } = exposureOf({ stream: true });
    expect(exposure.costOf(10, reportOf(0))).toBe(exposure.costOf(10));
    expect(exposure.costOf(10, reportOf(1))).toBe(1 + 20);
  });

  test('a guessed limit that is sent stays where upstreams take it; one of the caller or the list is not lowered to it', () => {
    const guessed = { isAnswerKnown: false };
    expect(exposureOf({}, {}, guessed).exposure.limitFor(20_000)).toBe(8192);
    expect(exposureOf({}, {}, guessed).exposure.limitFor(8000)).toBe(8000);
    expect(exposureOf({ max_tokens: 30_000 }, {}, guessed).exposure.limitFor(20_000)).toBe(20_000);
    expect(exposureOf({}).exposure.limitFor(20_000)).toBe(20_000);
  });

  test('a prompt that is written for an hour is held at the dearer of both prices of writing', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { ttl: '1h' } }] }];
    const cost = (ratios: Partial<RatioSnapshot>) => {
      const { exposure, promptTokens } = exposureOf({ messages }, ratios);
      return exposure.costOf(0) / promptTokens;
    };
    expect(cost({ cacheWriteRatio: 1, cacheWrite1hRatio: 4 })).toBe(4);
    expect(cost({ cacheWriteRatio: 3, cacheWrite1hRatio: 2 })).toBe(3);
    expect(cost({ cacheWriteRatio: 1, cacheWrite1hRatio: 0.5 })).toBe(1);
  });

  test('a model thinks in secret where the caller asks for it in any of the ways', () => {
    const hides = (fields: object) => exposureOf({ ...fields }).exposure.mayHideOutput;
    expect(hides({ generationConfig: { thinkingConfig: {} } })).toBe(true);
    expect(hides({ thinking: { type: 'adaptive' } })).toBe(true);
    expect(hides({ thinking: { type: 'disabled' } })).toBe(false);
    expect(hides({ reasoning_effort: 'low' })).toBe(true);
    expect(hides({ reasoning_effort: 'none' })).toBe(false);
  });

  test('a namespace with one tool of the upstream is the upstream’s, and so many searches are held as are likely', () => {
    const inputOf = (fields: object) => exposureOf({ ...fields }).exposure.costOf(0);
    const tools = [{ type: 'namespace', tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }] }];
    expect(inputOf({ tools }) - inputOf({})).toBeGreaterThan(60_000);
    const many = { tools: [{ type: 'web_search_20250305', max_uses: 1_000_000 }] };
    const searches = exposureOf(many, { search: 0.01 }).exposure.costOf(0) - inputOf(many);
    expect(searches / 5000).toBe(100);
  });
});
