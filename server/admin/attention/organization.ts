// What needs somebody of an organization: its balance and keys, budgets that are used up or will be, what waits for an answer, and its
// sign-on. Only what the reader's role lets them see; people outside the organization see nothing.
import { ATTENTION_KINDS } from '#contract/admin/attention-kinds.ts';
import { KEY_READERS, MONEY_READERS } from '#contract/admin/attention-organization-kinds.ts';
import { reachOf, type OrganizationRole } from '#contract/admin/organization-rights.ts';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type OrganizationScope, type RequestContext } from '#server/admin/context.ts';
import type { AttentionDependencies, OrganizationFacts } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';
import { checkOrganizationKeys, checkWallet } from './organization-account.ts';
import { checkSignOn } from './sign-on.ts';

export async function checkOrganization(
  dependencies: AttentionDependencies,
  { id, role }: OrganizationScope,
  context: RequestContext,
): Promise<Found[]> {
  const { id: readerId } = callerOf(context);
  const reach = reachOf(role, KEY_READERS.sees);
  const [money, keys, facts] = await Promise.all([
    reachOf(role, MONEY_READERS.sees) === undefined ? [] : checkWallet(dependencies, id),
    reach === undefined
      ? []
      : checkOrganizationKeys(dependencies, {
          organizationId: id,
          memberId: reach === 'all' ? undefined : readerId,
        }),
    dependencies.organizationFacts(context),
  ]);
  const now = nowSeconds(dependencies);
  const items = [
    ...suspended(facts, id),
    // Nothing is refused for the balance while all is refused.
    ...(facts.suspension === undefined ? money : []),
    ...keys,
    ...facts.budgets.flatMap(ofBudget),
    ...waiting(facts, id, now),
    ...ofOffer(facts, id, readerId),
    ...(facts.signOn === undefined ? [] : checkSignOn(facts.signOn, id, now)),
  ];
  return items.flatMap((item) => readBy(role, item));
}

/** As the kind says who sees it, and who does more than look. */
function readBy(role: OrganizationRole, item: Found): Found[] {
  const { readers } = ATTENTION_KINDS[item.kind];
  if (readers === undefined || reachOf(role, readers.sees) === undefined) return [];
  const mayAct = readers.acts === undefined || reachOf(role, readers.acts) !== undefined;
  return [mayAct ? item : { ...item, action: 'look' }];
}

function suspended({ suspension }: OrganizationFacts, id: number): Found[] {
  if (suspension === undefined) return [];
  const { reason, members } = suspension;
  return [
    found('organization_suspended', {
      of: id,
      mark: reason,
      since: 0,
      subjects: [],
      count: 1,
      users: members,
      values: { reason: reason.replace(/[.。]+$/, '') },
      address: '/about',
    }),
  ];
}

function ofOffer({ offer }: OrganizationFacts, id: number, readerId: number): Found[] {
  if (offer === null) return [];
  const isMine = offer.user_id === readerId;
  return [
    found(isMine ? 'ownership_offered' : 'ownership_waits', {
      of: id,
      mark: String(offer.id),
      since: offer.created_at,
      subjects: [{ kind: 'user', id: String(offer.user_id), name: offer.username }],
      values: { from: offer.offered_by_name, to: offer.username, ends_at: offer.expires_at },
      address: isMine ? '/invitation' : '/organization-settings',
    }),
  ];
}

function ofBudget(budget: BudgetView): Found[] {
  // Of a tag, whose values have the amount each: the one that has spent most.
  const { name, quota, is_hard, resets_at, window_start } = budget;
  const over = budget.counters.filter(({ left }) => left === 0);
  const [first] = over;
  const about = {
    of: budget.id,
    since: 0,
    subjects: [{ kind: 'budget' as const, id: String(budget.id), name }],
    address: '/budgets',
  };
  if (first !== undefined)
    return [
      found('budget_over', {
        ...about,
        severity: is_hard ? 'stop' : 'wait',
        mark: `${window_start} ${markOf([quota, ...over.map((counter) => counter.id)])}`,
        values: {
          value: first.value,
          spent_quota: first.spent,
          limit_quota: quota + first.extra,
          hard: is_hard ? 1 : 0,
          soft: is_hard ? 0 : 1,
          resets_at,
        },
      }),
    ];
  const { forecast, extra, spent } = budget;
  if (budget.left === null || forecast === null || forecast <= quota + extra) return [];
  return [
    found('budget_forecast', {
      ...about,
      mark: `${window_start} ${quota + extra}`,
      values: {
        spent_quota: spent,
        limit_quota: quota + extra,
        forecast_quota: forecast,
        resets_at,
      },
    }),
  ];
}

function waiting({ requests, invitations, moves }: OrganizationFacts, id: number, now: number): Found[] {
  const items: Found[] = [];
  const [asked] = requests;
  if (asked !== undefined)
    items.push(
      found('budget_requested', {
        of: id,
        mark: markOf(requests.map((request) => request.id)),
        since: asked.created_at,
        subjects: requests.map((request) => ({
          kind: 'budget',
          id: String(request.id),
          name: request.budget,
        })),
        values: { member: asked.member, more_quota: asked.amount },
        address: '/budgets',
      }),
    );
  const [invited] = invitations;
  if (invited !== undefined)
    items.push(
      found('invitation_waits', {
        of: id,
        mark: markOf(invitations.map((each) => `${each.id} ${each.expires_at <= now}`)),
        since: invited.created_at,
        subjects: invitations.map((each) => ({ kind: 'invitation', id: String(each.id), name: each.to })),
        values: { expired: invitations.filter(({ expires_at }) => expires_at <= now).length },
        address: '/members?view=invitations',
      }),
    );
  const [move] = moves;
  if (move !== undefined)
    items.push(
      found('move_waits', {
        of: id,
        mark: markOf(moves.map((each) => each.id)),
        since: move.created_at,
        subjects: [],
        count: moves.length,
        held_quota: moves.reduce((sum, { amount }) => sum + amount, 0),
        values: { out_quota: moves.reduce((sum, { amount }) => sum + amount, 0) },
        address: '/topup',
      }),
    );
  return items;
}
