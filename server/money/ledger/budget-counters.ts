// The counters of budgets outside a call: they begin with a budget, or with the first value of a tag, take its changes, and get what was
// granted. In the caller's transaction; what is spent and held is changed by calls alone.
import type { Kysely, Transaction } from 'kysely';
import { budgetWindow, type BudgetZones } from '#contract/money/budget-windows.ts';
import type { DaySpan } from '#contract/site-day.ts';
import { requireAmount } from '#server/money/quota-units.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { WHOLE_TIME } from './engine/budgets.ts';
import type { CounterPeriod } from './engine/rows.ts';

export type Counter = Row<'budget_counters'>;
type Budget = Pick<Row<'budgets'>, 'id' | 'organization_id' | 'name' | 'period' | 'is_hard' | 'quota'>;

export interface CounterClock {
  zones: BudgetZones;
  /** Unix seconds. */
  now: number;
}

export const counterWindow = (period: CounterPeriod, { zones, now }: CounterClock): DaySpan =>
  period === 'total' ? WHOLE_TIME : budgetWindow(zones, period, now);

/**
 * Of the budget, or of one value of its tag; the one there is, if another call made it first. `brought` is what another gateway
 * charged in the window of now, so that moving in does not refill the budget.
 */
export async function openCounter(
  db: Kysely<Schema>,
  { id: budget_id, organization_id, name, period, is_hard, quota }: Budget,
  value: string,
  clock: CounterClock,
  brought = 0,
): Promise<number> {
  const { start, end } = counterWindow(period, clock);
  await db
    .insertInto('budget_counters')
    .values({
      budget_id,
      organization_id,
      value,
      name,
      period,
      is_hard,
      quota,
      spent: requireAmount(brought, 'spent'),
      brought,
      window_start: start,
      window_end: end,
      created_at: clock.now,
    })
    .onConflict((conflict) => conflict.columns(['budget_id', 'value']).doNothing())
    .execute();
  const { id } = await db
    .selectFrom('budget_counters')
    .select('id')
    .where('budget_id', '=', budget_id)
    .where('value', '=', value)
    .executeTakeFirstOrThrow();
  return id;
}

export async function changeCounters(
  transaction: Transaction<Schema>,
  budgetId: number,
  changes: Partial<Pick<Budget, 'name' | 'is_hard' | 'quota'>>,
): Promise<void> {
  const { name, is_hard, quota } = changes;
  if (name === undefined && is_hard === undefined && quota === undefined) return;
  await transaction
    .updateTable('budget_counters')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(is_hard === undefined ? {} : { is_hard }),
      ...(quota === undefined ? {} : { quota }),
    })
    .where('budget_id', '=', budgetId)
    .execute();
}

/** On top in the window of now; it ends with the window. */
export async function grantExtra(
  { dialect }: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  id: number,
  { amount, clock }: { amount: number; clock: CounterClock },
): Promise<void> {
  const counter = await transaction
    .selectFrom('budget_counters')
    .selectAll()
    .where('id', '=', id)
    .$call(forNoKeyUpdate({ dialect }))
    .executeTakeFirst();
  if (counter === undefined) return;
  if (clock.now >= counter.window_end) await endWindow(transaction, counter, clock);
  await transaction
    .updateTable('budget_counters')
    .set((column) => ({ extra: column('extra', '+', amount) }))
    .where('id', '=', id)
    .execute();
}

/** As the next call would do it. */
async function endWindow(
  transaction: Transaction<Schema>,
  { id, period, spent, window_start, window_end }: Counter,
  clock: CounterClock,
): Promise<void> {
  await transaction
    .insertInto('budget_windows')
    .values({ counter_id: id, window_start, window_end, spent })
    .onConflict((conflict) =>
      conflict
        .columns(['counter_id', 'window_start'])
        .doUpdateSet((column) => ({ spent: column('budget_windows.spent', '+', spent) })),
    )
    .execute();
  const { start, end } = counterWindow(period, clock);
  const next = { window_start: start, window_end: end, spent: 0, extra: 0, noticed: 0 };
  await transaction.updateTable('budget_counters').set(next).where('id', '=', id).execute();
}
