// What upstreams say of their limits, by vendor, and what no header or body may do: throw, take long, or pause for ever.
import { describe, expect, test } from 'bun:test';
import { randomSource } from '#tests/support/sequence.ts';
import { amountIn, secondsIn } from './amounts.ts';
import { readLeft } from './rate-headers.ts';
import { refusedLimit, waitForReset, waitInDetails, waitInHeaders, waitInWords } from './refused-limit.ts';

const NOW = Date.UTC(2026, 10, 19, 14, 0, 0);
const reader = (headers: Record<string, string>) => (name: string) => headers[name];
const refused = (status: number, error: Record<string, unknown>, model = 'gpt-4o', retryAfterSeconds = 0) =>
  refusedLimit({ status, error, model, retryAfterSeconds });

describe('amounts and times', () => {
  test.each([
    ['6m0s', 360],
    ['17ms', 0.017],
    ['1h2m3.5s', 3723.5],
    ['2m59.56s', 179.56],
    ['55', 55],
    ['0.35', 0.35],
    ['0s', 0],
    ['3d', 86_400],
    [new Date(NOW + 30_000).toISOString(), 30],
    ['Thu, 19 Nov 2026 14:00:40 GMT', 40],
    [String(NOW / 1000 + 20), 20],
    [String(NOW + 20_000), 20],
    // In the past, or further than a day.
    ['2020-01-01T00:00:00Z', 0],
    [String(NOW / 1000 - 20), 0],
    ['9999-01-01T00:00:00Z', 86_400],
    ['99999999', 86_400],
  ])('the time %s', (text, seconds) => {
    expect(secondsIn(text, NOW)).toBeCloseTo(seconds, 6);
  });

  test.each([
    '',
    ' ',
    '-1',
    '-5s',
    'NaN',
    'Infinity',
    '1e9',
    '0x10',
    'soon',
    '1s1',
    's',
    '2026-99-99T00:00:00Z',
    '1'.repeat(5000),
  ])('what is no time: %s', (text) => {
    const seconds = secondsIn(text, NOW);
    expect(seconds === undefined || seconds === 0).toBe(true);
  });

  test.each(['-1', 'NaN', '', 'Infinity', '1e5', '9'.repeat(16), '12 tokens', '0x1'])(
    'what is no amount: %s',
    (text) => {
      expect(amountIn(text)).toBeUndefined();
    },
  );

  test('an amount may have a fraction', () => {
    expect([amountIn('0'), amountIn('149984.0')]).toEqual([0, 149_984]);
  });
});

describe('what is left', () => {
  test('OpenAI: requests and tokens, and a project’s tokens where fewer are left', () => {
    const headers = {
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
      'x-ratelimit-reset-requests': '6ms',
      'x-ratelimit-limit-tokens': '200000',
      'x-ratelimit-remaining-tokens': '190000',
      'x-ratelimit-reset-tokens': '3s',
      'openai-organization': 'org-one',
    };
    expect(readLeft(reader(headers), NOW)).toEqual({
      requests: { limit: 10_000, left: 9999, resetSeconds: 0.006 },
      tokens: { limit: 200_000, left: 190_000, resetSeconds: 3 },
      organization: 'org-one',
    });
    const ofProject = {
      ...headers,
      'x-ratelimit-limit-project-tokens': '1000',
      'x-ratelimit-remaining-project-tokens': '10',
      'x-ratelimit-reset-project-tokens': '1m0s',
    };
    expect(readLeft(reader(ofProject), NOW)?.tokens).toEqual({ limit: 1000, left: 10, resetSeconds: 60 });
  });

  test('Anthropic: the limit that ends first, until a moment', () => {
    const reset = new Date(NOW + 12_000).toISOString();
    const limit = (kind: string, all: number, left: number) => ({
      [`anthropic-ratelimit-${kind}-limit`]: String(all),
      [`anthropic-ratelimit-${kind}-remaining`]: String(left),
      [`anthropic-ratelimit-${kind}-reset`]: reset,
    });
    const headers = {
      ...limit('requests', 50, 49),
      ...limit('tokens', 100_000, 90_000),
      ...limit('input-tokens', 80_000, 79_000),
      ...limit('output-tokens', 20_000, 0),
      'anthropic-organization-id': 'abc',
    };
    expect(readLeft(reader(headers), NOW)).toEqual({
      requests: { limit: 50, left: 49, resetSeconds: 12 },
      tokens: { limit: 20_000, left: 0, resetSeconds: 12 },
      organization: 'abc',
    });
  });

  test('Azure: what is left without limit or time is known for a minute; -1 says nothing', () => {
    const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-remaining-tokens': '-1' };
    expect(readLeft(reader(headers), NOW)).toEqual({
      requests: { limit: 0, left: 0, resetSeconds: 60 },
      tokens: undefined,
      organization: '',
    });
    const unknown = { 'x-ratelimit-remaining-requests': '-1', 'x-ratelimit-remaining-tokens': '-1' };
    expect(readLeft(reader(unknown), NOW)).toBeUndefined();
  });

  test('a limit of 0 is none', () => {
    const headers = { 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-requests': '0' };
    expect(readLeft(reader(headers), NOW)).toBeUndefined();
  });

  test('an answer without limits costs four lookups', () => {
    let lookups = 0;
    const left = readLeft(() => void (lookups += 1), NOW);
    expect([left, lookups]).toEqual([undefined, 4]);
  });
});

describe('what was refused', () => {
  const reached = 'Rate limit reached for gpt-4o in';
  test.each([
    [
      'OpenAI, tokens of the organization',
      refused(429, {
        message: `${reached} organization org-1 on tokens per min (TPM): Limit 30000, Used 29500, Requested 1000. Please try again in 1s.`,
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
      { scope: 'model', cause: 'tokens', isShared: true, retryAfterSeconds: 0 },
    ],
    [
      'OpenAI, requests of a project',
      refused(429, {
        message: `${reached} project proj_1 organization org-1 on requests per day (RPD): Limit 200, Used 200`,
        type: 'requests',
      }),
      { scope: 'model', cause: 'requests', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'Anthropic, tokens of a workspace',
      refused(429, {
        message:
          'This request would exceed the limit of 30,000 input tokens per minute that your organization set for its workspace',
        type: 'rate_limit_error',
      }),
      { scope: 'model', cause: 'tokens', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'OpenAI, one request that is larger than the limit',
      refused(429, {
        message:
          'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 30601.',
        type: 'tokens',
      }),
      { scope: 'request', cause: 'tokens', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'OpenAI, an empty account',
      refused(429, { message: 'You exceeded your current quota', type: 'insufficient_quota' }),
      { scope: 'key', cause: 'quota', isShared: false, retryAfterSeconds: 60 },
    ],
    [
      'Anthropic, tokens of the organization for a model',
      refused(429, {
        type: 'rate_limit_error',
        message:
          'This request would exceed your organization’s rate limit of 30,000 input tokens per minute (org: 1, model: claude-opus-4-6).',
      }),
      { scope: 'model', cause: 'tokens', isShared: true, retryAfterSeconds: 0 },
    ],
    [
      'Anthropic, requests',
      refused(429, {
        type: 'rate_limit_error',
        message:
          'This request would exceed the rate limit for your organization (1) of 50 requests per minute.',
      }),
      { scope: 'model', cause: 'requests', isShared: true, retryAfterSeconds: 0 },
    ],
    [
      'Anthropic, overloaded',
      refused(529, { type: 'overloaded_error', message: 'Overloaded' }),
      { scope: 'model', cause: 'overload', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'Anthropic, a subscription',
      refused(429, {
        type: 'rate_limit_error',
        message: 'This request would exceed your account’s rate limit.',
      }),
      { scope: 'key', cause: 'limit', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'Azure, a deployment',
      refused(
        429,
        {
          code: '429',
          message:
            'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 23 seconds.',
        },
        'my-deployment',
        23,
      ),
      { scope: 'model', cause: 'tokens', isShared: false, retryAfterSeconds: 23 },
    ],
    [
      'Azure, one request that is larger than the limit',
      refused(429, {
        message:
          'have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 86400 seconds.',
      }),
      { scope: 'request', cause: 'tokens', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'DeepSeek, no balance',
      refused(402, { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' }),
      { scope: 'key', cause: 'quota', isShared: false, retryAfterSeconds: 60 },
    ],
    [
      'OpenRouter, less credit than the call may cost',
      refused(402, {
        message: 'This request requires more credits, or fewer max_tokens. You requested up to 65536.',
      }),
      { scope: 'request', cause: 'quota', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'an upstream of no known words',
      refused(429, { message: 'Slow down' }),
      { scope: 'model', cause: 'limit', isShared: false, retryAfterSeconds: 0 },
    ],
    [
      'an upstream that names the key',
      refused(429, { message: '当前密钥请求过于频繁' }),
      { scope: 'key', cause: 'limit', isShared: false, retryAfterSeconds: 0 },
    ],
  ] as const)('%s', (_title, found, expected) => {
    expect(found).toEqual(expected);
  });

  const quota = (quotaId: string, quotaDimensions: object = {}) => ({
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId, quotaDimensions }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' },
    ],
  });

  test('Gemini names the quota: of a model, of the project, of a day', () => {
    const ofModel = quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier');
    expect(refused(429, ofModel, 'gemini-2.5-pro', 34)).toMatchObject({
      scope: 'model',
      cause: 'requests',
      retryAfterSeconds: 34,
    });
    const byDimension = quota('GenerateContentInputTokensPerMinute', { model: 'gemini-2.5-pro' });
    expect(refused(429, byDimension)).toMatchObject({ scope: 'model', cause: 'tokens' });
    expect(refused(429, quota('GenerateRequestsPerMinutePerProject'))).toMatchObject({ scope: 'key' });
    const daily = quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier');
    expect(refused(429, daily, 'gemini-2.5-pro', 34)).toMatchObject({
      scope: 'model',
      retryAfterSeconds: 86_400,
    });
    expect(waitInDetails(ofModel)).toBe('34s');
  });

  test('Gemini: a quota of the project beside one of a model is everything of the key', () => {
    const both = {
      details: [
        { violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }] },
        { violations: [{ quotaId: 'GenerateRequestsPerMinutePerProject' }] },
      ],
    };
    expect(refused(429, both)).toMatchObject({ scope: 'key', cause: 'requests' });
    expect(refused(429, { details: both.details.toReversed() })).toMatchObject({ scope: 'key' });
  });

  test('what is no limit', () => {
    for (const status of [200, 400, 401, 403, 404, 500, 502])
      expect(refused(status, { message: 'no' })).toBeUndefined();
  });
});

describe('the time to wait', () => {
  test.each([
    ['Please try again in 1.2s. Visit …', 1.2],
    ['Please try again in 120ms.', 0.12],
    ['Please try again in 7m12s. Visit', 432],
    ['Please try again in 1h2m3.5s.', 3723.5],
    ['Please retry after 23 seconds. Please go', 23],
    ['Please retry in 34.2s.', 34.2],
    ['try again in 5 minutes', 300],
  ])('in words: %s', (message, seconds) => {
    expect(secondsIn(waitInWords(message), NOW)).toBeCloseTo(seconds, 6);
  });

  test('no time is read from other words', () => {
    for (const message of ['', 'try again later', 'try again in a while', 'retry after', 'in 5s'])
      expect(waitInWords(message)).toBeUndefined();
  });

  test('milliseconds are more exact than seconds, and of two different times the longer one holds', () => {
    const wait = (headers: Record<string, string>) => waitInHeaders(reader(headers), NOW);
    expect(wait({ 'retry-after-ms': '350', 'retry-after': '1' })).toBeCloseTo(0.35, 9);
    expect(wait({ 'retry-after-ms': '350', 'retry-after': '40' })).toBe(40);
    expect(wait({ 'retry-after-ms': 'x', 'retry-after': '4' })).toBe(4);
    expect(wait({ 'retry-after-ms': '350' })).toBeCloseTo(0.35, 9);
    expect(wait({ 'retry-after': 'Thu, 19 Nov 2026 14:00:10 GMT' })).toBe(10);
    expect(wait({})).toBe(0);
  });

  test('else until the reset of what is used up, also behind OpenRouter', () => {
    const usedUp = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '7s' };
    expect(waitForReset(reader(usedUp), {}, NOW)).toBe(7);
    const others = { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '7s' };
    expect(waitForReset(reader(others), {}, NOW)).toBe(0);
    expect(waitForReset(reader({ 'x-rate-limit-reset-tokens': '55' }), {}, NOW)).toBe(55);
    const error = {
      metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW + 9000) } },
    };
    expect(waitForReset(reader({}), error, NOW)).toBe(9);
  });
});

test('hostile headers and bodies: every figure is finite, not negative and bounded', () => {
  const below = randomSource(34);
  const words = [
    '',
    '0',
    '-1',
    'NaN',
    '1e308',
    '9'.repeat(400),
    '99999999999999999999',
    '-5s',
    '1h1h',
    'Infinity',
    '0x7fffffff',
    '1970-01-01T00:00:00Z',
    '275760-09-13T00:00:00.001Z',
    '\u0000',
    '١٢',
    '5 ',
    '1m'.repeat(3000),
    'null',
    '6ms',
    '10',
  ];
  const any = (): string => words[below(words.length)] ?? '';
  const kinds = ['requests', 'tokens', 'project-tokens', 'input-tokens', 'output-tokens'];
  for (let round = 0; round < 5000; round += 1) {
    const headers: Record<string, string> = {
      'retry-after': any(),
      'retry-after-ms': any(),
      'x-ratelimit-reset': any(),
    };
    for (const kind of kinds)
      for (const part of ['remaining', 'limit', 'reset']) {
        headers[`x-ratelimit-${part}-${kind}`] = any();
        headers[`anthropic-ratelimit-${kind}-${part}`] = any();
      }
    const left = readLeft(reader(headers), NOW);
    const figures = [left?.requests, left?.tokens].flatMap((each) =>
      each === undefined ? [] : Object.values(each),
    );
    const error = {
      message: any(),
      type: any(),
      code: any(),
      details: [{ violations: [{ quotaId: any() }], retryDelay: any() }],
    };
    const limit = refused(429, below(2) === 0 ? error : { ...error, details: any() });
    figures.push(
      waitInHeaders(reader(headers), NOW),
      waitForReset(reader(headers), error, NOW),
      limit?.retryAfterSeconds ?? 0,
    );
    for (const figure of figures) {
      expect(Number.isFinite(figure)).toBe(true);
      expect(figure).toBeGreaterThanOrEqual(0);
      expect(figure).toBeLessThanOrEqual(1e15);
    }
    for (const each of [left?.requests, left?.tokens])
      expect(each?.resetSeconds ?? 0).toBeLessThanOrEqual(86_400);
  }
});

test('a message of ten megabytes is read as far as its first two thousand characters', () => {
  const message = `${'try again in '.repeat(800_000)}5s`;
  expect(waitInWords(message)).toBeUndefined();
  expect(refused(429, { message })).toMatchObject({ scope: 'model' });
  expect(
    refused(429, { details: Array.from({ length: 100_000 }, () => ({ violations: [{}] })) }),
  ).toMatchObject({ scope: 'key' });
});
