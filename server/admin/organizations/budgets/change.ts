// Changes or deletes a budget. Its counters take the change in the same transaction, so the next call is checked against it.
import type { Transaction } from 'kysely';
import { budgets } from '#contract/admin/organization-budgets.ts';
import { modelLimitList } from '#contract/admin/tokens.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handler } from '#server/admin/context.ts';
import { changeCounters } from '#server/money/ledger/budget-counters.ts';
import type { Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import { actFor } from '#server/admin/organizations/acting.ts';
import { auditedBudget, changeableOf } from './audited.ts';
import { oneBudget, refuseTakenName } from './create.ts';
import type { BudgetParts } from './view.ts';

export function changeBudget(parts: BudgetParts): Handler<typeof budgets.change> {
  const { store } = parts;
  return async ({ params, body }, context) => {
    const row = await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'budgets.manage');
      const before = await budgetOf(transaction, id, params.id);
      const fields = budgets.change.body;
      const present = changeableOf(before);
      const target = `budget:${before.id}` as const;
      await refuseConflict(transaction, { fields, body, present, target });
      const columns = columnsOf(editedFields(fields, body), before);
      if (Object.keys(columns).length === 0) throw new AppError('nothing_changed');
      const { name } = columns;
      if (name !== undefined && name.toLowerCase() !== before.name.toLowerCase())
        await refuseTakenName(transaction, id, name);
      await transaction.updateTable('budgets').set(columns).where('id', '=', before.id).execute();
      await changeCounters(transaction, before.id, columns);
      const after = changeableOf({ ...before, ...columns });
      await context.audit(transaction, 'budget.change', target, present, after);
      return before;
    });
    await store.changes.announce('budgets', String(row.organization_id));
    return await oneBudget(parts, row);
  };
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
      const row = await budgetOf(transaction, acting.id, params.id);
      await endRows(transaction, [row.id]);
      await context.audit(transaction, 'budget.delete', `budget:${row.id}`, auditedBudget(row));
      return acting.id;
    });
    await store.changes.announce('budgets', String(id));
    return null;
  };
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
