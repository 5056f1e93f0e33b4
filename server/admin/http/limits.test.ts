import { describe, expect, test } from 'bun:test';
import { SETTINGS } from '#contract/settings.ts';
import { createLimiter, limitsOf } from './limits.ts';

const DEFAULTS = {
  ApiCallsPerThreeMinutes: SETTINGS.ApiCallsPerThreeMinutes.fallback,
  PageLoadsPerThreeMinutes: SETTINGS.PageLoadsPerThreeMinutes.fallback,
  SensitiveCallsPerTwentyMinutes: SETTINGS.SensitiveCallsPerTwentyMinutes.fallback,
  FailedSignInsPerTwentyMinutes: SETTINGS.FailedSignInsPerTwentyMinutes.fallback,
  SearchesPerMinute: SETTINGS.SearchesPerMinute.fallback,
};

function scene(most: number, seconds: number) {
  const clock = { now: 1_000_000 };
  const limiter = createLimiter(
    () => ({ ...limitsOf(DEFAULTS), api: { most, seconds } }),
    () => clock.now,
  );
  return {
    clock,
    take: (address = '203.0.113.1') => limiter.take('api', address),
    giveBack: () => limiter.giveBack('api', '203.0.113.1'),
  };
}

describe('per-address limits', () => {
  test('the call after the last allowed one must wait', () => {
    const { take } = scene(3, 60);
    expect([take(), take(), take()]).toEqual([0, 0, 0]);
    expect(take()).toBeGreaterThan(0);
    expect(take('203.0.113.2')).toBe(0);
  });

  test('waiting as long as told is enough, at any moment of the window', () => {
    for (const offset of [0, 1, 17, 42, 59]) {
      const { clock, take } = scene(5, 60);
      clock.now += offset;
      for (let index = 0; index < 5; index += 1) expect(take()).toBe(0);
      const seconds = take();
      expect(seconds).toBeGreaterThan(0);
      clock.now += seconds;
      expect(take()).toBe(0);
    }
  });

  test('the window slides: a full burst at its end still counts at the start of the next', () => {
    const { clock, take } = scene(10, 60);
    clock.now = Math.ceil(clock.now / 60) * 60 + 59;
    for (let index = 0; index < 10; index += 1) expect(take()).toBe(0);
    clock.now += 2;
    expect(take()).toBeGreaterThan(0);
    clock.now += 59;
    expect(take()).toBe(0);
  });

  test('O27: a call that is given back does not count, also after the window ended', () => {
    const { clock, take, giveBack } = scene(1, 60);
    for (let index = 0; index < 5; index += 1) {
      expect(take()).toBe(0);
      giveBack();
    }
    expect(take()).toBe(0);
    clock.now += 60;
    expect(take()).toBeGreaterThan(0);
    giveBack();
    expect(take()).toBe(0);
  });

  test('O27: every limit is a setting that the next call follows; 0 is no limit', () => {
    const settings = { ...DEFAULTS, ApiCallsPerThreeMinutes: 1 };
    const limiter = createLimiter(() => limitsOf(settings));
    const take = () => limiter.take('api', '203.0.113.1') === 0;
    expect([take(), take()]).toEqual([true, false]);
    settings.ApiCallsPerThreeMinutes = 3;
    expect(take()).toBe(true);
    settings.ApiCallsPerThreeMinutes = 0;
    for (let index = 0; index < 500; index += 1) expect(take()).toBe(true);
    const most = limitsOf({
      ApiCallsPerThreeMinutes: 1,
      PageLoadsPerThreeMinutes: 2,
      SensitiveCallsPerTwentyMinutes: 3,
      FailedSignInsPerTwentyMinutes: 4,
      SearchesPerMinute: 5,
    });
    expect(Object.values(most).map((limit) => limit.most)).toEqual([1, 2, 3, 4, 5, 20]);
  });

  test('v6 callers count by their /64', () => {
    const { take } = scene(1, 60);
    expect(take('2001:db8:1:2::1')).toBe(0);
    expect(take('2001:db8:1:2:ffff::9')).toBeGreaterThan(0);
    expect(take('2001:db8:1:3::1')).toBe(0);
  });

  test('refused calls do not push the wait further out', () => {
    const { take } = scene(1, 60);
    take();
    const first = take();
    for (let index = 0; index < 100; index += 1) take();
    expect(take()).toBe(first);
  });

  test('a flood of addresses does not grow the memory without bound', () => {
    const { take } = scene(1, 60);
    take('198.51.100.1');
    for (let index = 0; index < 60_000; index += 1)
      take(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
    // The oldest was forgotten, which is the price of the bound.
    expect(take('198.51.100.1')).toBe(0);
  });
});
