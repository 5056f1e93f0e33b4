import { describe, expect, test } from 'bun:test';
import { createBreaker } from './breaker.ts';
import { openai } from '#server/models/providers/openai-compatible/openai.ts';
import type { Candidate, Channel, Tiers } from './catalog.ts';
import { mapModel, mapStatus, parseStringMap } from './mapping.ts';
import { selectChannel } from './select.ts';

const candidate = (id: number, weight = 0, maxConcurrency = 0): Candidate => ({
  channel: {
    id,
    maxConcurrency,
    provider: openai,
    modelMapping: new Map(),
    refusedFormats: new Set(),
  } as unknown as Channel,
  weight,
});

const wanted = { endpoint: { format: 'openai-chat' }, model: 'gpt-4o' } as const;

function share(tiers: Tiers, tried: number[] = [], rounds = 4000): Record<number, number> {
  const counts: Record<number, number> = {};
  const breaker = createBreaker();
  for (let round = 0; round < rounds; round += 1) {
    const selection = selectChannel(tiers, tried, breaker, wanted);
    const id = 'channel' in selection ? selection.channel.id : 0;
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

describe('choice of a channel', () => {
  test('by weight inside the first tier', () => {
    const counts = share([[candidate(1, 30), candidate(2, 10)], [candidate(3, 100)]]);
    expect(counts[1]).toBeGreaterThan(2800);
    expect(counts[1]).toBeLessThan(3200);
    expect(counts[3]).toBeUndefined();
  });

  test('evenly when no weight is set', () => {
    const counts = share([[candidate(1), candidate(2)]]);
    expect(Math.abs((counts[1] ?? 0) - 2000)).toBeLessThan(250);
  });

  test('the warm channel of a conversation comes before the others of its tier, while it can be used', () => {
    const breaker = createBreaker();
    const chosen = (tiers: Tiers, warmId: number, tried: number[] = []) => {
      const ids = Array.from({ length: 60 }, () => {
        const selection = selectChannel(tiers, tried, breaker, { ...wanted, warmId });
        return 'channel' in selection ? selection.channel.id : 0;
      });
      return [...new Set(ids)].toSorted();
    };
    const tiers = [[candidate(1, 99), candidate(2, 1), candidate(3, 0)], [candidate(4)]];
    expect(chosen(tiers, 2)).toEqual([2]);
    expect(chosen([[candidate(1), candidate(2)]], 2)).toEqual([2]);
    // A reserve, one of a lower priority, one that is gone, one that has been tried.
    for (const [warmId, tried] of [[3], [4], [9], [2, [2]]] as const)
      expect(chosen([[candidate(1, 5), candidate(3)], [candidate(4)]], warmId, [...(tried ?? [])])).toEqual([
        1,
      ]);
    breaker.begin(2, 'gpt-4o');
    expect(chosen([[candidate(1, 1), candidate(2, 1, 1)]], 2)).toEqual([1]);
  });

  test('tried channels are passed over, then the next tier serves, then nobody', () => {
    const tiers = [[candidate(1, 1), candidate(2, 1)], [candidate(3)]];
    expect(share(tiers, [1])).toEqual({ 2: 4000 });
    expect(share(tiers, [1, 2])).toEqual({ 3: 4000 });
    expect(selectChannel(tiers, [1, 2, 3], createBreaker(), wanted)).toEqual({
      none: 'no_channel',
    });
  });

  test('a channel that does not speak the format is as good as absent', () => {
    const mute = { ...openai, speaks: [], speaksFor: undefined };
    const tiers: Tiers = [[{ channel: { ...candidate(1).channel, provider: mute }, weight: 0 }]];
    expect(selectChannel(tiers, [], createBreaker(), wanted)).toEqual({ none: 'no_channel' });
  });

  test('a channel at its limit is busy, not absent', () => {
    const breaker = createBreaker();
    breaker.begin(1);
    expect(selectChannel([[candidate(1, 0, 1)]], [], breaker, wanted)).toEqual({
      none: 'busy',
    });
    breaker.end(1);
    expect(selectChannel([[candidate(1, 0, 1)]], [], breaker, wanted)).toHaveProperty('channel');
  });
});

describe('circuit breaker', () => {
  test('cools after five failures in a row, lets one call try, and doubles the wait when that fails', () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    for (let index = 0; index < 4; index += 1) breaker.failed(1);
    expect(breaker.admits(1, 0)).toBe(true);
    breaker.failed(1);
    expect(breaker.admits(1, 0)).toBe(false);
    now = 5001;
    expect(breaker.admits(1, 0)).toBe(true);
    breaker.begin(1);
    expect(breaker.admits(1, 0)).toBe(false);
    breaker.failed(1);
    breaker.end(1);
    now = 5001 + 9000;
    expect(breaker.admits(1, 0)).toBe(false);
    now = 5001 + 10_001;
    breaker.begin(1);
    breaker.succeeded(1);
    breaker.end(1);
    expect(breaker.admits(1, 0)).toBe(true);
    for (let index = 0; index < 4; index += 1) breaker.failed(1);
    expect(breaker.admits(1, 0)).toBe(true);
  });

  test('a success in between starts the count anew', () => {
    const breaker = createBreaker();
    for (let index = 0; index < 20; index += 1) {
      breaker.failed(1);
      if (index % 4 === 3) breaker.succeeded(1);
    }
    expect(breaker.coolingSeconds(1)).toBe(0);
  });

  test('the upstream’s own wish to be left alone is honoured, within bounds', () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    for (let index = 0; index < 5; index += 1) breaker.failed(1, { retryAfterSeconds: 30 });
    now = 29_000;
    expect(breaker.admits(1, 0)).toBe(false);
    now = 30_001;
    expect(breaker.admits(1, 0)).toBe(true);
  });

  test('O33: one answer with a Retry-After is enough; a later success ends the wait', () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    breaker.failed(1, { retryAfterSeconds: 2 });
    expect([breaker.admits(1, 0), breaker.coolingSeconds(1)]).toEqual([false, 2]);
    now = 2001;
    expect(breaker.admits(1, 0)).toBe(true);
    breaker.begin(1);
    expect(breaker.admits(1, 0)).toBe(false);
    breaker.succeeded(1);
    breaker.end(1);
    expect([breaker.admits(1, 0), breaker.coolingSeconds(1)]).toEqual([true, 0]);
    // A time that no operator would wait for is cut.
    breaker.failed(2, { retryAfterSeconds: 3600 });
    expect(breaker.coolingSeconds(2)).toBe(120);
  });

  test('a trial that ends without a verdict does not block the next', () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    for (let index = 0; index < 5; index += 1) breaker.failed(1);
    now = 6000;
    breaker.begin(1);
    breaker.end(1);
    expect(breaker.admits(1, 0)).toBe(true);
  });
});

describe('mappings', () => {
  test('chains are followed, circles stop before they close', () => {
    const map = parseStringMap('{"a":"b","b":"c","x":"y","y":"x","self":"self","blank":""}');
    expect(mapModel(map, 'a')).toBe('c');
    expect(mapModel(map, 'x')).toBe('y');
    expect(mapModel(map, 'self')).toBe('self');
    expect(mapModel(map, 'blank')).toBe('blank');
    expect(mapModel(map, 'other')).toBe('other');
  });

  test('what is not a flat object maps nothing', () => {
    for (const text of ['', ' ', 'x', '[]', 'null', '{"a":{}}']) expect(parseStringMap(text).size).toBe(0);
  });

  test('status codes map to status codes only', () => {
    const map = parseStringMap('{"400":"500","429":503,"500":"x","502":"99"}');
    expect([600, 999].map((status) => mapStatus(map, status))).toEqual([502, 502]);
    expect([400, 429, 500, 502, 404].map((status) => mapStatus(map, status))).toEqual([
      500, 503, 500, 502, 404,
    ]);
  });

  test('the limit of one model pauses that model, the limit of the account all of them (W23)', () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    breaker.failed(1, { retryAfterSeconds: 30, model: 'a', isLimit: true });
    expect([breaker.admits(1, 0, 'a'), breaker.admits(1, 0, 'b')]).toEqual([false, true]);
    expect([breaker.limitedSeconds(1, 'a'), breaker.limitedSeconds(1, 'b')]).toEqual([30, 0]);
    expect([breaker.coolingSeconds(1), breaker.coolingSeconds(1, 'b')]).toEqual([30, 0]);
    breaker.begin(1, 'b');
    breaker.succeeded(1, 'b');
    breaker.end(1);
    expect(breaker.admits(1, 0, 'a')).toBe(false);
    now = 30_000;
    expect(breaker.admits(1, 0, 'a')).toBe(true);
    breaker.begin(1, 'a');
    expect(breaker.admits(1, 0, 'a')).toBe(false);
    breaker.succeeded(1, 'a');
    breaker.end(1);
    expect(breaker.admits(1, 0, 'a')).toBe(true);
    breaker.failed(1, { retryAfterSeconds: 30, isLimit: true });
    expect([breaker.admits(1, 0, 'a'), breaker.admits(1, 0, 'b')]).toEqual([false, false]);
    expect(breaker.limitedSeconds(1, 'b')).toBe(30);
  });

  test('a channel with countless names of models keeps a bounded number of them (W23)', () => {
    const breaker = createBreaker(() => 0);
    for (let index = 0; index < 5000; index += 1)
      breaker.failed(1, { retryAfterSeconds: 30, model: `m${index}`, isLimit: true });
    expect([breaker.admits(1, 0, 'm0'), breaker.admits(1, 0, 'm4999')]).toEqual([true, false]);
  });
});
