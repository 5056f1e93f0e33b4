// Which tags of calls are kept for the organization.
import { budgets } from '#contract/admin/organization-budgets.ts';
import { AppError } from '#contract/errors.ts';
import { refuseConflict } from '#server/admin/based-on.ts';
import type { Handler } from '#server/admin/context.ts';
import { actFor, scopeIn } from '#server/admin/organizations/acting.ts';
import { budgetsOf, type BudgetParts } from './view.ts';

const keysIn = (text: string): string[] => (text === '' ? [] : text.split(','));

export function readTagKeys({ store }: BudgetParts): Handler<typeof budgets.tagKeys> {
  return async (_, context) => {
    const row = await store.db
      .selectFrom('organizations')
      .select('tag_keys')
      .where('id', '=', scopeIn(context).id)
      .executeTakeFirst();
    return { keys: keysIn(row?.tag_keys ?? '') };
  };
}

export function changeTagKeys({ store }: BudgetParts): Handler<typeof budgets.changeTagKeys> {
  return async ({ body }, context) => {
    const keys = [...new Set(body.keys)].toSorted();
    const id = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'organization.manage');
      const target = `organization:${acting.id}` as const;
      const present = { keys: keysIn(acting.row.tag_keys) };
      await refuseConflict(transaction, { fields: budgets.changeTagKeys.body, body, present, target });
      if (keys.join() === present.keys.join()) throw new AppError('nothing_changed');
      const removed = present.keys.filter((key) => !keys.includes(key));
      const used = await budgetsOf(transaction, acting.id).where('subject', '=', 'tag').execute();
      const counted = used.find(({ tag_key }) => removed.includes(tag_key));
      if (counted !== undefined) throw new AppError('tag_key_in_use', { key: counted.tag_key });
      await transaction
        .updateTable('organizations')
        .set({ tag_keys: keys.join(',') })
        .where('id', '=', acting.id)
        .execute();
      await context.audit(transaction, 'organization.change_tags', target, present, { keys });
      return acting.id;
    });
    await store.changes.announce('budgets', String(id));
    return { keys };
  };
}
