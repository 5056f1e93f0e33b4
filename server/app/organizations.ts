// Joins organizations with the nouns whose rows their verbs change: keys, balances, mail.
import type { LeaveOrganizations } from '#server/admin/accounts.ts';
import {
  createOrganizationHandlers,
  leaveAll,
  type LetterQueue,
  type OrganizationDependencies,
} from '#server/admin/organizations/index.ts';
import { organizationKeys as keys } from '#server/admin/tokens/of-organization.ts';
import { adjustQuota } from '#server/admin/users/adjust-quota.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';

interface OrganizationParts {
  store: Store;
  settings: OrganizationDependencies['settings'];
  ledger: Ledger;
  letters: LetterQueue;
}

export function joinOrganizations({ store, settings, ledger, letters }: OrganizationParts) {
  const leaveOrganizations: LeaveOrganizations = (transaction, actor, userId) =>
    leaveAll({ store, keys }, transaction, actor, userId);
  const handlers = createOrganizationHandlers({
    store,
    settings,
    ledger,
    keys,
    letters,
    adjustBalance: (transaction, caller, user, request) =>
      adjustQuota({ ledger }, transaction, { caller, user, request, difference: request.quota_change }),
  });
  return { handlers, leaveOrganizations };
}
