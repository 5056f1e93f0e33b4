// The rows of `users`, for the nouns of the admin API, imports and commands. Balances are the ledger's: an account begins without
// any, and what it gets is booked.
import { randomInt } from 'node:crypto';
import type { Expression, ExpressionBuilder, Kysely, SqlBool, Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { NewRow, RowChange, Schema } from '#server/platform/store/schema.ts';

type Money =
  | 'quota'
  | 'held_quota'
  | 'plan_held_quota'
  | 'used_quota'
  | 'aff_quota'
  | 'aff_history_quota'
  | 'dividend_quota';
export type UserColumns = Omit<RowChange<'users'>, Money>;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CODE_LENGTH = 8;

function newInviteCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** With an invite code and the time unless they are given; the id. */
export async function insertUser(
  transaction: Transaction<Schema>,
  columns: UserColumns & Pick<NewRow<'users'>, 'username'>,
): Promise<number> {
  const { id } = await transaction
    .insertInto('users')
    .values({ aff_code: newInviteCode(), created_at: unixSeconds(), ...columns })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** How many. */
export async function changeUsers(
  db: Kysely<Schema>,
  condition: (builder: ExpressionBuilder<Schema, 'users'>) => Expression<SqlBool>,
  columns: UserColumns,
): Promise<number> {
  const { numUpdatedRows } = await db.updateTable('users').set(columns).where(condition).executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function changeUser(db: Kysely<Schema>, id: number, columns: UserColumns): Promise<void> {
  await changeUsers(db, (builder) => builder('id', '=', id), columns);
}
