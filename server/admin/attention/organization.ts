// What needs somebody of an organization: its balance and keys, budgets that are used up or will be, and what waits for an answer. Only
// what the reader's role lets them see; people outside the organization see nothing.
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type OrganizationScope, type RequestContext } from '#server/admin/context.ts';
import { checkBalance, checkKeys } from './account.ts';
import type { AttentionDependencies, OrganizationFacts } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';

export async function checkOrganization(
  dependencies: AttentionDependencies,
  { id, role }: OrganizationScope,
  context: RequestContext,
): Promise<Found[]> {
  const seesKeys = hasRight(role, 'tokens.read_all');
  const [balance, keys, facts] = await Promise.all([
    hasRight(role, 'billing.read') ? checkBalance(dependencies, id) : [],
    seesKeys || hasRight(role, 'tokens.own')
      ? checkKeys(dependencies, id, seesKeys ? undefined : callerOf(context).id)
      : [],
    dependencies.organizationFacts(context),
  ]);
  const items = [...balance.map((item) => ({ ...item, id: `${item.id}:${id}` })), ...keys];
  return [...items, ...facts.budgets.flatMap(ofBudget), ...waiting(facts, id, nowSeconds(dependencies))];
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
