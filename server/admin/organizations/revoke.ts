// Revokes open invitations and offers, for the verbs that make them void. Each returns how many.
import type { Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';

const open = (transaction: Transaction<Schema>, organizationId: number) =>
  transaction
    .updateTable('organization_invitations')
    .set({ status: 'revoked', token_digest: null })
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'open');

export async function revokeAll(transaction: Transaction<Schema>, organizationId: number): Promise<number> {
  return Number((await open(transaction, organizationId).executeTakeFirst()).numUpdatedRows);
}

export async function revokeOffers(
  transaction: Transaction<Schema>,
  organizationId: number,
): Promise<number> {
  const offers = open(transaction, organizationId).where('kind', '=', 'ownership');
  return Number((await offers.executeTakeFirst()).numUpdatedRows);
}

/** Of somebody who leaves: what they sent, and what was offered to them. Nobody comes back by an invitation of their own. */
export async function revokeOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  userId: number,
): Promise<number> {
  const theirs = open(transaction, organizationId).where((builder) =>
    builder.or([builder('invited_by', '=', userId), builder('user_id', '=', userId)]),
  );
  return Number((await theirs.executeTakeFirst()).numUpdatedRows);
}

export async function revokeOne(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
): Promise<{ role: string; email: string; user_id: number } | undefined> {
  return await open(transaction, organizationId)
    .where('id', '=', id)
    .where('kind', '=', 'join')
    .returning(['role', 'email', 'user_id'])
    .executeTakeFirst();
}
