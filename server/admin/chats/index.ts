// Conversations of the playground that their owner keeps on the server, and links that show one. Only their owner reads
// them; administrators do not.
import type { Kysely } from 'kysely';
import type { chats } from '#contract/admin/chats.ts';
import { AppError } from '#contract/errors.ts';
import { callerOf, type Handlers, type RequestContext } from '#server/admin/context.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { ChatDependencies } from './dependencies.ts';
import { saveChat } from './keep.ts';
import { chatPlace, openJson } from './sealed.ts';
import { listShares, revokeShare, shareChat } from './shares.ts';

export { createSharedChats } from './shares.ts';

export function createChatHandlers(dependencies: ChatDependencies): Handlers<typeof chats> {
  const { db, vault } = dependencies.store;
  const own = (context: RequestContext, id: string) => ({ userId: callerOf(context).id, id });
  return {
    async list(_, context) {
      const { id: userId } = callerOf(context);
      const rows = await db
        .selectFrom('kept_chats')
        .select(['id', 'updated_at', 'revision', 'head'])
        .where('user_id', '=', userId)
        .orderBy('updated_at', 'desc')
        .execute();
      return rows.map(({ id, updated_at, revision, head }) => {
        const place = chatPlace(userId, id, 'head');
        return {
          id,
          updated_at,
          revision,
          ...openJson<{ title: string; turns: number }>(vault, head, place),
        };
      });
    },
    async read({ params }, context) {
      const { userId, id } = own(context, params.id);
      const row = await db
        .selectFrom('kept_chats')
        .select(['revision', 'content'])
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) throw new AppError('not_found');
      return { revision: row.revision, content: vault.open(row.content, chatPlace(userId, id, 'content')) };
    },
    save: saveChat(dependencies),
    async remove({ params }, context) {
      const { userId, id } = own(context, params.id);
      await db.deleteFrom('kept_chats').where('user_id', '=', userId).where('id', '=', id).execute();
      return null;
    },
    shares: listShares(dependencies),
    share: shareChat(dependencies),
    revoke: revokeShare(dependencies),
  };
}

/** Everything of an account that is deleted, in the caller's transaction. */
export async function forgetChats(db: Kysely<Schema>, userId: number): Promise<void> {
  await db.deleteFrom('kept_chats').where('user_id', '=', userId).execute();
  await db.deleteFrom('chat_shares').where('user_id', '=', userId).execute();
}
