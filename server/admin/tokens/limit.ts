// How many tokens one user may have.
import { AppError } from '#contract/errors.ts';
import { TOKEN_MAX_PER_USER } from '#contract/admin/tokens.ts';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** The first number of the advisory lock; no other lock of the product uses it. */
const LOCK_SPACE = 7_001;

export async function refuseTooMany(
  dialect: Store['dialect'],
  transaction: Transaction<Schema>,
  userId: number,
  more: number,
): Promise<void> {
  // SQLite has one writer; on PostgreSQL two concurrent creations would count the same rows.
  if (dialect === 'postgres') {
    await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${userId}::int)`.execute(transaction);
  }
  const { total } = await transaction
    .selectFrom('tokens')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (total + more > TOKEN_MAX_PER_USER) {
    throw new AppError('token_limit_reached', { limit: TOKEN_MAX_PER_USER });
  }
}
