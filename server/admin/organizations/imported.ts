// Organizations of another gateway, by the verbs of the console without its caller: the import checks the values and writes one row
// into the audit log for all of it. Each runs in the caller's transaction; announce `organizations`, `budgets` and `tokens` after it.
import type { NewBudget } from '#contract/admin/organization-budgets.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { changeUser } from '#server/admin/write-user.ts';
import type { CounterClock } from '#server/money/ledger/budget-counters.ts';
import type { RowChange, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Transaction } from 'kysely';
import { lockOrganization } from './acting.ts';
import { insertBudget, refuseTooMany } from './budgets/create.ts';
import { handleOf, insertOrganization } from './create.ts';

export { DEFAULT_PROJECT } from './create.ts';
export { addMember } from './join.ts';
export { insertProject } from './projects.ts';
export { insertServiceAccount } from './service-accounts.ts';

export interface ImportedOrganization {
  name: string;
  owner: number;
  /** Of all its keys together. */
  limits: Pick<RowChange<'users'>, 'requests_per_minute' | 'tokens_per_minute' | 'concurrent_calls'>;
  /** Comma list for its default project; blank: every model. */
  models: string;
  /** Not blank: it is suspended for this reason. */
  suspendedReason: string;
}

/** `taken` has the usernames there are, in lower case; the handle of the account is added. */
export async function openImportedOrganization(
  transaction: Transaction<Schema>,
  { name, owner, limits, models, suspendedReason }: ImportedOrganization,
  taken: Set<string>,
): Promise<number> {
  let username = handleOf(name, 1);
  for (let number = 2; taken.has(username); number += 1) username = handleOf(name, number);
  taken.add(username);
  const id = await insertOrganization(transaction, { name, username, owner, group: 'default' });
  const isSuspended = suspendedReason !== '';
  const status = { status: USER_STATUS.banned, suspended_reason: suspendedReason };
  await changeUser(transaction, id, { ...limits, ...(isSuspended ? status : {}) });
  if (models !== '')
    await transaction
      .updateTable('projects')
      .set({ models })
      .where('organization_id', '=', id)
      .where('is_default', '=', 1)
      .execute();
  return id;
}

export async function addImportedBudget(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  { organizationId, clock, brought }: { organizationId: number; clock: CounterClock; brought: number },
  budget: NewBudget,
): Promise<number> {
  const organization = await lockOrganization(store, transaction, organizationId);
  const { id } = await insertBudget(transaction, { organization, createdBy: 0, clock, brought }, budget);
  await refuseTooMany(transaction, organizationId);
  return id;
}
