// Two users with a token, a subscription, a counter and a hold each; every column has a value of its own.
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export async function insertRow({ db }: Store, table: keyof Schema, row: object): Promise<void> {
  await db.insertInto(table).values(row).execute();
}

export const heldBy = (
  id: string,
  user_id: number,
  token_id: number,
  more: Partial<NewRow<'holds'>> = {},
): NewRow<'holds'> => ({
  id,
  user_id,
  token_id,
  node_id: 'node-1',
  epoch: 3,
  amount: 100,
  created_at: 4,
  expires_at: 5,
  dispatched: 1,
  checkpoint_quota: 6,
  checkpoint: 'noted',
  snapshot: 'prices',
  plan_amount: 20,
  plan_period: 35,
  plan_first: 1,
  ...more,
});

/** Users 51 and 52 with tokens 61 and 62, subscriptions 81 and 82, and counters 91 and 92. */
export async function seed(store: Store): Promise<void> {
  const insert = (table: keyof Schema, row: object) => insertRow(store, table, row);
  const limits = { requests_per_minute: 11, tokens_per_minute: 12, concurrent_calls: 13 };
  const budgets = { day_budget: 14, month_budget: 15 };
  for (const id of [51, 52])
    await insert('users', {
      id,
      username: `user ${id}`,
      aff_code: `code ${id}`,
      quota: 5000,
      held_quota: 300,
      plan_held_quota: 20,
      used_quota: 700,
      request_count: 8,
      low_balance_mail_at: 9,
      ...limits,
      ...budgets,
    });
  for (const [id, user_id] of [
    [61, 51],
    [62, 52],
  ] as const)
    await insert('tokens', {
      id,
      user_id,
      key_digest: `key ${id}`,
      status: 1,
      expired_time: 21,
      unlimited_quota: 0,
      remain_quota: 220,
      held_quota: 23,
      used_quota: 24,
      accessed_time: 25,
      ...limits,
      day_budget: 26,
      month_budget: 27,
    });
  for (const [id, user_id] of [
    [81, 51],
    [82, 52],
  ] as const)
    await insert('subscriptions', {
      id,
      user_id,
      plan_id: 1,
      created_at: 0,
      plan_name: '',
      interval_unit: 'day',
      interval_count: 31,
      periods: 32,
      currency: 'USD',
      source: 'balance',
      models: '',
      group: '',
      price_quota: 0,
      price_minor: 0,
      started_at: 33,
      ends_at: 34,
      period: 35,
      period_ends_at: 36,
      period_quota: 370,
      quota: 180,
      held: 39,
      ended_at: 40,
      status: 'active',
      request_key: `request ${id}`,
    });
  for (const id of [91, 92])
    await insert('budget_counters', {
      id,
      budget_id: 1,
      organization_id: 51,
      value: `value ${id}`,
      name: 'research',
      period: 'day',
      is_hard: 1,
      quota: 41,
      extra: 42,
      spent: 43,
      held: 44,
      noticed: 80,
      window_start: 46,
      window_end: 47,
      created_at: 0,
    });
  await insert('holds', heldBy('call', 51, 61, { subscription_id: 81, budgets: '91' }));
  await insert('holds', heldBy('other', 52, 62, { subscription_id: 82, budgets: '92' }));
}
