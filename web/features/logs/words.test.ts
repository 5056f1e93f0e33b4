import { describe, expect, test } from 'bun:test';
import { callSeconds, hasSucceeded, retriesOf, secondsText, waterfallOf } from './attempts.ts';
import { causeOf } from './cause.ts';
import { curlOf } from './curl.ts';
import { defaultRange, quickRange, rangeOf } from './range.ts';
import { durationTone, firstTokenTone } from './tones.ts';
import { readView, viewOf } from './views.tsx';

describe('colours', () => {
  test('REL-9.10 REL-9.11 REL-9.12 a duration under 101 is green, under 300 orange, else red', () => {
    expect([0, 100, 101, 299, 300, 5000].map(durationTone)).toEqual([
      'green',
      'green',
      'orange',
      'orange',
      'red',
      'red',
    ]);
  });

  test('REL-9.13 REL-9.14 REL-9.15 a first token under 3 s is green, under 10 s orange, else red', () => {
    expect([0, 2.99, 3, 9.99, 10].map(firstTokenTone)).toEqual(['green', 'green', 'orange', 'orange', 'red']);
  });
});

describe('ranges', () => {
  const now = Math.floor(new Date(2026, 10, 13, 17, 42, 5).getTime() / 1000);

  test('REL-2.106 REL-2.107 REL-9.19 the default starts three days ago at midnight and runs an hour ahead', () => {
    const { from, to } = defaultRange(now);
    expect(new Date(from * 1000)).toEqual(new Date(2026, 10, 10, 0, 0, 0));
    expect(to).toBe(now + 3600);
  });

  test('the URL takes precedence over the default', () => {
    expect(rangeOf({ from: 5, to: 9 }, now)).toEqual({ from: 5, to: 9 });
    expect(rangeOf({ range: 'hour' }, now)).toEqual(quickRange('hour', now));
    expect(rangeOf({ range: 'nonsense' }, now)).toEqual(defaultRange(now));
    expect(quickRange('hour', now).from).toBe(now - 3600);
    expect(new Date(quickRange('today', now).from * 1000)).toEqual(new Date(2026, 10, 13));
  });
});

describe('attempts', () => {
  test('follow each other, and the last one waits until its first token', () => {
    const { bars, total } = waterfallOf(
      [
        { channel: 12, status: 429, milliseconds: 420, error: 'status 429' },
        { channel: 7, status: 0, milliseconds: 4300, error: 'timeout' },
        { channel: 31, status: 200, milliseconds: 1400, error: '' },
      ],
      12,
      6210,
    );
    expect(bars.map(({ kind, start, answered, end }) => [kind, start, answered, end])).toEqual([
      ['refused', 0, 420, 420],
      ['silent', 420, 4720, 4720],
      ['answered', 4720, 6210, 12_000],
    ]);
    expect(total).toBe(12_000);
    expect(retriesOf(undefined)).toBe(0);
  });

  test('last as long as the row says, to the millisecond where it is known', () => {
    const one = [{ channel: 1, status: 200, milliseconds: 240, error: '' }];
    expect(waterfallOf(one, callSeconds(1, 800), 240).total).toBe(800);
    expect(waterfallOf(one, callSeconds(1, undefined), 240).total).toBe(1000);
  });

  test('O3 an attempt that failed is no success, whatever its status', () => {
    const alone = waterfallOf(
      [{ channel: 1, status: 500, milliseconds: 100, error: 'status 500' }],
      0,
      undefined,
    );
    expect(hasSucceeded(alone)).toBe(false);
    const cut = waterfallOf(
      [
        { channel: 1, status: 200, milliseconds: 100, error: 'network' },
        { channel: 2, status: 101, milliseconds: 100, error: '' },
      ],
      0,
      undefined,
    );
    expect(cut.bars.map(({ kind }) => kind)).toEqual(['cut', 'answered']);
    expect(hasSucceeded(cut)).toBe(true);
    // A stream that broke off received until then, but did not succeed.
    const broken = waterfallOf(
      [{ channel: 1, status: 200, milliseconds: 100, error: 'stream broken' }],
      3,
      400,
    );
    expect(broken.bars[0]).toMatchObject({ kind: 'cut', answered: 400, end: 3000 });
    expect(hasSucceeded(broken)).toBe(false);
  });

  test('seconds keep three digits', () => {
    expect([410, 6210, 11_800, 150_400].map(secondsText)).toEqual(['0.41', '6.21', '11.8', '150']);
  });
});

test.each([
  ['status 429 rate_limit_exceeded', 'saturated'],
  ['status 401', 'credentials'],
  ['status 402', 'balance'],
  ['status 429 insufficient_quota', 'balance'],
  ['status 404', 'notFound'],
  ['status 413', 'tooLarge'],
  ['status 400 invalid', 'badRequest'],
  ['status 503', 'upstream'],
  ['timeout', 'timeout'],
  ['network', 'silent'],
  ['stream broken', 'broken'],
  ['refused no_channel', 'refused'],
  ['upstream_failed', 'upstream'],
  ['', 'other'],
] as const)('%p is explained as %p', (content, cause) => {
  expect(causeOf({ code: content, content: '' }, { attempts: undefined })).toBe(cause);
});

test('a command has the same endpoint and model, and no key', () => {
  const text = curlOf(
    'https://relay.example',
    { model_name: "it's", is_stream: true },
    { path: '/v1/chat/completions', reasoningEffort: 'low' },
  );
  expect(text).toContain('curl https://relay.example/v1/chat/completions');
  expect(text).toContain('$TOLLGATE_KEY');
  expect(text).toContain(String.raw`"model":"it'\''s"`);
  expect(text).toContain('"stream":true');
});

test('a view keeps the filter, not the page and not the open row', () => {
  expect(viewOf({ type: 5, model: 'gpt-4o', page: 3, open: 9, live: true })).toEqual({
    type: 5,
    model: 'gpt-4o',
  });
  expect(readView({ type: 99, user: 'ana', open: 4 })).toEqual({ user: 'ana' });
  expect(readView('nonsense')).toBeUndefined();
});
