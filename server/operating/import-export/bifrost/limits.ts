// Budgets and rate limits of Bifrost. A customer, team or key may have several budgets with different windows.
import { BUDGETS_OF_UTC, budgetWindow } from '#contract/money/budget-windows.ts';
import { MINUTE_SECONDS } from '#contract/time.ts';
import { sourceBudget } from '#server/operating/import-export/organizations/budgets.ts';
import type { OrganizationJob, SourceBudget } from '#server/operating/import-export/organizations/model.ts';
import { secondsOf, windowOf } from '#server/operating/import-export/organizations/windows.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';
import type { Governance } from './tables.ts';

export interface Owner {
  /** The column that names it in a budget. */
  column: 'customer_id' | 'team_id' | 'virtual_key_id';
  id: string;
  name: string;
  row: Fields;
}

/** Throws the reason why one of them cannot be brought. */
export function budgetsOf(job: OrganizationJob, { budgets }: Governance, owner: Owner): SourceBudget[] {
  const { column, id, name, row } = owner;
  // Older versions, and the file, name the budget in the row of its owner.
  const named = row.text('budget_id');
  const own = budgets.filter(
    (budget) => budget.text(column) === id || (named !== '' && budget.text('id') === named),
  );
  return own.map((budget) => {
    const duration = budget.text('reset_duration');
    const isExtended = budget.text('override_mode') === 'forever';
    if (budget.text('override_mode') === 'cycles' && budget.integer('override_cycles_remaining') > 0)
      job.report.conflict(`budget of ${name}: what was granted on top for some windows is not brought`);
    return sourceBudget(job, {
      id: `${column} ${id} ${budget.text('id') || duration}`,
      name: own.length > 1 ? `${name} (${duration})` : name,
      field: 'max_limit',
      dollars: budget.decimal('max_limit') + (isExtended ? budget.decimal('override_amount') : 0),
      spentDollars: budget.decimal('current_usage'),
      duration,
      resetsAt: resetOf(budget.seconds('last_reset'), duration, row.flag('calendar_aligned') === 1),
      isHard: true,
    });
  });
}

/** 0: not known. Aligned windows end with the day, week or month in UTC; the others run from their last reset. */
function resetOf(lastReset: number, duration: string, isAligned: boolean): number {
  const seconds = secondsOf(duration);
  if (lastReset === 0 || seconds === undefined) return 0;
  const { period, share } = windowOf(duration);
  if (!isAligned || period === 'total' || share !== undefined) return lastReset + seconds;
  return budgetWindow(BUDGETS_OF_UTC, period, lastReset).end;
}

const KINDS = [
  { unit: 'requests', max: 'request_max_limit', every: 'request_reset_duration' },
  { unit: 'tokens', max: 'token_max_limit', every: 'token_reset_duration' },
] as const;

/** Only limits per minute exist here; the others are named in the report. */
export function limitsOf(
  { report }: OrganizationJob,
  { rateLimits }: Governance,
  { name, row }: Pick<Owner, 'name' | 'row'>,
): { requests: number; tokens: number } {
  const limits = { requests: 0, tokens: 0 };
  const limit = rateLimits.get(row.text('rate_limit_id'));
  if (limit === undefined) return limits;
  for (const { unit, max, every } of KINDS) {
    const most = limit.integer(max);
    if (most <= 0) continue;
    if (secondsOf(limit.text(every)) === MINUTE_SECONDS) limits[unit] = most;
    else
      report.conflict(
        `rate limit of ${name}: ${most} ${unit} in ${limit.text(every)} is not brought, limits here are per minute`,
      );
  }
  return limits;
}

export function leaveOthers({ report }: OrganizationJob, { budgets }: Governance): void {
  for (const budget of budgets) {
    if (budget.text('provider_config_id') === '' && budget.text('model_config_id') === '') continue;
    report.count(report.found, 'budgets');
    report.leave('budgets', 'it is for one provider or model of a key, make it anew', budget.text('id'));
  }
}
