// Makes a budget and its counter. A budget of every value of a tag gets a counter with the first call of each value.
import type { Transaction } from 'kysely';
import { BUDGETS_MAX, type budgets, type BudgetSubject } from '#contract/admin/organization-budgets.ts';
import { modelLimitList } from '#contract/admin/tokens.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { Handler } from '#server/admin/context.ts';
import { openCounter } from '#server/money/ledger/budget-counters.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { actFor, memberOf } from '#server/admin/organizations/acting.ts';
import { budgetsOf, budgetViews, counterClock, type BudgetParts } from './view.ts';
import { auditedBudget } from './audited.ts';

type Body = Input<typeof budgets.create>['body'];

export function createBudget(parts: BudgetParts): Handler<typeof budgets.create> {
  const { store } = parts;
  return async ({ body }, context) => {
    const clock = await counterClock(parts);
    const row = await store.db.transaction().execute(async (transaction) => {
      const { id, caller, row: organization } = await actFor(store, transaction, context, 'budgets.manage');
      await refuseTooMany(transaction, id);
      await refuseTakenName(transaction, id, body.name);
      const made = await transaction
        .insertInto('budgets')
        .values({
          organization_id: id,
          name: body.name,
          ...(await subjectOf(transaction, organization, body)),
          period: body.period,
          quota: body.quota,
          is_hard: body.is_hard === false ? 0 : 1,
          models: modelLimitList(body.models ?? '').join(','),
          created_at: clock.now,
          created_by: caller.id,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      if (made.subject !== 'tag' || made.tag_value !== '') await openCounter(transaction, made, '', clock);
      await context.audit(transaction, 'budget.create', `budget:${made.id}`, undefined, auditedBudget(made));
      return made;
    });
    await store.changes.announce('budgets', String(row.organization_id));
    return await oneBudget(parts, row);
  };
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
  { subject, subject_id = 0, tag_key = '', tag_value = '' }: Body,
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

export async function refuseTakenName(
  transaction: Transaction<Schema>,
  organizationId: number,
  name: string,
): Promise<void> {
  const rows = await budgetsOf(transaction, organizationId).execute();
  if (rows.some((row) => row.name.toLowerCase() === name.toLowerCase()))
    throw new AppError('budget_name_taken', {}, { field: 'name' });
}

async function refuseTooMany(transaction: Transaction<Schema>, organizationId: number): Promise<void> {
  const { total } = await transaction
    .selectFrom('budgets')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('ended_at', '=', 0)
    .executeTakeFirstOrThrow();
  if (total >= BUDGETS_MAX) throw new AppError('budget_limit_reached', { limit: BUDGETS_MAX });
}
