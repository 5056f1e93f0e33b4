// What is believed of a usage report, as properties of every report and every bound.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import { addBounds, believe, isWithin, widerBounds, type ReportedCounts } from './believable-usage.ts';

const count = fc.oneof(
  fc.nat(1000),
  fc.nat(10_000_000),
  fc.nat({ max: 2 ** 31 - 1 }).map((n) => n * 400),
);
const classes = fc.record(
  Object.fromEntries(TOKEN_CLASSES.map((name) => [name, count])) as Record<TokenClass, typeof count>,
);
const reports = fc
  .record({ classes, beside: fc.option(count), searches: fc.option(fc.maxSafeNat()) })
  .map((made): ReportedCounts => ({
    ...made.classes,
    ...(made.beside === null ? {} : { inTotalOnly: Math.min(made.beside, made.classes.output) }),
    ...(made.searches === null ? {} : { webSearches: made.searches }),
  }));
const bounds = fc
  .record({ input: count, output: count, reasoning: count, searches: fc.nat(1000) })
  .map(({ reasoning, ...rest }) => ({ ...rest, answer: rest.output + reasoning }));

const promptOf = (usage: ReportedCounts): number =>
  usage.input +
  usage.cacheRead +
  usage.cacheWrite5m +
  usage.cacheWrite1h +
  usage.imageInput +
  usage.audioInput;
const spokenOf = (usage: ReportedCounts): number => usage.output + usage.audioOutput;

describe('what is believed (M12, M13)', () => {
  test('is never above the bounds, never above the report, and never negative', () => {
    fc.assert(
      fc.property(reports, bounds, (report, most) => {
        const { usage } = believe(report, most);
        expect(promptOf(usage)).toBeLessThanOrEqual(most.input);
        // Reasoning that only the total has is kept whole or dropped.
        const beside =
          report.output - usage.output < (report.inTotalOnly ?? 0) ? (report.inTotalOnly ?? 0) : 0;
        expect(spokenOf(usage) - beside).toBeLessThanOrEqual(most.output);
        expect(spokenOf(usage) + usage.reasoning).toBeLessThanOrEqual(most.answer);
        expect(usage.webSearches ?? 0).toBeLessThanOrEqual(most.searches);
        for (const name of TOKEN_CLASSES) {
          expect(usage[name]).toBeLessThanOrEqual(report[name]);
          expect(usage[name]).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test('is the largest believable amount: a side that is lowered is at its bound', () => {
    fc.assert(
      fc.property(reports, bounds, (given, most) => {
        const report = { ...given, inTotalOnly: 0 };
        const { usage } = believe(report, most);
        expect(promptOf(usage)).toBe(Math.min(promptOf(report), most.input));
        const spoken = Math.min(spokenOf(report), most.output);
        expect(spokenOf(usage)).toBe(spoken);
        expect(usage.reasoning).toBe(Math.min(report.reasoning, most.answer - spoken));
        expect(usage.webSearches ?? 0).toBe(Math.min(report.webSearches ?? 0, most.searches));
      }),
    );
  });

  test('is the report itself when all of it is inside the bounds, and each change has a doubt', () => {
    fc.assert(
      fc.property(reports, bounds, (report, most) => {
        const { usage, doubts } = believe(report, most);
        if (isWithin(report, most)) expect(usage).toBe(report);
        const isChanged = JSON.stringify(usage) !== JSON.stringify(report);
        expect(doubts.length > 0).toBe(isChanged);
        for (const { reported = 0, charged = 0 } of doubts) expect(charged).toBeLessThan(reported);
      }),
    );
  });

  test('believing twice changes nothing more', () => {
    fc.assert(
      fc.property(reports, bounds, (given, most) => {
        const once = believe({ ...given, inTotalOnly: 0 }, most).usage;
        expect(believe(once, most)).toEqual({ usage: once, doubts: [] });
      }),
    );
  });

  test('wider bounds never charge less, and the bounds of two requests hold what each holds', () => {
    fc.assert(
      fc.property(reports, bounds, bounds, (given, one, other) => {
        const report = { ...given, inTotalOnly: 0 };
        const narrow = believe(report, one).usage;
        for (const wide of [widerBounds(one, other), addBounds(one, other)]) {
          const { usage } = believe(report, wide);
          expect(promptOf(usage)).toBeGreaterThanOrEqual(promptOf(narrow));
          expect(spokenOf(usage)).toBeGreaterThanOrEqual(spokenOf(narrow));
        }
      }),
    );
  });

  test('the largest class is lowered first, and what only the total has is dropped whole', () => {
    const none = Object.fromEntries(TOKEN_CLASSES.map((name) => [name, 0])) as Record<TokenClass, number>;
    const most = { input: 1000, output: 100, answer: 100, searches: 0 };
    const report = { ...none, input: 300, cacheRead: 1e11, audioInput: 20, output: 5 };
    expect(believe(report, most).usage).toMatchObject({
      input: 300,
      cacheRead: 680,
      audioInput: 20,
      output: 5,
    });
    const total = { ...none, input: 10, output: 9e11 + 5, inTotalOnly: 9e11 };
    expect(believe(total, most)).toMatchObject({
      usage: { input: 10, output: 5 },
      doubts: [{ count: 'total', reported: 9e11 + 15, charged: 15 }],
    });
  });
});

test('each count that is not believed is named, with what was reported and what is charged', () => {
  const none = Object.fromEntries(TOKEN_CLASSES.map((name) => [name, 0])) as Record<TokenClass, number>;
  const most = { input: 10, output: 20, answer: 25, searches: 3 };
  const report = { ...none, input: 11, output: 30, reasoning: 9, webSearches: 8 };
  expect(believe(report, most)).toEqual({
    usage: { ...none, input: 10, output: 20, reasoning: 5, webSearches: 3 },
    doubts: [
      { count: 'input', reported: 11, charged: 10 },
      { count: 'output', reported: 39, charged: 25 },
      { count: 'searches', reported: 8, charged: 3 },
    ],
  });
  expect(believe({ ...none, input: 10, webSearches: 4 }, most).doubts).toEqual([
    { count: 'searches', reported: 4, charged: 3 },
  ]);
});
