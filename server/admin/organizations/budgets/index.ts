// Budgets of an organization (docs/adr/0109-a-budget-is-a-counter-of-the-ledger.md). Each verb that changes one locks the organization
// first.
import type { budgets } from '#contract/admin/organization-budgets.ts';
import type { Handlers } from '#server/admin/context.ts';
import { changeBudget, removeBudget } from './change.ts';
import { createBudget } from './create.ts';
import { listBudgets } from './list.ts';
import { askForMore, declineRequest, grantRequest, listRequests } from './requests.ts';
import { saveBudgets } from './save.ts';
import { changeTagKeys, readTagKeys } from './tag-keys.ts';
import type { BudgetParts } from './view.ts';

export const createBudgetHandlers = (parts: BudgetParts): Handlers<typeof budgets> => ({
  list: listBudgets(parts),
  create: createBudget(parts),
  save: saveBudgets(parts),
  change: changeBudget(parts),
  remove: removeBudget(parts),
  ask: askForMore(parts),
  requests: listRequests(parts),
  grant: grantRequest(parts),
  decline: declineRequest(parts),
  tagKeys: readTagKeys(parts),
  changeTagKeys: changeTagKeys(parts),
});
