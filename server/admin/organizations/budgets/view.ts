// Budgets as the API shows them: with what is spent and held in the window of now, and what it will come to.
import type { Kysely } from 'kysely';
import { BUDGET_VALUES_SHOWN, type BudgetView } from '#contract/admin/organization-budgets.ts';
import { unixSeconds } from '#contract/time.ts';
import { counterWindow, type Counter, type CounterClock } from '#server/money/ledger/budget-counters.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { OrganizationDependencies } from '#server/admin/organizations/dependencies.ts';

export type BudgetParts = Pick<OrganizationDependencies, 'store' | 'settings'>;
type Budget = Row<'budgets'>;

/** A forecast of the first hour would be wild. */
const FORECAST_AFTER_SECONDS = 3600;

export async function counterClock({ store, settings }: BudgetParts): Promise<CounterClock> {
  const now = unixSeconds();
  return { zones: await readBudgetZones(store, settings.current.SiteTimeZone, now), now };
}

/** Those that were not deleted, by name. */
export const budgetsOf = (db: Kysely<Schema>, organizationId: number) =>
  db
    .selectFrom('budgets')
    .selectAll('budgets')
    .where('budgets.organization_id', '=', organizationId)
    .where('budgets.ended_at', '=', 0)
    .orderBy('budgets.name')
    .orderBy('budgets.id');

export async function budgetViews(parts: BudgetParts, rows: readonly Budget[]): Promise<BudgetView[]> {
  if (rows.length === 0) return [];
  const { db } = parts.store;
  const clock = await counterClock(parts);
  const counters = Map.groupBy(
    await db
      .selectFrom('budget_counters')
      .selectAll()
      .where(
        'budget_id',
        'in',
        rows.map(({ id }) => id),
      )
      .orderBy('id')
      .execute(),
    ({ budget_id }) => budget_id,
  );
  const names = await subjectNames(db, rows);
  return rows.map((row) => {
    const subject = names.get(`${row.subject}:${row.subject_id}`);
    return viewOf(row, counters.get(row.id) ?? [], { clock, subject });
  });
}

interface Subject {
  name: string;
  isGone: boolean;
}

function viewOf(
  row: Budget,
  counters: readonly Counter[],
  { clock, subject }: { clock: CounterClock; subject: Subject | undefined },
): BudgetView {
  const { start, end } = counterWindow(row.period, clock);
  // The next call ends the window of a counter that was not used since.
  const views = counters.map((counter) => {
    const isOver = clock.now >= counter.window_end;
    const { id, value, held } = counter;
    const spent = isOver ? 0 : counter.spent;
    const extra = isOver ? 0 : counter.extra;
    return { id, value, spent, held, extra, left: Math.max(0, row.quota + extra - spent - held) };
  });
  const isEach = row.subject === 'tag' && row.tag_value === '';
  const total = (field: 'spent' | 'held' | 'extra') => views.reduce((sum, view) => sum + view[field], 0);
  const [only] = views;
  return {
    id: row.id,
    name: row.name,
    quota: row.quota,
    is_hard: row.is_hard === 1,
    models: row.models,
    subject: row.subject,
    subject_id: row.subject_id,
    subject_name: subject?.name ?? '',
    tag_key: row.tag_key,
    tag_value: row.tag_value,
    period: row.period,
    created_at: row.created_at,
    ended: hasRow(row) && (subject === undefined || subject.isGone),
    window_start: start,
    resets_at: row.period === 'total' ? 0 : end,
    spent: total('spent'),
    held: total('held'),
    extra: total('extra'),
    left: isEach || only === undefined ? null : only.left,
    forecast: row.period === 'total' ? null : forecastOf(total('spent'), row, { start, end }, clock.now),
    counters: views.toSorted((one, other) => other.spent - one.spent).slice(0, BUDGET_VALUES_SHOWN),
  };
}

const hasRow = ({ subject }: Budget) => subject !== 'organization' && subject !== 'tag';

/** At the pace since the window began, or since the budget was made. */
function forecastOf(
  spent: number,
  { created_at }: Budget,
  { start, end }: { start: number; end: number },
  now: number,
): number | null {
  const since = Math.max(start, created_at);
  const seconds = now - since;
  if (seconds < FORECAST_AFTER_SECONDS) return null;
  return Math.round(spent + (spent / seconds) * Math.max(0, end - now));
}

/** By subject and id. */
async function subjectNames(
  db: Kysely<Schema>,
  rows: readonly Budget[],
): Promise<ReadonlyMap<string, Subject>> {
  const idsOf = (subject: Budget['subject']) => [
    0,
    ...rows.filter((row) => row.subject === subject).map(({ subject_id }) => subject_id),
  ];
  const [projects, members, tokens] = await Promise.all([
    db
      .selectFrom('projects')
      .select(['id', 'name', 'archived_at'])
      .where('id', 'in', idsOf('project'))
      .execute(),
    db.selectFrom('users').select(['id', 'username']).where('id', 'in', idsOf('member')).execute(),
    db.selectFrom('tokens').select(['id', 'name', 'deleted_at']).where('id', 'in', idsOf('token')).execute(),
  ]);
  return new Map<string, Subject>([
    ...projects.map((row) => [`project:${row.id}`, { name: row.name, isGone: row.archived_at > 0 }] as const),
    ...members.map((row) => [`member:${row.id}`, { name: row.username, isGone: false }] as const),
    ...tokens.map((row) => [`token:${row.id}`, { name: row.name, isGone: row.deleted_at !== null }] as const),
  ]);
}
