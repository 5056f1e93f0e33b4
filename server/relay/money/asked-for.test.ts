// The bounds of a call: what the request asks for decides how much of a report is believed.
import { describe, expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import {
  fullBounds,
  mostSeconds,
  mostUnits,
  plainBounds,
  sessionBounds,
  type AskedCall,
} from './asked-for.ts';

function asked(
  fields: Record<string, unknown> = {},
  rest: Partial<AskedCall['prepared']> & { path?: string } = {},
): AskedCall {
  const { path = '/v1/chat/completions', ...prepared } = rest;
  const endpoint = relayEndpoints.find((each) => each.path === path)!;
  const unreported = usageOf({ input: 100 });
  const estimate = { promptTokens: 100, pieces: 1, choices: 1, unreported, isExact: false, most: unreported };
  const usual = { endpoint, estimate, outputLimit: undefined, requestLength: 400, fields, model: 'gpt-4o' };
  return { prepared: { ...usual, ...prepared } };
}

const limits = {
  answerTokens: 500,
  isAnswerKnown: true,
  contextTokens: undefined,
  tokensPerSecond: 500,
  hiddenTokensPerSecond: 50,
  limitsReasoning: false,
  besideTokens: 0,
  isReasoning: false,
};

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const open = 10_000_000;
const plain = 101_600;

describe('the prompt (M13)', () => {
  test.each([
    ['text', user('hello'), plain],
    ['parts of text', user([{ type: 'text', text: 'hello' }]), plain],
    ['a function of the caller', { ...user('hello'), tools: [{ type: 'function', function: {} }] }, plain],
    ['a tool of the caller', { ...user('hello'), tools: [{ name: 'a', input_schema: {} }] }, plain],
    ['Gemini’s functions', { tools: [{ functionDeclarations: [] }] }, plain],
    ['a picture', user([{ type: 'image_url', image_url: { url: 'https://x' } }]), open],
    ['Anthropic’s document', user([{ type: 'document', source: {} }]), open],
    ['Gemini’s file', { contents: [{ parts: [{ fileData: { fileUri: 'x' } }] }] }, open],
    ['a file of Responses', { input: [{ content: [{ type: 'input_file', file_id: 'x' }] }] }, open],
    ['a stored conversation', { input: 'hi', previous_response_id: 'resp_1' }, open],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, open],
    ['a search', { ...user('hello'), web_search_options: {} }, open],
    ['a tool of the upstream', { ...user('hello'), tools: [{ type: 'code_interpreter' }] }, open],
    ['Google’s search', { tools: [{ google_search: {} }] }, open],
  ])('with %p', (_what, fields, most) => {
    expect(fullBounds(asked(fields), 0).input).toBe(most);
  });

  test('is at most the model’s context where that is larger than the request explains, and no more than any model holds', () => {
    const known = { ...limits, contextTokens: 1_000_000 };
    expect(plainBounds({ ...asked(), limits: known }).input).toBe(1_000_000);
    expect(plainBounds(asked({}, { requestLength: 64 * 1024 * 1024 })).input).toBe(open);
  });
});

describe('the answer (M13)', () => {
  test('has its reasoning inside the limit where the model’s upstreams count so', () => {
    const call = { ...asked({}, { outputLimit: 1000 }), limits: { ...limits, limitsReasoning: true } };
    expect(plainBounds(call)).toMatchObject({ output: 1164, answer: 1164 });
  });

  test('has the reasoning that the model is known to send beside it, with and without a limit (M11)', () => {
    const known = { ...limits, besideTokens: 30_000 };
    const limited = { ...asked({}, { outputLimit: 1000 }), limits: known };
    expect(plainBounds(limited)).toMatchObject({ output: 1164, answer: 1164 + 30_000 });
    expect(plainBounds({ ...asked(), limits: known })).toMatchObject({ output: 614, answer: 614 + 30_000 });
  });

  test('of a stream is no more than was delivered and could be produced in its silent time (M11)', () => {
    const call = { ...asked({}, { outputLimit: 100_000 }), hiddenTokens: 2500 };
    expect(plainBounds(call)).toMatchObject({ output: 2500, answer: 2500 });
    expect(fullBounds(call, 1000)).toMatchObject({ output: 8000, answer: 8000 });
  });

  test('is the limit that was sent, else the model’s largest answer, and a tenth more, for each choice', () => {
    const limited = asked({}, { outputLimit: 1000 });
    expect(plainBounds(limited)).toMatchObject({ output: 1164, answer: 1164 + 131_072 });
    expect(plainBounds({ ...limited, limits })).toMatchObject({ output: 1164, answer: 1664 });
    expect(plainBounds({ ...asked(), limits })).toMatchObject({ output: 614, answer: 614 });
    const { estimate } = limited.prepared;
    const three = asked({}, { outputLimit: 1000, estimate: { ...estimate, choices: 3 } });
    expect(plainBounds(three).output).toBe(3 * 1164);
  });

  test('of tools that the upstream runs has several turns, which the model’s largest answer does not bound', () => {
    const call = { ...asked({ tools: [{ type: 'web_search' }] }), largestAnswerTokens: 500 };
    expect(fullBounds(call, 0).output).toBe(550_064);
  });

  test('that was delivered is believed beyond the limit', () => {
    expect(fullBounds(asked({}, { outputLimit: 1 }), 500).output).toBe(4000);
    expect(fullBounds(asked({}, { outputLimit: 10_000 }), 500).output).toBe(11_064);
  });

  test('of pictures follows their number; other endpoints answer no more than they read', () => {
    const images = asked({}, { path: '/v1/images/generations' });
    const { estimate } = images.prepared;
    const four = asked({}, { path: '/v1/images/generations', estimate: { ...estimate, choices: 4 } });
    expect([fullBounds(images, 0).output, fullBounds(four, 0).output]).toEqual([32_768, 4 * 32_768]);
    const { input, output } = fullBounds(asked({}, { path: '/v1/embeddings' }), 0);
    expect(output).toBe(input);
  });

  test('of a realtime session follows its own limit', () => {
    expect(sessionBounds(100, 200, 0)).toMatchObject({ input: 100_800, output: 284, answer: 284 });
    expect(sessionBounds(100, undefined, 0).output).toBe(144_244);
    expect(sessionBounds(100, 10, 1000).output).toBe(8000);
  });
});

describe('searches (M12)', () => {
  const search = (max_uses?: unknown) => ({
    type: 'web_search_20250305',
    name: 'web_search',
    ...(max_uses === undefined ? {} : { max_uses }),
  });
  test.each([
    ['nothing', {}, 0],
    ['a tool of the upstream that does not search', { tools: [{ type: 'code_interpreter' }] }, 0],
    ['a function with that name', { tools: [{ type: 'function', function: { name: 'search' } }] }, 0],
    ['a limit', { tools: [search(5)] }, 5],
    ['two limits', { tools: [search(5), search(2)] }, 7],
    ['no limit', { tools: [search()] }, 200],
    ['a limit that is none', { tools: [search(-1)] }, 200],
    ['a limit beyond reason', { tools: [search(Number.MAX_SAFE_INTEGER)] }, 1000],
    ['OpenAI’s option', { web_search_options: {} }, 200],
    ['Qwen’s option', { enable_search: true }, 200],
    ['Qwen’s option, off', { enable_search: false }, 0],
  ])('with %p', (_what, fields, most) => {
    expect(fullBounds(asked(fields), 0).searches).toBe(most);
  });

  test('a model that searches by itself needs no tool, under its own name or the upstream’s', () => {
    expect(fullBounds(asked({}, { model: 'sonar-pro' }), 0).searches).toBe(200);
    const mapped = { ...asked(), record: { upstreamModel: 'gpt-4o-search-preview' } };
    expect(fullBounds(mapped, 0).searches).toBe(200);
  });
});

describe('several answers, and upstreams that do more than they are asked for', () => {
  const withChoices = (choices: number, rest: Parameters<typeof asked>[1] = {}, fields = {}): AskedCall => {
    const call = asked(fields, rest);
    return asked(fields, { ...rest, estimate: { ...call.prepared.estimate, choices } });
  };

  test('each of several answers may have its own reasoning, and search', () => {
    const beside = { ...limits, besideTokens: 30_000, limitsReasoning: true };
    expect(plainBounds({ ...withChoices(2), limits: beside })).toMatchObject({
      output: 2 * 614,
      answer: 2 * 614 + 2 * 30_000,
    });
    const { output, answer } = plainBounds(withChoices(2, { outputLimit: 1000 }));
    expect([output, answer]).toEqual([2 * 1164, 2 * 1164 + 2 * 131_072]);
    const tools = [{ type: 'web_search_20250305', max_uses: 5 }];
    expect(fullBounds(withChoices(3, {}, { tools }), 0).searches).toBe(15);
  });

  test('the limit of one answer does not bound the turns of an upstream that runs more', () => {
    const provider = { runsMore: true } as unknown as NonNullable<AskedCall['channel']>['provider'];
    const channel = { paramOverride: undefined, provider } as NonNullable<AskedCall['channel']>;
    const call = { ...asked({}, { outputLimit: 1000 }), channel, limits };
    expect(fullBounds(call, 0)).toMatchObject({ input: open, output: 550_064, searches: 200 });
    const tools = [{ type: 'code_interpreter' }];
    expect(fullBounds({ ...asked({ tools }), limits }, 0).output).toBe(550_064);
    expect(fullBounds({ ...asked(), limits }, 0).output).toBe(614);
  });

  test('a limit that the operator’s override raises is what the upstream may use', () => {
    const provider = {} as unknown as NonNullable<AskedCall['channel']>['provider'];
    const of = (paramOverride: Record<string, unknown>) => {
      const channel = { paramOverride, provider } as unknown as NonNullable<AskedCall['channel']>;
      return fullBounds({ ...asked({}, { outputLimit: 1000 }), channel }, 0).output;
    };
    expect(of({ max_tokens: 5000 })).toBe(5564);
    expect(of({ max_tokens: 10 })).toBe(1164);
    expect(of({ temperature: 1 })).toBe(1164);
  });
});

test('a recording is as long as its bytes or its estimate allow, and a minute more', () => {
  const of = (promptTokens: number, requestLength: number) => {
    const call = asked({}, { requestLength });
    return mostSeconds(asked({}, { requestLength, estimate: { ...call.prepared.estimate, promptTokens } }));
  };
  expect(of(0, 250_000)).toBe(1060);
  expect(of(1000, 0)).toBe(480 + 60);
  expect(of(0, 0)).toBe(60);
});

test('a ranking is a unit for its query and one for each hundred documents, long ones counted as several', () => {
  const of = (documents: number, requestLength: number) =>
    mostUnits(asked({ documents: Array.from({ length: documents }, () => 'x') }, { requestLength }));
  expect(of(0, 0)).toBe(1);
  expect(of(100, 0)).toBe(2);
  expect(of(101, 0)).toBe(3);
  expect(of(0, 125_000)).toBe(11);
});

test('no realtime response is longer than any model can say, whatever its limit', () => {
  expect(sessionBounds(100, 10_000_000, 0).output).toBe(144_244);
});
