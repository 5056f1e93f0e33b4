// When a first token is late: measured, and bounded by the median and by the settings.
import { expect, test } from 'bun:test';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import { createFirstTokens } from './first-tokens.ts';

const settings = { HedgeLeastMilliseconds: 50, HedgeMostMilliseconds: 5000 };
const opened = (changed: Partial<typeof settings> = {}) =>
  createFirstTokens({ current: { ...settings, ...changed } } as unknown as SettingsReader);

function lateAfter(times: readonly number[], changed: Partial<typeof settings> = {}): number | undefined {
  const tokens = opened(changed);
  for (const milliseconds of times) tokens.note(1, 'm', milliseconds);
  return tokens.lateAfter(1, 'm');
}
const repeated = (count: number, milliseconds: number) => Array.from({ length: count }, () => milliseconds);

test('nothing is late before twenty times are known, of this channel and model', () => {
  expect(lateAfter(repeated(19, 100))).toBeUndefined();
  const tokens = opened();
  for (const milliseconds of repeated(20, 100)) tokens.note(1, 'm', milliseconds);
  expect([tokens.lateAfter(1, 'm'), tokens.lateAfter(2, 'm'), tokens.lateAfter(1, 'n')]).toEqual([
    150,
    undefined,
    undefined,
  ]);
});

test('the 95th percentile decides, as far as it is between 1.5 and 3 times the median', () => {
  const ramp = Array.from({ length: 100 }, (_, at) => 100 + at);
  expect(lateAfter([...ramp, ...ramp])).toBe(1.5 * 149);
  const wide = [...repeated(90, 100), ...repeated(10, 220)];
  expect(lateAfter(wide)).toBe(220);
  // One in twenty takes twenty times as long, whatever their order.
  for (const slow of [4, 5, 6, 10])
    expect(lateAfter([...repeated(slow, 2000), ...repeated(100 - slow, 100)])).toBeLessThanOrEqual(300);
});

test('the settings bound it, the least wait first', () => {
  expect(lateAfter(repeated(20, 1))).toBe(50);
  expect(lateAfter(repeated(20, 9000))).toBe(5000);
  expect(lateAfter(repeated(20, 9000), { HedgeLeastMilliseconds: 7000 })).toBe(7000);
});

test('only the last two hundred count', () => {
  expect(lateAfter([...repeated(200, 4000), ...repeated(200, 100)])).toBe(150);
});
