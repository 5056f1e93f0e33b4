// What is spent of each budget is what its calls were charged, by the log rows that name its counter: in the window of now and in each one
// that is over. What another gateway charged before an import counts in the window in which the counter was made. Windows begin with whole
// hours, so the sums of hours are enough; one statement reads all, so it sees one moment.
import { sql } from 'kysely';
import { counterIds } from '#server/money/ledger/engine/budgets.ts';
import { UNLOGGED_REFERENCE } from '#server/money/ledger/engine/settle.ts';
import { MOST_FINDINGS, type AuditSource, type Breach } from './breach.ts';

export const BUDGET_INVARIANT = 'what is spent of a budget is the sum of its calls';

interface Fact {
  kind: 'counter' | 'window' | 'brought' | 'calls' | 'unlogged' | 'cleaned';
  counter_id: number;
  user_id: number;
  /** Of a window, or of an hour. */
  start: number;
  end: number;
  amount: number;
  budgets: string;
}

const hour = sql`created_at - created_at % 3600`;

const readFacts = async ({ db }: AuditSource): Promise<Fact[]> => {
  const { rows } = await sql<Fact>`
    select 'counter' as kind, id as counter_id, organization_id as user_id, window_start as start,
      window_end as "end", spent as amount, '' as budgets from budget_counters
    union all select 'window', counter_id, 0, window_start, window_end, spent, '' from budget_windows
    union all select 'brought', id, organization_id, created_at, 0, brought, '' from budget_counters where brought > 0
    union all select 'calls', 0, user_id, ${hour}, 0, sum(quota), budgets from logs
      where budgets <> '' group by user_id, ${hour}, budgets
    union all select 'unlogged', 0, user_id, ${hour}, 0, 0, '' from ledger
      where reference = ${UNLOGGED_REFERENCE} group by user_id, ${hour}
    union all select 'cleaned', 0, 0, cleaned_before, 0, 0, '' from log_cleaning`.execute(db);
  return rows;
};

interface Window {
  counterId: number;
  userId: number;
  start: number;
  end: number;
  spent: number;
  logged: number;
  /** Calls left no row, or it was cleaned away. */
  isUnknown: boolean;
}

export async function checkBudgets(source: AuditSource): Promise<Breach[]> {
  const facts = await readFacts(source);
  const windows = windowsOf(facts);
  const breaches: Breach[] = [];
  const report = (userId: number, detail: string): void => {
    if (breaches.length < MOST_FINDINGS) breaches.push({ invariant: BUDGET_INVARIANT, userId, detail });
  };
  const cleanedBefore = facts.find(({ kind }) => kind === 'cleaned')?.start ?? 0;
  for (const fact of facts) {
    if (fact.kind === 'unlogged')
      for (const window of windows.values())
        for (const one of window)
          if (one.userId === fact.user_id && isIn(one, fact.start)) one.isUnknown = true;
    if (fact.kind === 'brought') {
      const first = windows.get(fact.counter_id)?.find((one) => isIn(one, fact.start));
      if (first !== undefined) first.logged += fact.amount;
    }
    if (fact.kind !== 'calls') continue;
    for (const id of counterIds(fact.budgets)) {
      const window = windows.get(id)?.find((one) => isIn(one, fact.start));
      if (window !== undefined) window.logged += fact.amount;
      else if (fact.amount !== 0)
        report(fact.user_id, `budget counter ${id} has no window for ${fact.amount} of ${fact.start}`);
    }
  }
  for (const { counterId, userId, start, spent, logged, isUnknown } of [...windows.values()].flat()) {
    // What was spent before the oldest rows is not known; less than what is still there cannot be right.
    const isWrong = isUnknown || start < cleanedBefore ? spent < logged : spent !== logged;
    if (isWrong) report(userId, `budget counter ${counterId} spent ${spent}, calls ${logged}`);
  }
  return breaches;
}

const isIn = ({ start, end }: Window, at: number) => at >= start && at < end;

/** By counter. */
function windowsOf(facts: readonly Fact[]): Map<number, Window[]> {
  const owners = new Map<number, number>();
  for (const { kind, counter_id, user_id } of facts) if (kind === 'counter') owners.set(counter_id, user_id);
  const windows = new Map<number, Window[]>();
  for (const { kind, counter_id: counterId, start, end, amount } of facts) {
    if (kind !== 'counter' && kind !== 'window') continue;
    const window = { counterId, userId: owners.get(counterId) ?? 0, start, end, spent: amount };
    const list = windows.get(counterId) ?? [];
    list.push({ ...window, logged: 0, isUnknown: false });
    windows.set(counterId, list);
  }
  return windows;
}
