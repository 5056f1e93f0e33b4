// What is known of limits: for how long, how much of it is kept, and what it decides about the choice of a channel.
import { describe, expect, test } from 'bun:test';
import { openai } from '#server/models/providers/openai-compatible/openai.ts';
import type { Left } from '#server/models/limits/rate-headers.ts';
import { createBreaker } from './breaker.ts';
import type { Candidate, Channel, Tiers } from './catalog.ts';
import { createHeadroom } from './headroom.ts';
import { selectChannel } from './select.ts';

const MODEL = 'gpt-4o';
const owner = (id: number, baseUrl = '') => ({ id, baseUrl });
const left = (requests: number, limit = 100, resetSeconds = 60, organization = ''): Left => ({
  requests: { limit, left: requests, resetSeconds },
  tokens: undefined,
  organization,
});
const tokensLeft = (tokens: number, limit: number): Left => ({
  requests: undefined,
  tokens: { limit, left: tokens, resetSeconds: 60 },
  organization: '',
});

function fresh() {
  const clock = { now: 0 };
  const headroom = createHeadroom(
    () => clock.now,
    (_id, model) => model,
  );
  return { clock, headroom };
}

describe('what is known', () => {
  test('holds until the reset, at most an hour', () => {
    const { clock, headroom } = fresh();
    headroom.note(owner(1), MODEL, left(0));
    headroom.note(owner(2), MODEL, left(0, 100, 86_400));
    expect([headroom.isEmpty(1, MODEL), headroom.isEmpty(1, 'other'), headroom.isEmpty(3, MODEL)]).toEqual([
      true,
      false,
      false,
    ]);
    clock.now = 59_999;
    expect(headroom.isEmpty(1, MODEL)).toBe(true);
    clock.now = 60_000;
    expect([headroom.isEmpty(1, MODEL), headroom.share(1, MODEL), headroom.of(1)]).toEqual([false, 1, []]);
    clock.now = 3_599_999;
    expect(headroom.isEmpty(2, MODEL)).toBe(true);
    clock.now = 3_600_000;
    expect(headroom.isEmpty(2, MODEL)).toBe(false);
  });

  test('an answer replaces what was known, and calls that begin are counted until then', () => {
    const { headroom } = fresh();
    headroom.note(owner(1), MODEL, left(2));
    headroom.spend(1, MODEL);
    expect(headroom.isEmpty(1, MODEL)).toBe(false);
    headroom.spend(1, MODEL);
    expect(headroom.isEmpty(1, MODEL)).toBe(true);
    headroom.note(owner(1), MODEL, left(50));
    expect(headroom.isEmpty(1, MODEL)).toBe(false);
    expect(headroom.of(1)).toEqual([
      { model: MODEL, requests: { limit: 100, left: 50, resetSeconds: 60 }, tokens: undefined },
    ]);
  });

  test('less than a hundredth of the tokens is nothing', () => {
    const { headroom } = fresh();
    headroom.note(owner(1), MODEL, tokensLeft(299, 30_000));
    headroom.note(owner(2), MODEL, tokensLeft(300, 30_000));
    expect([headroom.isEmpty(1, MODEL), headroom.isEmpty(2, MODEL)]).toEqual([true, false]);
  });

  test('below half of a limit the share falls in proportion, and never to nothing', () => {
    const { headroom } = fresh();
    const shareAt = (requests: number) => {
      headroom.note(owner(1), MODEL, left(requests));
      return headroom.share(1, MODEL);
    };
    expect([100, 50, 25, 10, 1, 0].map(shareAt)).toEqual([1, 1, 0.5, 0.2, 0.02, 0.02]);
  });

  test('countless models of a channel keep a bounded number', () => {
    const { headroom } = fresh();
    for (let index = 0; index < 5000; index += 1) headroom.note(owner(1), `m${index}`, left(0));
    expect(headroom.of(1)).toHaveLength(200);
    expect([headroom.isEmpty(1, 'm0'), headroom.isEmpty(1, 'm4999')]).toEqual([false, true]);
  });
});

describe('an organization', () => {
  const known = (ids: [number, string, string][]) => {
    const { headroom } = fresh();
    for (const [id, address, organization] of ids)
      headroom.note(owner(id, address), MODEL, left(90, 100, 60, organization));
    headroom.refused(1, MODEL, 30);
    return (id: number, model = MODEL) => headroom.isEmpty(id, model);
  };

  test('at its limit limits its other keys for that model, and no other organization or address', () => {
    const isEmpty = known([
      [1, 'a', 'org-1'],
      [2, 'a', 'org-1'],
      [3, 'a', 'org-2'],
      [4, 'b', 'org-1'],
    ]);
    expect([2, 3, 4].map((id) => isEmpty(id))).toEqual([true, false, false]);
    expect(isEmpty(2, 'other')).toBe(false);
  });

  test('a channel whose answers name several organizations shares no limit', () => {
    expect(
      known([
        [1, 'a', 'org-1'],
        [2, 'a', 'org-1'],
        [2, 'a', 'org-2'],
      ])(2),
    ).toBe(false);
    expect(
      known([
        [1, 'a', 'org-1'],
        [1, 'a', 'org-2'],
        [2, 'a', 'org-1'],
      ])(2),
    ).toBe(false);
    expect(
      known([
        [1, 'a', ''],
        [2, 'a', ''],
      ])(2),
    ).toBe(false);
  });
});

describe('the choice', () => {
  const candidate = (id: number, weight = 1): Candidate => ({
    channel: {
      id,
      maxConcurrency: 0,
      provider: openai,
      modelMapping: new Map(),
      refusedFormats: new Set(),
    } as unknown as Channel,
    weight,
  });
  const wanted = { endpoint: { format: 'openai-chat' }, model: MODEL } as const;
  const chosen = (tiers: Tiers, breaker: ReturnType<typeof createBreaker>, tried: number[] = []) => {
    const selection = selectChannel(tiers, tried, breaker, wanted);
    return 'channel' in selection ? selection.channel.id : selection.none;
  };

  test('a channel at its limit comes after every other, also after those of lower priority', () => {
    const breaker = createBreaker(() => 0);
    const tiers = [[candidate(1)], [candidate(2), candidate(3)], [candidate(4)]];
    breaker.headroom.note(owner(1), MODEL, left(0));
    breaker.headroom.note(owner(2), MODEL, left(0));
    expect(chosen(tiers, breaker)).toBe(3);
    expect(chosen(tiers, breaker, [3])).toBe(4);
    // No other is left: the one of the highest priority is tried.
    expect(chosen(tiers, breaker, [3, 4])).toBe(1);
    expect(chosen(tiers, breaker, [1, 3, 4])).toBe(2);
    expect(chosen(tiers, breaker, [1, 2, 3, 4])).toBe('no_channel');
    breaker.failed(1, { retryAfterSeconds: 9, model: MODEL, isLimit: true });
    breaker.failed(2, { retryAfterSeconds: 9, model: MODEL, isLimit: true });
    expect(chosen(tiers, breaker, [3, 4])).toBe('busy');
  });

  test('the shares of a tier follow what is left', () => {
    const breaker = createBreaker(() => 0);
    breaker.headroom.note(owner(1), MODEL, left(5));
    const counts = [0, 0, 0];
    for (let round = 0; round < 1000; round += 1) {
      const selection = selectChannel(
        [[candidate(1), candidate(2)]],
        [],
        breaker,
        wanted,
        () => (round + 0.5) / 1000,
      );
      if ('channel' in selection) counts[selection.channel.id] = (counts[selection.channel.id] ?? 0) + 1;
    }
    // A tenth of its weight beside the whole weight of the other.
    expect(counts).toEqual([0, 91, 909]);
  });

  test('a begun call counts against the limit', () => {
    const breaker = createBreaker(() => 0);
    breaker.headroom.note(owner(1), MODEL, left(1));
    breaker.begin(1, MODEL);
    expect(chosen([[candidate(1)], [candidate(2)]], breaker)).toBe(2);
  });
});

describe('pauses', () => {
  test('a limit is kept until its time, at most five minutes; other failures two', () => {
    const clock = { now: 0 };
    const breaker = createBreaker(() => clock.now);
    breaker.failed(1, { retryAfterSeconds: 3600, model: MODEL, isLimit: true, cause: 'tokens' });
    breaker.failed(2, { retryAfterSeconds: 3600 });
    expect(breaker.pauses(1)).toEqual([{ model: MODEL, cause: 'tokens', seconds: 300 }]);
    expect(breaker.pauses(2)).toEqual([{ model: '', cause: 'failures', seconds: 120 }]);
    clock.now = 300_000;
    expect(breaker.pauses(1)).toEqual([]);
    expect(breaker.pauses(9)).toEqual([]);
  });

  test('a success during the pause belongs to an earlier call; after it, it ends the pause', () => {
    const clock = { now: 0 };
    const breaker = createBreaker(() => clock.now);
    breaker.failed(1, { retryAfterSeconds: 30, isLimit: true });
    breaker.failed(1, { retryAfterSeconds: 30, model: MODEL, isLimit: true });
    breaker.succeeded(1, MODEL);
    expect(breaker.pauses(1)).toHaveLength(2);
    clock.now = 30_000;
    breaker.begin(1, MODEL);
    breaker.succeeded(1, MODEL);
    breaker.end(1);
    breaker.begin(1, MODEL);
    expect(breaker.admits(1, 0, MODEL)).toBe(true);
    breaker.failed(1, { retryAfterSeconds: 30, isLimit: true });
    breaker.succeeded(1);
    expect(breaker.pauses(1)).toEqual([]);
  });

  test('the names of callers are those of the upstream', () => {
    const breaker = createBreaker(
      () => 0,
      (_id, model) => (model === 'fast' ? MODEL : model),
    );
    breaker.failed(1, { retryAfterSeconds: 30, model: 'fast', isLimit: true });
    expect([MODEL, 'fast', 'other'].map((model) => breaker.admits(1, 0, model))).toEqual([
      false,
      false,
      true,
    ]);
    expect([breaker.limitedSeconds(1, MODEL), breaker.coolingSeconds(1, 'fast')]).toEqual([30, 30]);
    breaker.headroom.note(owner(2), 'fast', left(0));
    expect(breaker.headroom.isEmpty(2, MODEL)).toBe(true);
    expect(breaker.pauses(1)).toMatchObject([{ model: MODEL }]);
  });
});
