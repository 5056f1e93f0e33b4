// What of an organization may need somebody: whether it is suspended, budgets, requests for more of them, invitations, an offered
// ownership, money that waits to leave, and its sign-on. Each only for those whose role lets them see it.
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { ORGANIZATION_KINDS } from '#contract/admin/attention-organization-kinds.ts';
import { reachOf } from '#contract/admin/organization-rights.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { scopeIn } from './acting.ts';
import { budgetsOf, budgetViews, type BudgetParts } from './budgets/view.ts';
import { acceptingOwners } from './moves/book.ts';
import { openOffer } from './ownership.ts';
import { signOnFacts } from './sign-on/facts.ts';

/** An invitation that expired without an answer is listed for this many days after it expired. */
const EXPIRED_DAYS = 14;

interface FactParts extends BudgetParts {
  settings: BudgetParts['settings'] & Parameters<typeof signOnFacts>[0]['settings'];
}

export async function organizationFacts(parts: FactParts, context: RequestContext) {
  const { id, role } = scopeIn(context);
  const sees = (kind: keyof typeof ORGANIZATION_KINDS): boolean =>
    reachOf(role, ORGANIZATION_KINDS[kind].readers.sees) !== undefined;
  const [suspension, budgets, requests, invitations, offer, moves, signOn] = await Promise.all([
    suspensionOf(parts, id),
    sees('budget_over') ? openBudgets(parts, context) : [],
    sees('budget_requested') ? openRequests(parts, context) : [],
    sees('invitation_waits') ? waitingInvitations(parts, context) : [],
    openOffer(parts.store.db, id),
    sees('move_waits') ? waitingMoves(parts, context) : [],
    sees('domain_lost') ? signOnFacts(parts, id) : undefined,
  ]);
  return { suspension, budgets, requests, invitations, offer, moves, signOn };
}

/** Undefined: it is not suspended. */
async function suspensionOf(
  { store }: FactParts,
  id: number,
): Promise<{ reason: string; members: number } | undefined> {
  const account = await store.db
    .selectFrom('users')
    .select(['status', 'suspended_reason'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (account === undefined || account.status === USER_STATUS.activated) return undefined;
  const { members } = await store.db
    .selectFrom('organization_members')
    .select((builder) => builder.fn.countAll<number>().as('members'))
    .where('organization_id', '=', id)
    .where('left_at', '=', 0)
    .executeTakeFirstOrThrow();
  return { reason: account.suspended_reason, members };
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
