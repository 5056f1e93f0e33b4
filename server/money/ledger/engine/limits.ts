// Admission limits of a user or a token: requests and tokens per minute over a sliding minute, calls running at once, and
// day and month budgets (of the site's zone) that count what running calls hold. Checked in the transaction that takes the hold.
import type { BudgetPeriod } from '#contract/money/budget-windows.ts';
import type { RefusalReason, Subject } from './operations.ts';
import type { ProjectLimits, Rows, SubjectLimits } from './rows.ts';

const WINDOW_SECONDS = 60;

export interface LimitRefusal {
  reason: RefusalReason;
  subject: Subject;
  retryAfterSeconds: number;
  /** What a budget has left; 0 of other limits. */
  available: number;
}

export interface LimitedSubject extends SubjectLimits {
  id: number;
  held: number;
  /** A token's `held` has the parts of subscriptions in it. */
  planHeld?: number;
}

export function hasLimits(subject: SubjectLimits): boolean {
  return (
    subject.requestsPerMinute > 0 ||
    subject.tokensPerMinute > 0 ||
    subject.concurrentCalls > 0 ||
    subject.dayBudget > 0 ||
    subject.monthBudget > 0 ||
    subject.project !== undefined
  );
}

/** What a token's project limits, as a subject of its own. */
export const projectSubject = (project: ProjectLimits): LimitedSubject => ({
  ...project,
  held: 0,
  concurrentCalls: 0,
  dayBudget: 0,
  monthBudget: 0,
});

/** What a call asks of the limits. */
export interface Demand {
  userId: number;
  amount: number;
  tokens: number;
}

/** The first limit the call would break, or undefined. Changes nothing. */
export function brokenLimit(
  rows: Rows,
  subject: Subject,
  row: LimitedSubject,
  { userId, amount, tokens }: Demand,
): LimitRefusal | undefined {
  const refuse = (reason: RefusalReason, retryAfterSeconds: number) => ({
    reason,
    subject,
    retryAfterSeconds,
    available: 0,
  });
  if (row.requestsPerMinute > 0) {
    const wait = waitSeconds(rows, requestScope(subject, row.id), row.requestsPerMinute, 1);
    if (wait > 0) return refuse('requests_per_minute', wait);
  }
  if (row.tokensPerMinute > 0) {
    const wait = waitSeconds(rows, tokenScope(subject, row.id), row.tokensPerMinute, tokens);
    if (wait > 0) return refuse('tokens_per_minute', wait);
  }
  if (row.concurrentCalls > 0 && rows.runningCalls(subject, row.id, userId) >= row.concurrentCalls) {
    return refuse('concurrent_calls', 1);
  }
  const budget = brokenBudget(rows, subject, row, amount);
  if (budget !== undefined || row.project === undefined) return budget;
  return brokenLimit(rows, 'project', projectSubject(row.project), { userId, amount, tokens });
}

interface BudgetLeft {
  reason: 'day_budget' | 'month_budget';
  /** Negative after a charge above the budget. */
  left: number;
  /** When the next day or month begins. */
  end: number;
}

/** The budgets of a user or a token, each with what neither calls nor holds have taken of it. */
function budgetsOf(rows: Rows, subject: Subject, row: LimitedSubject): BudgetLeft[] {
  const held = row.held + (row.planHeld ?? 0);
  const budgets: BudgetLeft[] = [];
  const add = (reason: BudgetLeft['reason'], budget: number, period: BudgetPeriod): void => {
    const { start, end } = rows.budgets(period, rows.now);
    budgets.push({ reason, left: budget - rows.spentSince(subject, row.id, start) - held, end });
  };
  if (row.dayBudget > 0) add('day_budget', row.dayBudget, 'day');
  if (row.monthBudget > 0) add('month_budget', row.monthBudget, 'month');
  return budgets;
}

/** What the budgets leave for a call; Infinity without a budget. */
export function leftOfBudgets(rows: Rows, subject: Subject, row: LimitedSubject): number {
  return Math.min(...budgetsOf(rows, subject, row).map(({ left }) => left), Number.POSITIVE_INFINITY);
}

/** A running call that takes more is checked against the budgets only. */
export function brokenBudget(
  rows: Rows,
  subject: Subject,
  row: LimitedSubject,
  amount: number,
): LimitRefusal | undefined {
  const broken = budgetsOf(rows, subject, row).find(({ left }) => left < amount);
  if (broken === undefined) return undefined;
  const { reason, left, end } = broken;
  return { reason, subject, retryAfterSeconds: end - rows.now, available: Math.max(0, left) };
}

/** Counts an admitted call. */
export function countAdmission(rows: Rows, subject: Subject, row: LimitedSubject, tokens: number): void {
  const start = windowStart(rows.now);
  if (row.requestsPerMinute > 0) rows.addToWindow(requestScope(subject, row.id), start, 1);
  if (row.tokensPerMinute > 0 && tokens > 0) rows.addToWindow(tokenScope(subject, row.id), start, tokens);
  if (row.project !== undefined) countAdmission(rows, 'project', projectSubject(row.project), tokens);
}

/** Replaces the estimate by what was used, in the minute in which it was counted. */
export function correctTokens(
  rows: Rows,
  subject: Subject,
  row: LimitedSubject,
  admittedAt: number,
  difference: number,
): void {
  if (row.project !== undefined)
    correctTokens(rows, 'project', projectSubject(row.project), admittedAt, difference);
  if (row.tokensPerMinute === 0 || difference === 0) return;
  const current = windowStart(rows.now);
  const counted = windowStart(admittedAt);
  // A minute outside the window is not corrected downwards; what was used beyond the estimate counts in the current one.
  if (counted < current - WINDOW_SECONDS && difference < 0) return;
  const start = counted < current - WINDOW_SECONDS ? current : counted;
  rows.addToWindow(tokenScope(subject, row.id), start, difference);
}

/** 0 = fits now. */
function waitSeconds(rows: Rows, scope: string, limit: number, cost: number): number {
  const start = windowStart(rows.now);
  const elapsed = rows.now - start;
  const current = rows.windowUsed(scope, start);
  const previous = rows.windowUsed(scope, start - WINDOW_SECONDS);
  const remaining = WINDOW_SECONDS - elapsed;
  if (current + cost + (previous * remaining) / WINDOW_SECONDS <= limit) return 0;
  const room = limit - cost;
  // One call above the limit never fits; waiting does not help.
  if (room < 0) return WINDOW_SECONDS;
  if (current <= room && previous > 0) {
    return Math.max(1, Math.ceil(remaining - (WINDOW_SECONDS * (room - current)) / previous));
  }
  return Math.max(1, remaining + Math.ceil(WINDOW_SECONDS - (WINDOW_SECONDS * room) / current));
}

export function requestScope(subject: Subject, id: number): string {
  return `${subject}:${id}:rpm`;
}

export function tokenScope(subject: Subject, id: number): string {
  return `${subject}:${id}:tpm`;
}

export function windowStart(now: number): number {
  return now - (now % WINDOW_SECONDS);
}
