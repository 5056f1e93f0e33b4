// Budgets of LiteLLM: a hard and a soft one, in the row or in the shared table of budgets.
import { sourceBudget } from '#server/operating/import-export/organizations/budgets.ts';
import type { OrganizationJob, SourceBudget } from '#server/operating/import-export/organizations/model.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';

const KINDS = [
  { field: 'max_budget', isHard: true, suffix: '' },
  { field: 'soft_budget', isHard: false, suffix: ' (soft)' },
] as const;

export function budgetsOf(
  job: Pick<OrganizationJob, 'scale' | 'clock'>,
  { id, name, row, shared }: { id: string; name: string; row: Fields; shared: Fields | undefined },
): SourceBudget[] {
  const whole = row.orElse(shared, ['max_budget', 'soft_budget', 'budget_duration', 'budget_reset_at']);
  return KINDS.filter(({ field }) => whole.text(field) !== '').map(({ field, isHard, suffix }) =>
    sourceBudget(job, {
      id: `${id}${suffix}`,
      name: `${name}${suffix}`,
      field,
      dollars: whole.decimal(field),
      spentDollars: whole.decimal('spend'),
      duration: whole.text('budget_duration'),
      resetsAt: whole.seconds('budget_reset_at'),
      isHard,
    }),
  );
}

const OF_MODELS = ['model_max_budget', 'budget_limits'] as const;

export function leaveModelBudgets(
  { report }: Pick<OrganizationJob, 'report'>,
  name: string,
  rows: readonly (Fields | undefined)[],
): void {
  for (const row of rows)
    for (const field of OF_MODELS) {
      const text = row?.text(field) ?? '';
      if (['', 'null', '{}', '[]'].includes(text)) continue;
      report.count(report.found, 'budgets');
      report.leave(
        'budgets',
        `${field}: what was spent on single models is not in the tables, make it anew`,
        name,
      );
    }
}
