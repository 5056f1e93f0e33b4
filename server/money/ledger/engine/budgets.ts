// Budgets of organizations: a counter for each says what is spent in its window and what running calls hold. A hold names the
// counters it is taken from. A hard one is checked in the transaction that takes the hold, like the balance; a soft one only counts.
import type { MemoryHeld } from './operations.ts';
import type { CounterState, Rows } from './rows.ts';

/** Of a budget without an end. */
export const WHOLE_TIME = { start: 0, end: Number.MAX_SAFE_INTEGER } as const;

/** Percent of the limit at which the organization is notified. */
const NOTICE_LEVELS = [100, 80, 50] as const;

const NONE: readonly never[] = [];
const MOST_PARSED = 10_000;
const parsed = new Map<string, readonly number[]>();

/** The counters of a hold, by their list in its row. Most calls of an organization have one of few lists. */
export function counterIds(list: string): readonly number[] {
  if (list === '') return NONE;
  let ids = parsed.get(list);
  if (ids === undefined) {
    ids = list.split(',').map(Number);
    if (parsed.size >= MOST_PARSED) parsed.clear();
    parsed.set(list, ids);
  }
  return ids;
}

/** Each once, in the order in which rows are locked. */
export const counterList = (ids: Iterable<number>): string =>
  [...new Set(ids)].toSorted((one, other) => one - other).join(',');

/** A counter of the call, with what other calls hold in memory of it. */
export interface Counted {
  counter: CounterState;
  inMemory: number;
}

/** As they are in the window of now. A counter that is gone limits nothing. */
export function countersOf(rows: Rows, list: string, memoryHeld?: MemoryHeld): readonly Counted[] {
  if (list === '') return NONE;
  const counted: Counted[] = [];
  for (const [index, id] of counterIds(list).entries()) {
    const counter = rows.counter(id);
    if (counter === undefined) continue;
    beginWindow(rows, counter);
    counted.push({ counter, inMemory: memoryHeld?.budgets?.[index] ?? 0 });
  }
  return counted;
}

/**
 * What was spent in a window that is over goes into its row, also nothing: a free call of it may be charged later. What running calls
 * hold stays held.
 */
function beginWindow(rows: Rows, counter: CounterState): void {
  const { id, period, windowStart, windowEnd, spent } = counter;
  if (rows.now < windowEnd || period === 'total') return;
  rows.countWindow({ counterId: id, start: windowStart, end: windowEnd, spent });
  const { start, end } = rows.budgets(period, rows.now);
  Object.assign(counter, { windowStart: start, windowEnd: end, spent: 0, extra: 0, noticed: 0, dirty: true });
}

/** Infinity of a soft budget; negative after a charge above the hold. */
export function leftOfCounter({ counter, inMemory }: Counted): number {
  if (!counter.isHard) return Number.POSITIVE_INFINITY;
  return counter.quota + counter.extra - counter.spent - counter.held - inMemory;
}

/** What the hard budgets leave for a call. */
export function leftOfCounters(counted: readonly Counted[]): number {
  let left = Number.POSITIVE_INFINITY;
  for (const one of counted) left = Math.min(left, leftOfCounter(one));
  return Math.max(0, left);
}

/** The one that has the least left, if that is less than the amount. */
export function exceededCounter(counted: readonly Counted[], amount: number): Counted | undefined {
  let least: Counted | undefined;
  for (const one of counted) {
    const left = leftOfCounter(one);
    if (Math.max(0, left) < amount && (least === undefined || left < leftOfCounter(least))) least = one;
  }
  return least;
}

/** Seconds until the window ends; 0 of a budget without an end. */
export const secondsLeft = ({ period, windowEnd }: CounterState, now: number): number =>
  period === 'total' ? 0 : Math.max(1, windowEnd - now);

/** Negative amounts are given back. */
export function holdOfCounters(counted: readonly Counted[], amount: number): void {
  if (amount === 0) return;
  for (const { counter } of counted) {
    counter.held = Math.max(0, counter.held + amount);
    counter.dirty = true;
  }
}

/** A charge, or the correction of one, counts in the window of its time. */
export function spendOfCounters(rows: Rows, list: string, amount: number, at: number): void {
  if (list === '' || amount === 0) return;
  for (const { counter } of countersOf(rows, list)) {
    if (at < counter.windowStart && counter.period !== 'total') {
      const { start, end } = rows.budgets(counter.period, at);
      rows.countWindow({ counterId: counter.id, start, end, spent: amount });
      continue;
    }
    counter.spent = Math.max(0, counter.spent + amount);
    counter.dirty = true;
    if (amount > 0) remind(rows, counter);
  }
}

/** Calls are refused: the organization hears of it, also where a rest is left that no call can use. */
export function noteRefusal(rows: Rows, counter: CounterState): void {
  notify(rows, counter, 100);
}

function remind(rows: Rows, counter: CounterState): void {
  const limit = counter.quota + counter.extra;
  const reached = NOTICE_LEVELS.find((level) => counter.spent * 100 >= limit * level);
  if (reached !== undefined) notify(rows, counter, reached);
}

/** Once for each level of a window; of several that one charge reaches, the highest. */
function notify(rows: Rows, counter: CounterState, level: 50 | 80 | 100): void {
  if (counter.noticed >= level) return;
  counter.noticed = level;
  counter.dirty = true;
  const { id, organizationId, name, value, isHard, spent, windowStart, windowEnd, period } = counter;
  const limit = counter.quota + counter.extra;
  const resets_at = period === 'total' ? 0 : windowEnd;
  rows.notice({
    event: 'organization_budget',
    userId: organizationId,
    details: JSON.stringify({
      budget: name,
      value,
      percent: level,
      spent,
      limit,
      is_hard: isHard,
      resets_at,
    }),
    onceKey: `organization-budget:${id}:${windowStart}:${level}`,
  });
}
