import { describe, expect, test } from 'bun:test';
import { budgetCalendar } from '#contract/money/budget-windows.ts';
import {
  brokenBudget,
  brokenLimit,
  correctTokens,
  countAdmission,
  hasLimits,
  tokenScope,
  windowStart,
} from './limits.ts';
import type { Rows } from './rows.ts';

const at = (text: string) => Date.parse(text) / 1000;

interface Used {
  spent?: number;
  zone?: string;
  /** By the start of the minute. */
  windows?: Record<number, number>;
}

/** What the limits of one subject ask the database. */
function rowsAt(now: number, { spent = 0, windows = {}, zone = 'UTC' }: Used = {}) {
  const added: [start: number, amount: number][] = [];
  const rows = {
    now,
    budgets: budgetCalendar({ zone, left: [] }),
    spentSince: () => spent,
    windowUsed: (_: string, start: number) => windows[start] ?? 0,
    addToWindow: (_: string, start: number, amount: number) => added.push([start, amount]),
    runningCalls: () => 0,
  };
  return { rows: rows as unknown as Rows, added };
}

const none = {
  id: 1,
  held: 0,
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  concurrentCalls: 0,
  dayBudget: 0,
  monthBudget: 0,
};

describe('limits', () => {
  test.each([
    ['UTC', '2026-02-10T20:00:00Z', 4 * 3600, (18 * 24 + 4) * 3600],
    ['UTC', '2026-12-31T23:59:59Z', 1, 1],
    ['UTC', '2028-02-28T00:00:00Z', 86_400, 2 * 86_400],
    ['Asia/Shanghai', '2026-02-10T20:00:00Z', 20 * 3600, (17 * 24 + 20) * 3600],
    // The day has 25 hours.
    ['America/New_York', '2026-11-01T04:00:00Z', 25 * 3600, (30 * 24 + 1) * 3600],
    // Half an hour after midnight there.
    ['Asia/Kolkata', '2026-02-10T18:59:59Z', 1, 18 * 24 * 3600 + 1],
  ])('a used budget in %s says when its next day or month begins, at %s (M21)', (zone, text, day, month) => {
    const { rows } = rowsAt(at(text), { spent: 100, zone });
    expect(brokenBudget(rows, 'user', { ...none, dayBudget: 100 }, 1)).toEqual({
      reason: 'day_budget',
      subject: 'user',
      retryAfterSeconds: day,
      available: 0,
    });
    expect(brokenBudget(rows, 'token', { ...none, monthBudget: 100 }, 1)).toEqual({
      reason: 'month_budget',
      subject: 'token',
      retryAfterSeconds: month,
      available: 0,
    });
  });

  test('of the last minute only the part counts that is in the sliding minute (M21)', () => {
    const now = at('2026-02-10T20:00:45Z');
    const [current, previous] = [windowStart(now), windowStart(now) - 60];
    const demand = { userId: 1, amount: 0, tokens: 0 };
    const limited = { ...none, requestsPerMinute: 10 };
    const askWith = (used: Record<number, number>) =>
      brokenLimit(rowsAt(now, { windows: used }).rows, 'user', limited, demand);
    // A quarter of twelve counts.
    expect(askWith({ [previous]: 12, [current]: 6 })).toBeUndefined();
    expect(askWith({ [previous]: 12, [current]: 7 })).toMatchObject({ reason: 'requests_per_minute' });
  });

  test('tokens are corrected where they were counted; beyond the window only upwards, in the current minute (M21)', () => {
    const now = at('2026-02-10T20:05:30Z');
    const current = windowStart(now);
    const correct = (admittedAt: number, difference: number) => {
      const { rows, added } = rowsAt(now);
      correctTokens(rows, 'user', { ...none, tokensPerMinute: 5 }, admittedAt, difference);
      return added;
    };
    expect(tokenScope('user', 1)).toBe('user:1:tpm');
    expect(correct(now, -7)).toEqual([[current, -7]]);
    expect(correct(now - 60, 7)).toEqual([[current - 60, 7]]);
    expect(correct(now - 60, -7)).toEqual([[current - 60, -7]]);
    expect(correct(now - 120, 7)).toEqual([[current, 7]]);
    expect(correct(now - 120, -7)).toEqual([]);
    expect(correct(now, 0)).toEqual([]);
  });

  test('the limits of a project refuse, count and are corrected beside those of its key', () => {
    const now = at('2026-02-10T20:00:00Z');
    const token = { ...none, project: { id: 9, requestsPerMinute: 5, tokensPerMinute: 100 } };
    const demand = { userId: 3, amount: 1, tokens: 10 };
    const { rows, added } = rowsAt(now, { windows: { [now]: 4 } });
    expect(hasLimits(token)).toBe(true);
    expect(brokenLimit(rows, 'token', token, demand)).toBeUndefined();
    countAdmission(rows, 'token', token, 10);
    correctTokens(rows, 'token', token, now, 7);
    expect(added).toEqual([
      [now, 1],
      [now, 10],
      [now, 7],
    ]);
    const full = rowsAt(now, { windows: { [now]: 5 } }).rows;
    expect(brokenLimit(full, 'token', token, demand)).toMatchObject({
      reason: 'requests_per_minute',
      subject: 'project',
    });
    // A limit of the key itself comes first.
    expect(brokenLimit(full, 'token', { ...token, requestsPerMinute: 5 }, demand)?.subject).toBe('token');
  });
});
