// The budgets of the organization, or those that bound the caller's own calls.
import type { budgets } from '#contract/admin/organization-budgets.ts';
import { hasRight } from '#contract/admin/organization-rights.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { scopeIn } from '#server/admin/organizations/acting.ts';
import { budgetsOf, budgetViews, type BudgetParts } from './view.ts';

export function listBudgets(parts: BudgetParts): Handler<typeof budgets.list> {
  return async (_, context) => {
    const { id, role } = scopeIn(context);
    const query = budgetsOf(parts.store.db, id);
    if (hasRight(role, 'budgets.read')) return await budgetViews(parts, await query.execute());
    const own = await query.$call(boundingCallsOf(id, callerOf(context).id)).execute();
    // What others spend by a tag is not theirs to see.
    return (await budgetViews(parts, own)).map((view) =>
      view.subject === 'tag' ? { ...view, counters: [] } : view,
    );
  };
}

/** The organization's, those of the member, and those of their keys and the projects of these. */
export const boundingCallsOf =
  (organizationId: number, memberId: number) =>
  (query: ReturnType<typeof budgetsOf>): ReturnType<typeof budgetsOf> =>
    query.where((builder) => {
      const keys = builder
        .selectFrom('tokens')
        .where('tokens.user_id', '=', organizationId)
        .where('tokens.member_id', '=', memberId)
        .where('tokens.deleted_at', 'is', null);
      return builder.or([
        builder('budgets.subject', 'in', ['organization', 'tag']),
        builder.and([
          builder('budgets.subject', '=', 'member'),
          builder('budgets.subject_id', '=', memberId),
        ]),
        builder.and([
          builder('budgets.subject', '=', 'token'),
          builder('budgets.subject_id', 'in', keys.select('tokens.id')),
        ]),
        builder.and([
          builder('budgets.subject', '=', 'project'),
          builder('budgets.subject_id', 'in', keys.select('tokens.project_id')),
        ]),
      ]);
    });
