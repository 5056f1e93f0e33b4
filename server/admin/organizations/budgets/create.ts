// Makes a budget and its counter. A budget of every value of a tag gets a counter with the first call of each value.
import type { Transaction } from 'kysely';
import {
  BUDGETS_MAX,
  type budgets,
  type BudgetSubject,
  type NewBudget,
} from '#contract/admin/organization-budgets.ts';
import { modelLimitList } from '#contract/admin/tokens.ts';
import { AppError } from '#contract/errors.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { openCounter, type CounterClock } from '#server/money/ledger/budget-counters.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { actFor, memberOf, type Acting } from '#server/admin/organizations/acting.ts';
import { budgetsOf, budgetViews, counterClock, type BudgetParts } from './view.ts';
import { auditedBudget } from './audited.ts';

export function createBudget(parts: BudgetParts): Handler<typeof budgets.create> {
  const { store } = parts;
  return async ({ body }, context) => {
    const clock = await counterClock(parts);
    const row = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'budgets.manage');
      const made = await writeBudget(transaction, context, { acting, clock }, body);
      await refuseTooMany(transaction, acting.id);
      await refuseTakenNames(transaction, acting.id);
      return made;
    });
    await store.changes.announce('budgets', String(row.organization_id));
    return await oneBudget(parts, row);
  };
}

/** Afterwards the caller compares names and counts (`refuseTakenNames`, `refuseTooMany`). */
export async function writeBudget(
  transaction: Transaction<Schema>,
  context: RequestContext,
  { acting, clock }: { acting: Acting; clock: CounterClock },
  body: NewBudget,
): Promise<Row<'budgets'>> {
  const made = await insertBudget(
    transaction,
    { organization: acting.row, createdBy: acting.caller.id, clock },
    body,
  );
  await context.audit(transaction, 'budget.create', `budget:${made.id}`, undefined, auditedBudget(made));
  return made;
}

interface Maker {
  organization: Row<'organizations'>;
  /** 0: an import. */
  createdBy: number;
  clock: CounterClock;
  /** Quota units that another gateway charged in the window of now. */
  brought?: number;
}

/** With the organization locked. */
export async function insertBudget(
  transaction: Transaction<Schema>,
  { organization, createdBy, clock, brought = 0 }: Maker,
  body: NewBudget,
): Promise<Row<'budgets'>> {
  const made = await transaction
    .insertInto('budgets')
    .values({
      organization_id: organization.id,
      name: body.name,
      ...(await subjectOf(transaction, organization, body)),
      period: body.period,
      quota: body.quota,
      is_hard: body.is_hard === false ? 0 : 1,
      models: modelLimitList(body.models ?? '').join(','),
      created_at: clock.now,
      created_by: createdBy,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (made.subject !== 'tag' || made.tag_value !== '')
    await openCounter(transaction, made, '', clock, brought);
  return made;
}

export async function oneBudget(
  parts: BudgetParts,
  { organization_id, id }: Pick<Row<'budgets'>, 'organization_id' | 'id'>,
) {
  const rows = await budgetsOf(parts.store.db, organization_id).where('budgets.id', '=', id).execute();
  const [view] = await budgetViews(parts, rows);
  if (view === undefined) throw new AppError('not_found');
  return view;
}

type SubjectColumns = Pick<Row<'budgets'>, 'subject' | 'subject_id' | 'tag_key' | 'tag_value'>;

/** With the organization locked, so that nobody leaves and no project is archived meanwhile. */
async function subjectOf(
  transaction: Transaction<Schema>,
  { id, tag_keys }: Row<'organizations'>,
  { subject, subject_id = 0, tag_key = '', tag_value = '' }: NewBudget,
): Promise<SubjectColumns> {
  const none = { subject_id: 0, tag_key: '', tag_value: '' };
  if (subject === 'organization') return { subject, ...none };
  if (subject === 'tag') {
    if (!tag_keys.split(',').includes(tag_key) || tag_key === '')
      throw new AppError('tag_key_not_allowed', { key: tag_key }, { field: 'tag_key' });
    return { subject, ...none, tag_key, tag_value };
  }
  if (!(await isOf(transaction, id, subject, subject_id)))
    throw new AppError('budget_subject_unknown', {}, { field: 'subject_id' });
  return { subject, ...none, subject_id };
}

async function isOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  subject: Exclude<BudgetSubject, 'organization' | 'tag'>,
  id: number,
): Promise<boolean> {
  if (subject === 'member') return (await memberOf(transaction, organizationId, id)) !== undefined;
  const found =
    subject === 'project'
      ? transaction
          .selectFrom('projects')
          .select('id')
          .where('organization_id', '=', organizationId)
          .where('archived_at', '=', 0)
          .where('id', '=', id)
      : transaction
          .selectFrom('tokens')
          .select('id')
          .where('user_id', '=', organizationId)
          .where('deleted_at', 'is', null)
          .where('id', '=', id);
  return (await found.executeTakeFirst()) !== undefined;
}

/** After the writes: two budgets may change names in one save. */
export async function refuseTakenNames(
  transaction: Transaction<Schema>,
  organizationId: number,
): Promise<void> {
  const rows = await budgetsOf(transaction, organizationId).execute();
  const names = new Set(rows.map(({ name }) => name.toLowerCase()));
  if (names.size < rows.length) throw new AppError('budget_name_taken', {}, { field: 'name' });
}

/** After the writes. */
export async function refuseTooMany(transaction: Transaction<Schema>, organizationId: number): Promise<void> {
  const { total } = await transaction
    .selectFrom('budgets')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('ended_at', '=', 0)
    .executeTakeFirstOrThrow();
  if (total > BUDGETS_MAX) throw new AppError('budget_limit_reached', { limit: BUDGETS_MAX });
}
