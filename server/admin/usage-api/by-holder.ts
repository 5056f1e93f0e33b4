// Whose calls of an organization were: cells do not say it, log rows do, as far as they are kept.
import { sql } from 'kysely';
import type { ReportScope } from './authenticate.ts';
import type { Span } from './buckets.ts';
import type { OrganizationDependencies } from './dependencies.ts';

interface HolderFilter {
  memberIds?: readonly number[] | undefined;
  projectIds?: readonly number[] | undefined;
}

export const isHolder = (group: string): boolean => group === 'member_id' || group === 'project_id';

export const isOfHolders = ({ memberIds, projectIds }: HolderFilter, groupBy: readonly string[]): boolean =>
  memberIds !== undefined || projectIds !== undefined || groupBy.some(isHolder);

/** Rows may have been cleaned, or not been written at all. Cells follow rows within minutes. */
export async function areRowsKept(
  { store }: OrganizationDependencies,
  { userId }: ReportScope,
  { from, to, seconds }: Span,
): Promise<boolean> {
  if (userId === undefined) return false;
  const { rows } = await sql<{ kept: number; counted: number }>`select
    (select count(*) from logs
      where user_id = ${userId} and type = 2 and created_at >= ${from} and created_at < ${to}) as kept,
    (select cast(coalesce(sum(calls), 0) as bigint) from usage_cells
      where user_id = ${userId} and seconds = ${seconds} and start >= ${from} and start < ${to}) as counted`.execute(
    store.db,
  );
  return rows.every(({ kept, counted }) => kept >= counted);
}
