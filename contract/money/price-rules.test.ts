import { describe, expect, test } from 'bun:test';
import { hourRatio, priceRules, ruleOf, type PriceHours } from './price-rules.ts';

const at = (time: string) => Date.parse(time);
const ratioAt = (hours: Omit<PriceHours, 'ratio'>, time: string) =>
  hourRatio({ hours: [{ ...hours, ratio: 0.5 }] }, at(time));

describe('hours', () => {
  test('from the first minute to before the last one, in the time zone of the rule', () => {
    const night = { from: '00:30', to: '08:30', timeZone: 'Asia/Shanghai' };
    expect(ratioAt(night, '2026-03-01T16:29:59.999Z')).toBe(1);
    expect(ratioAt(night, '2026-03-01T16:30:00Z')).toBe(0.5);
    expect(ratioAt(night, '2026-03-02T00:29:59.999Z')).toBe(0.5);
    expect(ratioAt(night, '2026-03-02T00:30:00Z')).toBe(1);
  });

  test('over midnight they belong to the day on which they began', () => {
    const friday = { from: '22:00', to: '06:00', days: [5], timeZone: 'UTC' };
    // The sixth of March 2026 is a Friday.
    expect(ratioAt(friday, '2026-03-06T21:59:00Z')).toBe(1);
    expect(ratioAt(friday, '2026-03-06T22:00:00Z')).toBe(0.5);
    expect(ratioAt(friday, '2026-03-07T05:59:00Z')).toBe(0.5);
    expect(ratioAt(friday, '2026-03-07T06:00:00Z')).toBe(1);
    expect(ratioAt(friday, '2026-03-06T05:00:00Z')).toBe(1);
    const monday = { ...friday, days: [1] };
    expect(ratioAt(monday, '2026-03-10T01:00:00Z')).toBe(0.5);
    expect(ratioAt({ ...friday, days: [7] }, '2026-03-09T01:00:00Z')).toBe(0.5);
  });

  test('equal ends are the whole day, and the first match counts', () => {
    const day = { from: '00:00', to: '00:00', timeZone: 'UTC' };
    expect(ratioAt(day, '2026-03-06T00:00:00Z')).toBe(0.5);
    const both = [
      { ...day, days: [6, 7], ratio: 0.2 },
      { ...day, ratio: 0.9 },
    ];
    expect(hourRatio({ hours: both }, at('2026-03-07T12:00:00Z'))).toBe(0.2);
    expect(hourRatio({ hours: both }, at('2026-03-06T12:00:00Z'))).toBe(0.9);
    expect(hourRatio({}, at('2026-03-06T12:00:00Z'))).toBeUndefined();
  });
});

test('the rules of every model add nothing to a model with rules of its own (M21)', () => {
  const rules = { a: { fee: 1 }, b: {}, '*': { minimum: 2, search: 3, classes: { batch: 0.5 } } };
  expect([ruleOf(rules, 'a'), ruleOf(rules, 'b')]).toEqual([{ fee: 1 }, {}]);
});

test('a model takes its own rules, else those of every model, never the prototype', () => {
  const rules = { a: { minimum: 1 }, '*': { minimum: 2 } };
  expect([ruleOf(rules, 'a'), ruleOf(rules, 'b'), ruleOf({}, 'constructor')]).toEqual([
    { minimum: 1 },
    { minimum: 2 },
    undefined,
  ]);
});

test.each([
  [{ m: { tiers: [{ above: 200, input: 2 }, { above: 100 }] } }],
  [
    {
      m: {
        tiers: [
          { above: 200, input: 2 },
          { above: 200, input: 3 },
        ],
      },
    },
  ],
  [{ m: { tiers: [{ above: 0 }] } }],
  [{ m: { tiers: [{ above: 5, input: -1 }] } }],
  [{ m: { hours: [{ from: '24:00', to: '08:00', timeZone: 'UTC', ratio: 1 }] } }],
  [{ m: { hours: [{ from: '08:00', to: '09:00', timeZone: 'Mars', ratio: 1 }] } }],
  [{ m: { hours: [{ from: '08:00', to: '09:00', days: [8], timeZone: 'UTC', ratio: 1 }] } }],
  [{ m: { classes: { turbo: 2 } } }],
  [{ m: { minimum: -0.1 } }],
  [{ m: { discount: 0.5 } }],
])('%j is refused', (rules) => {
  expect(priceRules.safeParse(rules).success).toBe(false);
});
