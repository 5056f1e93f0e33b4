// Links that show a conversation as it was when the link was made. The secret in the link is random and stored as a digest;
// it opens the page and nothing else.
import { randomBytes } from 'node:crypto';
import {
  MOST_CHAT_CHARACTERS,
  MOST_SHARES,
  SHARED_PATH,
  type chats,
  type SharedChat,
  type ShareView,
} from '#contract/admin/chats.ts';
import { AppError } from '#contract/errors.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { ChatDependencies } from './dependencies.ts';
import { countRows } from './limit.ts';
import { openJson, sealJson, sharePlace } from './sealed.ts';

const SECRET_BYTES = 24;
const SECRET = /^[\w-]{32}$/;
const PURPOSE = 'chat_share';

interface ShareHead {
  title: string;
  secret: string;
}

function viewOf({ vault }: Store, row: Omit<Row<'chat_shares'>, 'content'>): ShareView {
  const { id, chat_id, created_at, digest } = row;
  const { title, secret } = openJson<ShareHead>(vault, row.head, sharePlace(digest, 'head'));
  return { id, chat_id, created_at, title, path: `${SHARED_PATH}${secret}` };
}

const HEAD = ['id', 'digest', 'user_id', 'created_at', 'chat_id', 'head'] as const;

export function listShares({ store }: ChatDependencies): Handler<typeof chats.shares> {
  return async (_, context) => {
    const rows = await store.db
      .selectFrom('chat_shares')
      .select(HEAD)
      .where('user_id', '=', callerOf(context).id)
      .orderBy('id', 'desc')
      .execute();
    return rows.map((row) => viewOf(store, row));
  };
}

export function shareChat(dependencies: ChatDependencies): Handler<typeof chats.share> {
  const { store } = dependencies;
  return async ({ body: { chat_id, chat } }, context) => {
    const { id: userId } = callerOf(context);
    if (JSON.stringify(chat).length > MOST_CHAT_CHARACTERS) throw new AppError('share_too_long');
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const digest = store.vault.digest(PURPOSE, secret);
    const head: ShareHead = { title: chat.title, secret };
    const values = {
      digest,
      user_id: userId,
      created_at: nowSeconds(dependencies),
      chat_id,
      head: sealJson(store.vault, head, sharePlace(digest, 'head')),
      content: sealJson(store.vault, chat, sharePlace(digest, 'content')),
    };
    const made = await store.db.transaction().execute(async (transaction) => {
      const before = await countRows(store, transaction, 'chat_shares', userId);
      if (before >= MOST_SHARES) throw new AppError('share_limit_reached', { limit: MOST_SHARES });
      const row = await transaction
        .insertInto('chat_shares')
        .values(values)
        .returning(HEAD)
        .executeTakeFirstOrThrow();
      await context.audit(transaction, 'chat_share.create', `user:${userId}`, undefined, { id: row.id });
      return row;
    });
    return viewOf(store, made);
  };
}

export function revokeShare({ store }: ChatDependencies): Handler<typeof chats.revoke> {
  return async ({ params: { id } }, context) => {
    const { id: userId } = callerOf(context);
    await store.db.transaction().execute(async (transaction) => {
      const removed = await transaction
        .deleteFrom('chat_shares')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('id')
        .executeTakeFirst();
      if (!removed) throw new AppError('not_found');
      await context.audit(transaction, 'chat_share.revoke', `user:${userId}`, { id });
    });
    return null;
  };
}

const ACTIVE_USER = 1;

/** What the link shows. Undefined when there is no such link, it was revoked, or its owner may not sign in any more. */
export function createSharedChats({ db, vault }: Store): (secret: string) => Promise<SharedChat | undefined> {
  return async (secret) => {
    if (!SECRET.test(secret)) return undefined;
    const digest = vault.digest(PURPOSE, secret);
    const row = await db
      .selectFrom('chat_shares')
      .innerJoin('users', 'users.id', 'chat_shares.user_id')
      .select('chat_shares.content')
      .where('chat_shares.digest', '=', digest)
      .where('users.status', '=', ACTIVE_USER)
      .where('users.deleted_at', 'is', null)
      .executeTakeFirst();
    return row && openJson<SharedChat>(vault, row.content, sharePlace(digest, 'content'));
  };
}
