// What of an organization may need somebody: budgets, requests for more of them, invitations and money that waits to leave. Each only
// for those whose role lets them see it.
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { hasRight } from '#contract/admin/organization-rights.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { scopeIn } from './acting.ts';
import { budgetsOf, budgetViews, type BudgetParts } from './budgets/view.ts';
import { acceptingOwners } from './moves/book.ts';

/** An invitation that expired without an answer is listed for this many days after it expired. */
const EXPIRED_DAYS = 14;

export async function organizationFacts(parts: BudgetParts, context: RequestContext) {
  const { role } = scopeIn(context);
  const [budgets, requests, invitations, moves] = await Promise.all([
    hasRight(role, 'budgets.read') ? openBudgets(parts, context) : [],
    hasRight(role, 'budgets.manage') ? openRequests(parts, context) : [],
    hasRight(role, 'members.manage') ? waitingInvitations(parts, context) : [],
    hasRight(role, 'billing.release') ? waitingMoves(parts, context) : [],
  ]);
  return { budgets, requests, invitations, moves };
}

async function openBudgets(parts: BudgetParts, context: RequestContext): Promise<BudgetView[]> {
  const views = await budgetViews(parts, await budgetsOf(parts.store.db, scopeIn(context).id).execute());
  return views.filter(({ ended }) => !ended);
}

async function openRequests({ store }: BudgetParts, context: RequestContext) {
  return await store.db
    .selectFrom('budget_requests as request')
    .innerJoin('budgets', 'budgets.id', 'request.budget_id')
    .innerJoin('users', 'users.id', 'request.asked_by')
    .select(['request.id', 'request.amount', 'request.created_at'])
    .select(['budgets.name as budget', 'users.username as member'])
    .where('request.organization_id', '=', scopeIn(context).id)
    .where('request.status', '=', 'open')
    .orderBy('request.id')
    .execute();
}

async function waitingInvitations({ store }: BudgetParts, context: RequestContext) {
  const rows = await store.db
    .selectFrom('organization_invitations as invitation')
    .leftJoin('users', 'users.id', 'invitation.user_id')
    .select(['invitation.id', 'invitation.email', 'invitation.created_at', 'invitation.expires_at'])
    .select('users.username')
    .where('invitation.organization_id', '=', scopeIn(context).id)
    .where('invitation.kind', '=', 'join')
    .where('invitation.status', '=', 'open')
    .where('invitation.expires_at', '>', unixSeconds() - EXPIRED_DAYS * DAY_SECONDS)
    .orderBy('invitation.id')
    .execute();
  return rows.map(({ email, username, ...row }) => ({ ...row, to: username ?? email }));
}

async function waitingMoves({ store }: BudgetParts, context: RequestContext) {
  const { id } = scopeIn(context);
  const reader = callerOf(context).id;
  const rows = await store.db
    .selectFrom('balance_moves')
    .selectAll()
    .where('from_id', '=', id)
    .where('status', '=', 'open')
    .orderBy('id')
    .execute();
  const mine = await Promise.all(
    rows.map(async (row) => (await acceptingOwners(store.db, id, row)).includes(reader)),
  );
  return rows
    .filter((_, at) => mine[at])
    .map(({ id: move, amount, created_at }) => ({ id: move, amount, created_at }));
}
