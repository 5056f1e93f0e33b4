// How many tokens one user, member or service account may have.
import { AppError } from '#contract/errors.ts';
import { TOKEN_MAX_PER_USER } from '#contract/admin/tokens.ts';
import type { Transaction } from 'kysely';
import { takeLock } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** A person's own. */
const OWN = { member_id: 0, service_account_id: 0 };

export async function refuseTooMany(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  userId: number,
  more: number,
  holder: Pick<Row<'tokens'>, 'member_id' | 'service_account_id'> = OWN,
): Promise<void> {
  // Two concurrent creations would count the same rows.
  await takeLock(store, transaction, 'tokens', userId);
  const { total } = await transaction
    .selectFrom('tokens')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    // In an organization each member and each service account has a limit of its own.
    .where('member_id', '=', holder.member_id)
    .where('service_account_id', '=', holder.service_account_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (total + more > TOKEN_MAX_PER_USER) {
    throw new AppError('token_limit_reached', { limit: TOKEN_MAX_PER_USER });
  }
}
