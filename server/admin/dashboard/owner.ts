// Whose figures a call reads: of an account, or in an organization of one member. The hourly sums know accounts and tokens, not
// members: a member's figures are those of the keys that they have today.
import { accountOf, onlyMemberOf, type RequestContext } from '#server/admin/context.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';

export interface FigureOwner {
  userId: number;
  memberId?: number | undefined;
}

export function ownerIn(context: RequestContext): FigureOwner {
  return { userId: accountOf(context).id, memberId: onlyMemberOf(context) };
}

/** On a table that has accounts and tokens. */
export function ownsCell({ userId, memberId }: FigureOwner): RawBuilder<SqlBool> {
  if (memberId === undefined) return sql`user_id = ${userId}`;
  return sql`user_id = ${userId}
    and token_id in (select id from tokens where user_id = ${userId} and member_id = ${memberId})`;
}

/** On the log, whose rows say whose call it was. */
export function ownsRow({ userId, memberId }: FigureOwner): RawBuilder<SqlBool> {
  return memberId === undefined
    ? sql`user_id = ${userId}`
    : sql`user_id = ${userId} and member_id = ${memberId}`;
}
