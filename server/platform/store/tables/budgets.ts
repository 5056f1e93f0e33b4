// Budgets of organizations (docs/adr/0109-a-budget-is-a-counter-of-the-ledger.md).
import type { Default, Flag } from './column.ts';

/** `BUDGET_PERIODS` of the contract; the store imports nothing of it. */
type Period = 'day' | 'week' | 'month' | 'total';

export interface BudgetsTable {
  id: Default<number>;
  organization_id: number;
  name: string;
  subject: 'organization' | 'project' | 'member' | 'token' | 'tag';
  /** Of the project, member (user) or token; 0 for the other subjects. */
  subject_id: Default<number>;
  tag_key: Default<string>;
  /** Blank: every value of the tag has the amount for itself. */
  tag_value: Default<string>;
  period: Period;
  /** Quota units in each window. */
  quota: number;
  /** 1 = calls are refused; 0 = notices only. */
  is_hard: Default<Flag>;
  /** Comma list; blank: every model. */
  models: Default<string>;
  created_at: number;
  created_by: number;
  /** 0: it applies. */
  ended_at: Default<number>;
}

/** What is spent and held of a budget now; the ledger checks and writes it. `name`, `period`, `quota` and `is_hard` are those of the budget. */
export interface BudgetCountersTable {
  id: Default<number>;
  budget_id: number;
  organization_id: number;
  /** Of the tag, where each value has a counter; else blank. */
  value: Default<string>;
  name: Default<string>;
  period: Period;
  is_hard: Default<Flag>;
  quota: number;
  /** Granted for this window on top of `quota`. */
  extra: Default<number>;
  spent: Default<number>;
  /** The part of what was spent in the first window that another gateway charged. */
  brought: Default<number>;
  held: Default<number>;
  /** The highest notice of this window, in percent. */
  noticed: Default<number>;
  window_start: number;
  /** The first second after it. */
  window_end: number;
  created_at: number;
}

/** What was spent in windows that are over. */
export interface BudgetWindowsTable {
  counter_id: number;
  window_start: number;
  window_end: number;
  spent: number;
}

export interface BudgetRequestsTable {
  id: Default<number>;
  organization_id: number;
  budget_id: number;
  counter_id: number;
  asked_by: number;
  /** Quota units on top, for the window that is open when it is granted. */
  amount: number;
  reason: Default<string>;
  status: Default<'open' | 'granted' | 'declined'>;
  granted: Default<number>;
  answer: Default<string>;
  created_at: number;
  decided_at: Default<number>;
  decided_by: Default<number>;
}
