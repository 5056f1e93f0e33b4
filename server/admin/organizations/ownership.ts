// Hands the ownership over: an owner offers it to a member, and it counts when the member accepts (accept.ts).
import type { organizations, OrganizationView } from '#contract/admin/organizations.ts';
import { INVITATION_DAYS } from '#contract/admin/organization-invitations.ts';
import { AppError } from '#contract/errors.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Kysely } from 'kysely';
import { actFor, memberOf } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { putOfferLetter } from './letters.ts';
import { revokeOffers } from './revoke.ts';

export async function openOffer(
  db: Kysely<Schema>,
  organizationId: number,
): Promise<OrganizationView['ownership_offer']> {
  const row = await db
    .selectFrom('organization_invitations as offer')
    .leftJoin('users as receiver', 'receiver.id', 'offer.user_id')
    .leftJoin('users as owner', 'owner.id', 'offer.invited_by')
    .select(['offer.id', 'offer.user_id', 'offer.invited_by', 'offer.then_role'])
    .select(['offer.created_at', 'offer.expires_at', 'receiver.username', 'owner.username as owner_name'])
    .where('offer.organization_id', '=', organizationId)
    .where('offer.kind', '=', 'ownership')
    .where('offer.status', '=', 'open')
    .where('offer.expires_at', '>', unixSeconds())
    .orderBy('offer.id', 'desc')
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    user_id: row.user_id,
    username: row.username ?? '',
    offered_by: row.invited_by,
    offered_by_name: row.owner_name ?? '',
    then_role: row.then_role || 'owner',
    created_at: row.created_at,
    expires_at: row.expires_at,
  };
}

type Parts = Pick<OrganizationDependencies, 'store' | 'letters' | 'settings'>;

export function offerOwnership(parts: Parts): Handler<typeof organizations.offerOwnership> {
  const { store, letters } = parts;
  return async ({ body: { user_id, then_role } }, context) => {
    const id = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'ownership.hand_over');
      const receiver = await memberOf(transaction, acting.id, user_id);
      if (receiver === undefined || receiver.role === 'owner')
        throw new AppError('ownership_to_member', {}, { field: 'user_id' });
      await revokeOffers(transaction, acting.id);
      const now = unixSeconds();
      await transaction
        .insertInto('organization_invitations')
        .values({
          organization_id: acting.id,
          kind: 'ownership',
          user_id,
          role: 'owner',
          then_role,
          token_digest: null,
          invited_by: acting.caller.id,
          created_at: now,
          expires_at: now + INVITATION_DAYS * DAY_SECONDS,
        })
        .execute();
      const names = { organization: acting.row.name, inviter: acting.caller.username };
      await putOfferLetter(parts, transaction, user_id, names);
      const target = `organization:${acting.id}` as const;
      const after = { user_id, then_role };
      await context.audit(transaction, 'organization.offer_ownership', target, undefined, after);
      return acting.id;
    });
    letters.wake();
    const offer = await openOffer(store.db, id);
    if (offer === null) throw new AppError('not_found');
    return offer;
  };
}

export function withdrawOwnership({
  store,
}: Pick<Parts, 'store'>): Handler<typeof organizations.withdrawOwnership> {
  return async (_, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'ownership.hand_over');
      if ((await revokeOffers(transaction, id)) === 0) throw new AppError('not_found');
      await context.audit(transaction, 'organization.withdraw_ownership', `organization:${id}`);
    });
    return null;
  };
}
