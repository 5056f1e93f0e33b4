// Which tokens a call reaches: the caller's own; or of the organization that it acts for those of the caller, or all.
import { accountOf, onlyMemberOf, type RequestContext } from '#server/admin/context.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';

export interface TokenReach {
  /** The account that pays. */
  userId: number;
  /** Its price group. */
  group: string;
  organizationId: number | undefined;
  /** Only this member's. */
  memberId: number | undefined;
}

export function reachOf(context: RequestContext): TokenReach {
  const { id: userId, group, organization } = accountOf(context);
  return { userId, group, organizationId: organization?.id, memberId: onlyMemberOf(context) };
}

export function isWithin(
  builder: ExpressionBuilder<Schema, 'tokens'>,
  { userId, memberId }: Pick<TokenReach, 'userId' | 'memberId'>,
): Expression<SqlBool> {
  const ofAccount = builder('tokens.user_id', '=', userId);
  return memberId === undefined ? ofAccount : ofAccount.and('tokens.member_id', '=', memberId);
}

/** What an audit row of several tokens concerns. */
export function accountTarget({ userId, organizationId }: TokenReach): AuditTarget {
  return organizationId === undefined ? `user:${userId}` : `organization:${organizationId}`;
}
