// Corrected calls in the counters of their budgets: in the window in which they were charged, also one that is over.
import type { Transaction } from 'kysely';
import { counterIds } from '#server/money/ledger/engine/budgets.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { BookedCall, Dialect } from './correction.ts';
import { paidOf } from './shares.ts';

type Counter = Pick<Row<'budget_counters'>, 'id' | 'window_start' | 'spent'>;

/** `listOf`: the counters of a call, by its log row; blank where the row has been cleaned away. Locked after the subscriptions. */
export async function correctBudgets(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  calls: readonly BookedCall[],
  listOf: (call: BookedCall) => string,
): Promise<void> {
  const changes = calls.flatMap((call) => {
    const difference = paidOf(call.after) - paidOf(call.before);
    return difference === 0
      ? []
      : counterIds(listOf(call)).map((id) => ({ id, at: call.createdAt, difference }));
  });
  if (changes.length === 0) return;
  const counters = await transaction
    .selectFrom('budget_counters')
    .select(['id', 'window_start', 'spent'])
    .where('id', 'in', [...new Set(changes.map(({ id }) => id))])
    .orderBy('id')
    .$call(forNoKeyUpdate({ dialect }))
    .execute();
  for (const counter of counters) {
    const own = changes.filter(({ id }) => id === counter.id);
    await correctCounter(transaction, counter, own);
  }
}

async function correctCounter(
  transaction: Transaction<Schema>,
  { id, window_start, spent }: Counter,
  changes: readonly { at: number; difference: number }[],
): Promise<void> {
  const current = changes.filter(({ at }) => at >= window_start);
  const past = changes.filter(({ at }) => at < window_start);
  const sum = current.reduce((total, { difference }) => total + difference, 0);
  if (sum !== 0)
    await transaction
      .updateTable('budget_counters')
      .set({ spent: Math.max(0, spent + sum) })
      .where('id', '=', id)
      .execute();
  for (const { at, difference } of past)
    await transaction
      .updateTable('budget_windows')
      .set((column) => ({ spent: column('spent', '+', difference) }))
      .where('counter_id', '=', id)
      .where('window_start', '<=', at)
      .where('window_end', '>', at)
      .execute();
}
