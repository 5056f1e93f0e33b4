// Invitations, for those who sent them and for those who got them.
import type {
  InvitationView,
  invitations,
  ReceivedInvitation,
} from '#contract/admin/organization-invitations.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Kysely } from 'kysely';
import { scopeIn } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';

export function stateOf(
  { status, expires_at }: Pick<Row<'organization_invitations'>, 'status' | 'expires_at'>,
  now: number,
): InvitationView['state'] {
  return status === 'open' && expires_at <= now ? 'expired' : status;
}

const joined = (db: Kysely<Schema>) =>
  db
    .selectFrom('organization_invitations as invitation')
    .leftJoin('users as receiver', 'receiver.id', 'invitation.user_id')
    .leftJoin('users as inviter', 'inviter.id', 'invitation.invited_by');

type InvitationQuery = ReturnType<typeof joined>;

export async function invitationViews(
  db: Kysely<Schema>,
  narrowed: (query: InvitationQuery) => InvitationQuery,
): Promise<InvitationView[]> {
  const rows = await narrowed(joined(db))
    .select(['invitation.id', 'invitation.email', 'invitation.user_id', 'invitation.role'])
    .select(['invitation.status', 'invitation.invited_by', 'invitation.created_at', 'invitation.expires_at'])
    .select(['invitation.sent_at', 'receiver.username', 'inviter.username as invited_by_name'])
    .orderBy('invitation.id', 'desc')
    .execute();
  const now = unixSeconds();
  return rows.map(({ status, username, invited_by_name, ...row }) => ({
    ...row,
    username: username ?? '',
    invited_by_name: invited_by_name ?? '',
    state: stateOf({ status, expires_at: row.expires_at }, now),
  }));
}

export function listInvitations({
  store,
}: Pick<OrganizationDependencies, 'store'>): Handler<typeof invitations.list> {
  return async ({ query }, context) => {
    const { id } = scopeIn(context);
    const now = unixSeconds();
    const matching = (rows: InvitationQuery): InvitationQuery => {
      const own = rows.where('invitation.organization_id', '=', id).where('invitation.kind', '=', 'join');
      if (query.state === undefined) return own;
      if (query.state === 'expired')
        return own.where('invitation.status', '=', 'open').where('invitation.expires_at', '<=', now);
      const stated = own.where('invitation.status', '=', query.state);
      return query.state === 'open' ? stated.where('invitation.expires_at', '>', now) : stated;
    };
    const pageSize = pageSizeOf(query);
    const [items, { total }] = await Promise.all([
      invitationViews(store.db, (rows) =>
        matching(rows)
          .limit(pageSize)
          .offset((query.p - 1) * pageSize),
      ),
      matching(joined(store.db))
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow(),
    ]);
    return { items, total, page: query.p, page_size: pageSize };
  };
}

const received = (db: Kysely<Schema>) =>
  db
    .selectFrom('organization_invitations as invitation')
    .innerJoin('organizations', 'organizations.id', 'invitation.organization_id')
    .leftJoin('users as inviter', 'inviter.id', 'invitation.invited_by')
    .where('organizations.deleted_at', 'is', null);

type ReceivedQuery = ReturnType<typeof received>;

/** Those that the query names; each with its row, for the verbs that answer it. */
export async function readReceivedInvitations(
  db: Kysely<Schema>,
  narrowed: (query: ReceivedQuery) => ReceivedQuery,
): Promise<ReceivedInvitation[]> {
  const rows = await narrowed(received(db))
    .select(['invitation.id', 'invitation.kind', 'invitation.organization_id', 'invitation.role'])
    .select(['invitation.status', 'invitation.expires_at'])
    .select(['organizations.name as organization_name', 'inviter.username as invited_by_name'])
    .orderBy('invitation.id', 'desc')
    .execute();
  const now = unixSeconds();
  return rows.map(({ status, invited_by_name, ...row }) => ({
    ...row,
    invited_by_name: invited_by_name ?? '',
    state: stateOf({ status, expires_at: row.expires_at }, now),
  }));
}
