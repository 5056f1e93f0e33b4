// Budgets of organizations, with what was spent in the window that runs: moving in refills none of them.
import { BUDGET_NAME_MAX, BUDGETS_MAX, type NewBudget } from '#contract/admin/organization-budgets.ts';
import { addImportedBudget } from '#server/admin/organizations/imported.ts';
import { cellError } from '#server/operating/import-export/import/checks.ts';
import { withinCap } from '#server/operating/import-export/import/job.ts';
import { CellError } from '#server/operating/import-export/source/fields.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import type { OrganizationJob, SourceBudget } from './model.ts';
import { uniqueName } from './names.ts';
import { quotaInWindow, windowOf } from './windows.ts';

interface ReadBudget {
  id: string;
  name: string;
  /** Of the cell, for a reason. */
  field: string;
  dollars: number;
  spentDollars: number;
  duration: string;
  /** Unix seconds at which it is full again; 0: not known. */
  resetsAt: number;
  isHard: boolean;
}

/** Throws the reason why an amount cannot be brought. */
export function sourceBudget(
  { scale, clock }: Pick<OrganizationJob, 'scale' | 'clock'>,
  { field, dollars, spentDollars, duration, resetsAt, ...budget }: ReadBudget,
): SourceBudget {
  const window = windowOf(duration);
  const isOver = duration !== '' && resetsAt !== 0 && resetsAt <= clock.now;
  return {
    ...budget,
    window,
    quota: withinCap(field, () => quotaInWindow(scale.ofDollars(dollars), window)),
    spent: isOver ? 0 : withinCap('spend', () => scale.ofDollars(spentDollars)),
  };
}

/** What the hard ones leave; undefined without any. */
export function leftOf(budgets: readonly SourceBudget[]): number | undefined {
  const left = budgets.filter(({ isHard }) => isHard).map(({ quota, spent }) => Math.max(0, quota - spent));
  return left.length === 0 ? undefined : Math.min(...left);
}

export interface Owner {
  organizationId: number;
  /** Names of its budgets, in lower case. */
  names: Set<string>;
}

/** Of an organization that is brought or was. */
export async function readOwner({ store }: OrganizationJob, organizationId: number): Promise<Owner> {
  const rows = await store.db
    .selectFrom('budgets')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('ended_at', '=', 0)
    .execute();
  return { organizationId, names: new Set(rows.map(({ name }) => name.toLowerCase())) };
}

export type Subject = Pick<NewBudget, 'subject' | 'subject_id'>;

export async function bringBudgets(
  job: OrganizationJob,
  owner: Owner,
  subject: Subject,
  budgets: readonly SourceBudget[],
): Promise<void> {
  const planned = planBudgets(job, owner, budgets);
  if (planned.length === 0 || job.isDry) return;
  const { report } = job;
  try {
    await job.store.db
      .transaction()
      .execute((transaction) => writeBudgets(job, transaction, { owner, subject, planned }));
  } catch (error) {
    // Its project was archived here, or its member has left.
    const reason = cellError(error);
    if (!(reason instanceof CellError)) throw error;
    report.count(report.brought, 'budgets', -planned.length);
    for (const { name } of planned) report.leave('budgets', reason.message, name);
  }
}

/** Those that are to be made, under their names here; the others are in the report. */
export function planBudgets(
  job: OrganizationJob,
  { names }: Owner,
  budgets: readonly SourceBudget[],
): SourceBudget[] {
  const { report, ids } = job;
  report.count(report.found, 'budgets', budgets.length);
  return budgets.flatMap((budget) => {
    if (ids.find('budgets', budget.id) !== undefined) {
      report.count(report.already, 'budgets');
      return [];
    }
    if (names.size >= BUDGETS_MAX) {
      report.leave('budgets', `an organization has at most ${BUDGETS_MAX} budgets`, budget.name);
      return [];
    }
    const name = uniqueName(budget.name, BUDGET_NAME_MAX, names);
    noteWindow(job, { ...budget, name });
    report.count(report.brought, 'budgets');
    return [{ ...budget, name }];
  });
}

export async function writeBudgets(
  { store, ids, clock }: OrganizationJob,
  transaction: Transaction<Schema>,
  { owner, subject, planned }: { owner: Owner; subject: Subject; planned: readonly SourceBudget[] },
): Promise<void> {
  const { organizationId } = owner;
  for (const { id, name, quota, spent, isHard, window } of planned) {
    const place = { organizationId, clock, brought: spent };
    const budget = { ...subject, name, quota, period: window.period, is_hard: isHard };
    await ids.add(transaction, 'budgets', id, await addImportedBudget(store, transaction, place, budget));
  }
}

export function noteWindow(
  { report, scale }: OrganizationJob,
  { name, window, quota }: Pick<SourceBudget, 'name' | 'window' | 'quota'>,
): void {
  if (window.isUnreadable)
    report.conflict(`budget ${name}: ${window.duration} is not a duration, brought without an end`);
  if (window.share === undefined) return;
  const dollars = quota / scale.ofDollars(1);
  report.conflict(
    `budget ${name}: a window of ${window.duration} does not exist here, brought as $${dollars} for a ${window.period}`,
  );
}
