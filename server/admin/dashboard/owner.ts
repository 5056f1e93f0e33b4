// Whose figures a call reads: of an account, or in an organization of one member. A member's are those of the calls that were theirs when
// they were made, whoever has the keys today.
import { accountOf, onlyMemberOf, type RequestContext } from '#server/admin/context.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';

export interface FigureOwner {
  userId: number;
  memberId?: number | undefined;
}

export function ownerIn(context: RequestContext): FigureOwner {
  return { userId: accountOf(context).id, memberId: onlyMemberOf(context) };
}

/** The hourly sums that know the owner. Undefined: of everybody. */
export const hoursTable = (owner: FigureOwner | undefined): 'usage_hours' | 'holder_hours' =>
  owner?.memberId === undefined ? 'usage_hours' : 'holder_hours';

/** On that table. */
export function ownsHour({ userId, memberId }: FigureOwner): RawBuilder<SqlBool> {
  if (memberId === undefined) return sql`user_id = ${userId}`;
  return sql`user_id = ${userId} and tag_key = '' and member_id = ${memberId}`;
}

/** On the log, whose rows say whose call it was. */
export function ownsRow({ userId, memberId }: FigureOwner): RawBuilder<SqlBool> {
  return memberId === undefined
    ? sql`user_id = ${userId}`
    : sql`user_id = ${userId} and member_id = ${memberId}`;
}
