// Keeps a conversation for its owner. A save names the revision it was based on: another browser's save is not overwritten.
import { MOST_CHATS, type chats } from '#contract/admin/chats.ts';
import { AppError } from '#contract/errors.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import type { ChatDependencies } from './dependencies.ts';
import { countRows } from './limit.ts';
import { chatPlace, sealJson } from './sealed.ts';

export function saveChat(dependencies: ChatDependencies): Handler<typeof chats.save> {
  const { store } = dependencies;
  return async ({ params: { id }, body }, context) => {
    const { id: userId } = callerOf(context);
    const head = { title: body.title, turns: body.turns };
    const columns = {
      updated_at: body.updated_at,
      revision: body.revision + 1,
      head: sealJson(store.vault, head, chatPlace(userId, id, 'head')),
      content: store.vault.seal(body.content, chatPlace(userId, id, 'content')),
    };
    if (body.revision > 0) {
      const changed = await store.db
        .updateTable('kept_chats')
        .set(columns)
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('revision', '=', body.revision)
        .returning('revision')
        .executeTakeFirst();
      if (!changed) throw new AppError('chat_changed_elsewhere');
      return { revision: columns.revision };
    }
    const created_at = nowSeconds(dependencies);
    await store.db.transaction().execute(async (transaction) => {
      const before = await countRows(store, transaction, 'kept_chats', userId);
      if (before >= MOST_CHATS) throw new AppError('chat_limit_reached', { limit: MOST_CHATS });
      const made = await transaction
        .insertInto('kept_chats')
        .values({ id, user_id: userId, created_at, ...columns })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!made) throw new AppError('chat_changed_elsewhere');
    });
    return { revision: columns.revision };
  };
}
