// Notices of used-up budgets. The ledger reports each refused call; the first of a period raises the notice. Errors are logged:
// no caller waits for it.
import { budgetEnd } from '#contract/money/budget-windows.ts';
import type { Log } from '#contract/context.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { raiseNotice } from './raise.ts';

export interface ReachedBudget {
  subject: 'user' | 'token';
  /** `quota`: the token's own. */
  limit: 'day' | 'month' | 'quota';
  /** What is left of it. */
  available: number;
  /** Until the next day or month begins; 0 of a quota. */
  retryAfterSeconds: number;
  userId: number;
  tokenId: number;
}

/** A budget with more left has only refused a call that was too large for it: the caller read that in its error. */
const USED_UP_SHARE = 0.05;
/** Too little for any call. */
const USED_UP_QUOTA = 500;
const ASK_AGAIN_MS = 60_000;
const MOST_REMEMBERED = 10_000;

export function createBudgetNotices(store: Store, log: Log): (budget: ReachedBudget) => void {
  /** Until when nothing is asked for a key (Infinity: its notice exists): a client that repeats a refused call costs no query. */
  const quiet = new Map<string, number>();
  return (budget) => {
    const { subject, limit, userId, tokenId } = budget;
    const about = `budget_reached:${subject}:${subject === 'user' ? userId : tokenId}`;
    if (limit === 'quota') {
      void raise(about, 'quota', budget);
      return;
    }
    const key = `${about}:${limit}:${budgetEnd(budget.retryAfterSeconds)}`;
    if ((quiet.get(key) ?? 0) > Date.now()) return;
    if (quiet.size >= MOST_REMEMBERED) quiet.clear();
    quiet.set(key, Number.POSITIVE_INFINITY);
    void raise(key, limit, budget);
  };

  async function raise(key: string, limit: ReachedBudget['limit'], budget: ReachedBudget): Promise<void> {
    const { subject, userId, tokenId } = budget;
    try {
      const row = subject === 'user' ? await userRow(userId) : await tokenRow(tokenId);
      if (row === undefined) return;
      const amount = amountOf(row, limit);
      if (budget.available > Math.max(amount * USED_UP_SHARE, USED_UP_QUOTA)) {
        quiet.set(key, Date.now() + ASK_AGAIN_MS);
        return;
      }
      const token_name = row.name ?? '';
      await raiseNotice(store.db, {
        event: 'budget_reached',
        userId,
        values: {
          subject,
          token_name,
          limit,
          amount,
          ...(limit === 'quota' ? {} : { resets_at: budgetEnd(budget.retryAfterSeconds) }),
        },
        // A token that got more quota uses it up at another figure.
        onceKey: limit === 'quota' ? `${key}:quota:${row.used_quota}` : key,
      });
    } catch (error) {
      quiet.delete(key);
      log.error('the notice of a budget could not be raised', { user_id: userId, error });
    }
  }

  async function userRow(id: number): Promise<Budgets | undefined> {
    return await store.db
      .selectFrom('users')
      .select(['day_budget', 'month_budget', 'used_quota'])
      .where('id', '=', id)
      .executeTakeFirst();
  }

  async function tokenRow(id: number): Promise<Budgets | undefined> {
    return await store.db
      .selectFrom('tokens')
      .select(['name', 'day_budget', 'month_budget', 'used_quota'])
      .where('id', '=', id)
      .executeTakeFirst();
  }
}

type Budgets = Pick<Row<'tokens'>, 'day_budget' | 'month_budget' | 'used_quota'> & { name?: string };

function amountOf({ day_budget, month_budget, used_quota }: Budgets, limit: ReachedBudget['limit']): number {
  return { day: day_budget, month: month_budget, quota: used_quota }[limit];
}
