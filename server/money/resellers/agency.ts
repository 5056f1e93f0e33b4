// The row of an agent. It is never deleted: dividends and debts refer to it.
import type { Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Flag, Schema } from '#server/platform/store/schema.ts';

export interface Agency {
  active: Flag;
  /** Hundredths of a percent. */
  rate: number;
}

/** Undefined: the user was never an agent. */
export async function agencyOf(
  transaction: Transaction<Schema>,
  userId: number,
): Promise<Agency | undefined> {
  return await transaction
    .selectFrom('agents')
    .select(['active', 'rate'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Makes the user an agent, or changes the agency. Call it with the user's row locked. */
export async function saveAgency(
  transaction: Transaction<Schema>,
  userId: number,
  agency: Agency,
): Promise<void> {
  const now = unixSeconds();
  await transaction
    .insertInto('agents')
    .values({ user_id: userId, ...agency, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...agency, updated_at: now }))
    .execute();
}
