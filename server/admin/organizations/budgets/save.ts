// Saves a sheet of budgets: new, changed and removed ones in one transaction, all or none.
import type { budgets } from '#contract/admin/organization-budgets.ts';
import { AppError } from '#contract/errors.ts';
import type { Handler } from '#server/admin/context.ts';
import { actFor } from '#server/admin/organizations/acting.ts';
import { budgetOf, writeChange, writeRemoval } from './change.ts';
import { refuseTakenNames, refuseTooMany, writeBudget } from './create.ts';
import { budgetsOf, budgetViews, counterClock, type BudgetParts } from './view.ts';

export function saveBudgets(parts: BudgetParts): Handler<typeof budgets.save> {
  const { store } = parts;
  return async ({ body: { create, change, remove } }, context) => {
    if (create.length + change.length + remove.length === 0) throw new AppError('nothing_changed');
    const clock = await counterClock(parts);
    const id = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'budgets.manage');
      // Removed ones first: their names are free for the others.
      await eachRow('remove', remove, async (removed) =>
        writeRemoval(transaction, context, await budgetOf(transaction, acting.id, removed)),
      );
      await eachRow('change', change, async ({ id: changed, ...fields }) => {
        const before = await budgetOf(transaction, acting.id, changed);
        await writeChange(transaction, context, before, fields);
      });
      await eachRow('create', create, async (made) => {
        await writeBudget(transaction, context, { acting, clock }, made);
      });
      await refuseTooMany(transaction, acting.id);
      await refuseTakenNames(transaction, acting.id);
      return acting.id;
    });
    await store.changes.announce('budgets', String(id));
    return await budgetViews(parts, await budgetsOf(store.db, id).execute());
  };
}

/** A refusal names the row beside the field. */
async function eachRow<Item>(
  list: 'create' | 'change' | 'remove',
  items: readonly Item[],
  write: (item: Item) => Promise<void>,
): Promise<void> {
  for (const [index, item] of items.entries())
    try {
      await write(item);
    } catch (error) {
      if (error instanceof AppError) {
        const { field } = error.extra;
        error.extra['field'] = `${list}.${index}${typeof field === 'string' ? `.${field}` : ''}`;
      }
      throw error;
    }
}
