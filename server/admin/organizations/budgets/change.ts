// Changes or deletes a budget. Its counters take the change in the same transaction, so the next call is checked against it.
import type { Transaction } from 'kysely';
import { budgets } from '#contract/admin/organization-budgets.ts';
import { modelLimitList } from '#contract/admin/tokens.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { changeCounters } from '#server/money/ledger/budget-counters.ts';
import type { Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import { actFor } from '#server/admin/organizations/acting.ts';
import { auditedBudget, changeableOf } from './audited.ts';
import { oneBudget, refuseTakenNames } from './create.ts';
import type { BudgetParts } from './view.ts';

export function changeBudget(parts: BudgetParts): Handler<typeof budgets.change> {
  const { store } = parts;
  return async ({ params, body }, context) => {
    const row = await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'budgets.manage');
      const before = await budgetOf(transaction, id, params.id);
      if (!(await writeChange(transaction, context, before, body))) throw new AppError('nothing_changed');
      await refuseTakenNames(transaction, id);
      return before;
    });
    await store.changes.announce('budgets', String(row.organization_id));
    return await oneBudget(parts, row);
  };
}

/** False: the body changes nothing. Names are compared afterwards (`refuseTakenNames`). */
export async function writeChange(
  transaction: Transaction<Schema>,
  context: RequestContext,
  before: Row<'budgets'>,
  body: Input<typeof budgets.change>['body'],
): Promise<boolean> {
  const fields = budgets.change.body;
  const present = changeableOf(before);
  const target = `budget:${before.id}` as const;
  await refuseConflict(transaction, { fields, body, present, target });
  const columns = columnsOf(editedFields(fields, body), before);
  if (Object.keys(columns).length === 0) return false;
  await transaction.updateTable('budgets').set(columns).where('id', '=', before.id).execute();
  await changeCounters(transaction, before.id, columns);
  await context.audit(transaction, 'budget.change', target, present, changeableOf({ ...before, ...columns }));
  return true;
}

type Columns = Pick<RowChange<'budgets'>, 'name' | 'quota' | 'is_hard' | 'models'>;

/** Only what changes. */
function columnsOf(
  edited: { name?: string; quota?: number; is_hard?: boolean; models?: string },
  before: Row<'budgets'>,
): Columns {
  const { name, quota, is_hard, models } = edited;
  const wanted: Columns = {
    ...(name === undefined ? {} : { name }),
    ...(quota === undefined ? {} : { quota }),
    ...(is_hard === undefined ? {} : { is_hard: is_hard ? 1 : 0 }),
    ...(models === undefined ? {} : { models: modelLimitList(models).join(',') }),
  };
  const changed = Object.entries(wanted).filter(([field, value]) => before[field as keyof Columns] !== value);
  return Object.fromEntries(changed);
}

export function removeBudget({ store }: BudgetParts): Handler<typeof budgets.remove> {
  return async ({ params }, context) => {
    const id = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'budgets.manage');
      await writeRemoval(transaction, context, await budgetOf(transaction, acting.id, params.id));
      return acting.id;
    });
    await store.changes.announce('budgets', String(id));
    return null;
  };
}

export async function writeRemoval(
  transaction: Transaction<Schema>,
  context: RequestContext,
  row: Row<'budgets'>,
): Promise<void> {
  await endRows(transaction, [row.id]);
  await context.audit(transaction, 'budget.delete', `budget:${row.id}`, auditedBudget(row));
}

/** With the member or the project; announce `budgets` after the commit. Returns how many. */
export async function endBudgetsOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  subject: 'member' | 'project',
  subjectId: number,
): Promise<number> {
  const rows = await transaction
    .selectFrom('budgets')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('subject', '=', subject)
    .where('subject_id', '=', subjectId)
    .where('ended_at', '=', 0)
    .execute();
  await endRows(
    transaction,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Nobody waits for an answer about it any more. Counters stay: running calls settle into them, and audits count them. */
async function endRows(transaction: Transaction<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const ended_at = unixSeconds();
  await transaction.updateTable('budgets').set({ ended_at }).where('id', 'in', ids).execute();
  await transaction
    .updateTable('budget_requests')
    .set({ status: 'declined', decided_at: ended_at })
    .where('budget_id', 'in', ids)
    .where('status', '=', 'open')
    .execute();
}

/** One of another organization does not exist. */
export async function budgetOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
): Promise<Row<'budgets'>> {
  const row = await transaction
    .selectFrom('budgets')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('ended_at', '=', 0)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  return row;
}
