// What happens to the keys of an organization when a member, a project or a service account goes, in the transaction of that. Each
// returns how many keys it changed; announce `tokens` after the commit. Running calls settle.
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';

type Holder = { memberId: number } | { serviceAccountId: number };

const keysOf = (transaction: Transaction<Schema>, organizationId: number) =>
  transaction.updateTable('tokens').where('user_id', '=', organizationId).where('deleted_at', 'is', null);

async function countOf(query: { executeTakeFirst(): Promise<{ numUpdatedRows: bigint }> }): Promise<number> {
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

export const organizationKeys = {
  disableOfMember: (transaction: Transaction<Schema>, organizationId: number, memberId: number) =>
    countOf(
      keysOf(transaction, organizationId)
        .set({ status: TOKEN_STATUS.disabled })
        .where('member_id', '=', memberId)
        .where('status', '<>', TOKEN_STATUS.disabled),
    ),
  handOver: (transaction: Transaction<Schema>, organizationId: number, memberId: number, to: Holder) =>
    countOf(keysOf(transaction, organizationId).set(holderColumns(to)).where('member_id', '=', memberId)),
  disableOfProject: (transaction: Transaction<Schema>, organizationId: number, projectId: number) =>
    countOf(
      keysOf(transaction, organizationId)
        .set({ status: TOKEN_STATUS.disabled })
        .where('project_id', '=', projectId)
        .where('status', '<>', TOKEN_STATUS.disabled),
    ),
  disableOutsideProjects: (
    transaction: Transaction<Schema>,
    organizationId: number,
    memberId: number,
    projectIds: readonly number[],
  ) =>
    countOf(
      keysOf(transaction, organizationId)
        .set({ status: TOKEN_STATUS.disabled })
        .where('member_id', '=', memberId)
        .where('project_id', 'not in', [...projectIds])
        .where('status', '<>', TOKEN_STATUS.disabled),
    ),
  /** Also of deleted ones, which may be restored. */
  async limitProject(
    transaction: Transaction<Schema>,
    organizationId: number,
    project: Pick<Row<'projects'>, 'id' | 'requests_per_minute' | 'tokens_per_minute'>,
  ): Promise<void> {
    await transaction
      .updateTable('tokens')
      .set(projectColumns(project))
      .where('user_id', '=', organizationId)
      .where('project_id', '=', project.id)
      .execute();
  },
  removeOfServiceAccount: (transaction: Transaction<Schema>, organizationId: number, id: number) =>
    countOf(
      keysOf(transaction, organizationId)
        .set({ deleted_at: unixSeconds() })
        .where('service_account_id', '=', id),
    ),
  removeAll: (transaction: Transaction<Schema>, organizationId: number) =>
    countOf(keysOf(transaction, organizationId).set({ deleted_at: unixSeconds() })),
};

type ProjectColumns = Pick<
  Row<'tokens'>,
  'project_id' | 'project_requests_per_minute' | 'project_tokens_per_minute'
>;

/** A key has a copy of the limits that it shares with the others of its project. */
export const projectColumns = ({
  id,
  requests_per_minute,
  tokens_per_minute,
}: Pick<Row<'projects'>, 'id' | 'requests_per_minute' | 'tokens_per_minute'>): ProjectColumns => ({
  project_id: id,
  project_requests_per_minute: requests_per_minute,
  project_tokens_per_minute: tokens_per_minute,
});

/** Exactly one of the two columns is set. */
export function holderColumns(to: Holder): { member_id: number; service_account_id: number } {
  return 'memberId' in to
    ? { member_id: to.memberId, service_account_id: 0 }
    : { member_id: 0, service_account_id: to.serviceAccountId };
}
