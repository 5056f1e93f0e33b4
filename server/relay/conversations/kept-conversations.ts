// Conversations of OpenAI's API, kept here and not at an upstream: each belongs to one person, or to a project of an
// organization, is bounded in size and expires a month after its last use. A Responses call that names one reads its items and adds its own.
import { randomBytes } from 'node:crypto';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Log } from '#contract/context.ts';
import { unixSeconds } from '#contract/time.ts';
import { member, text, type Json } from '#server/models/formats/json.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Owner } from '#server/relay/request/owner.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface KeptConversation {
  readonly id: string;
  readonly createdAt: number;
  readonly metadata: Json;
  /** Of the last answer; 0 before the first. */
  readonly channelId: number;
}

export interface KeptConversations {
  create(owner: Owner, metadata: Json, items: readonly Json[]): Promise<KeptConversation>;
  find(owner: Owner, id: string): Promise<KeptConversation>;
  describe(owner: Owner, id: string, metadata: Json): Promise<KeptConversation>;
  remove(owner: Owner, id: string): Promise<void>;
  /** All items in their order, with their ids. */
  items(owner: Owner, id: string): Promise<Json[]>;
  /** Before a call is sent: there is room for its input, and so for an answer. */
  refuseFull(owner: Owner, kept: readonly Json[], added: readonly Json[]): Promise<void>;
  add(owner: Owner, id: string, items: readonly Json[]): Promise<Json[]>;
  removeItem(owner: Owner, id: string, itemId: string): Promise<KeptConversation>;
  /** Adds a turn whose answer was paid for, however large. Never throws: a failure must not fail the call. */
  append(owner: Owner, id: string, turn: { channelId: number; items: readonly Json[] }): Promise<void>;
}

const KEPT_SECONDS = 30 * 24 * 60 * 60;
const MOST_CONVERSATIONS = 1000;
const MOST_ITEMS = 2000;
const LONGEST_CONVERSATION = 4 * 1024 * 1024;
const MOST_OF_USER = 32 * 1024 * 1024;

const lengthOf = (rows: readonly { item: string }[]): number =>
  rows.reduce((sum, { item }) => sum + item.length, 0);

export async function removeExpiredKeptConversations({ db }: Store): Promise<void> {
  const expired = db.selectFrom('conversations').select('id').where('expires_at', '<', unixSeconds());
  await db.deleteFrom('conversation_items').where('conversation_id', 'in', expired).execute();
  await db.deleteFrom('conversations').where('expires_at', '<', unixSeconds()).execute();
}

export function createKeptConversations({ db }: Store, log: Log): KeptConversations {
  return {
    async create(owner, metadata, items) {
      await refuseFullUser(db, owner, JSON.stringify(items).length, true);
      const id = `conv_${randomBytes(24).toString('hex')}`;
      const created_at = unixSeconds();
      await db
        .insertInto('conversations')
        .values({
          id,
          user_id: owner.userId,
          project_id: owner.organization?.projectId ?? 0,
          created_at,
          expires_at: created_at + KEPT_SECONDS,
          metadata: JSON.stringify(metadata),
        })
        .execute();
      if (items.length > 0) await insert(db, owner, id, items, { isBounded: true });
      return { id, createdAt: created_at, metadata, channelId: 0 };
    },
    async find(owner, id) {
      return shown(await findOwned(db, owner, id));
    },
    async describe(owner, id, metadata) {
      const row = await findOwned(db, owner, id);
      const expires_at = unixSeconds() + KEPT_SECONDS;
      await db
        .updateTable('conversations')
        .set({ metadata: JSON.stringify(metadata), expires_at })
        .where('id', '=', row.id)
        .execute();
      return { ...shown(row), metadata };
    },
    async remove(owner, id) {
      const row = await findOwned(db, owner, id);
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('conversation_items').where('conversation_id', '=', row.id).execute();
        await transaction.deleteFrom('conversations').where('id', '=', row.id).execute();
      });
    },
    async items(owner, id) {
      const row = await findOwned(db, owner, id);
      const rows = await db
        .selectFrom('conversation_items')
        .select('item')
        .where('conversation_id', '=', row.id)
        .orderBy('id')
        .execute();
      return rows.map(({ item }) => member(JSON.parse(item)));
    },
    async refuseFull(owner, kept, added) {
      const length = JSON.stringify(added).length;
      if (
        kept.length + added.length >= MOST_ITEMS ||
        JSON.stringify(kept).length + length >= LONGEST_CONVERSATION
      )
        throw conversationFull();
      await refuseFullUser(db, owner, length, false);
    },
    async add(owner, id, items) {
      await findOwned(db, owner, id);
      await refuseFullUser(db, owner, JSON.stringify(items).length, false);
      return await insert(db, owner, id, items, { isBounded: true });
    },
    async removeItem(owner, id, itemId) {
      const row = await findOwned(db, owner, id);
      await removeItem(db, row.id, itemId);
      return shown(row);
    },
    async append(owner, id, { channelId, items }) {
      try {
        await insert(db, owner, id, items, { isBounded: false, channelId });
      } catch (error) {
        // Its caller may have deleted it meanwhile.
        if (!(error instanceof RelayError)) log.warn('a turn of a conversation could not be kept', { error });
      }
    },
  };
}

type Database = Store['db'];

/** A person's own; in an organization those of the key's project, and those from before they belonged to projects. */
const isReached = ({ userId, organization }: Owner): RawBuilder<SqlBool> =>
  sql`user_id = ${userId} and project_id in (0, ${organization?.projectId ?? 0})`;

async function findOwned(db: Database, owner: Owner, id: string) {
  // PostgreSQL cannot compare with every text, such as one with a NUL.
  if (!IS_ITEM_ID.test(id)) throw unknownConversation(id);
  const row = await db
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', id)
    .where(isReached(owner))
    .where('expires_at', '>', unixSeconds())
    .executeTakeFirst();
  if (row === undefined) throw unknownConversation(id);
  return row;
}

async function refuseFullUser(db: Database, { userId }: Owner, added: number, isNew: boolean): Promise<void> {
  const { count, bytes } = await db
    .selectFrom('conversations')
    .select(({ fn }) => [fn.countAll().as('count'), fn.sum('bytes').as('bytes')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (isNew && Number(count) >= MOST_CONVERSATIONS)
    throw new RelayError('conversations_full', { count: MOST_CONVERSATIONS });
  if (Number(bytes ?? 0) + added > MOST_OF_USER)
    throw new RelayError('conversation_full', { kilobytes: MOST_OF_USER / 1024 }, { param: 'items' });
}

/** The rows of the items, each with an id that the conversation has not. */
async function rowsFor(db: Database, id: string, items: readonly Json[]) {
  const named = items.map((item) => text(item['id'])).filter((name) => IS_ITEM_ID.test(name));
  const taken = new Set(
    named.length === 0
      ? []
      : (
          await db
            .selectFrom('conversation_items')
            .select('item_id')
            .where('conversation_id', '=', id)
            .where('item_id', 'in', named)
            .execute()
        ).map(({ item_id }) => item_id),
  );
  return items.map((item) => {
    const given = text(item['id']);
    const item_id = IS_ITEM_ID.test(given) && !taken.has(given) ? given : newItemId(item);
    taken.add(item_id);
    return { conversation_id: id, item_id, item: JSON.stringify({ ...item, id: item_id }) };
  });
}

async function insert(
  db: Database,
  owner: Owner,
  id: string,
  items: readonly Json[],
  { isBounded, channelId }: { isBounded: boolean; channelId?: number },
): Promise<Json[]> {
  return await db.transaction().execute(async (transaction) => {
    const rows = await rowsFor(transaction, id, items);
    const bytes = lengthOf(rows);
    let update = transaction
      .updateTable('conversations')
      .set(({ eb }) => ({
        bytes: eb('bytes', '+', bytes),
        items: eb('items', '+', rows.length),
        expires_at: unixSeconds() + KEPT_SECONDS,
        ...(channelId === undefined ? {} : { channel_id: channelId }),
      }))
      .where('id', '=', id)
      .where(isReached(owner));
    if (isBounded)
      update = update
        .where('bytes', '<=', LONGEST_CONVERSATION - bytes)
        .where('items', '<=', MOST_ITEMS - rows.length);
    const { numUpdatedRows } = await update.executeTakeFirst();
    if (numUpdatedRows === 0n) {
      await findOwned(transaction, owner, id);
      throw conversationFull();
    }
    if (rows.length > 0) await transaction.insertInto('conversation_items').values(rows).execute();
    return rows.map(({ item }) => member(JSON.parse(item)));
  });
}

async function removeItem(db: Database, id: string, itemId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const removed = await transaction
      .deleteFrom('conversation_items')
      .where('conversation_id', '=', id)
      .where('item_id', '=', itemId)
      .returning('item')
      .execute();
    if (removed.length === 0) throw unknownItem(itemId);
    await transaction
      .updateTable('conversations')
      .set(({ eb }) => ({
        bytes: eb('bytes', '-', lengthOf(removed)),
        items: eb('items', '-', removed.length),
      }))
      .where('id', '=', id)
      .execute();
  });
}

const conversationFull = (): RelayError =>
  new RelayError('conversation_full', { kilobytes: LONGEST_CONVERSATION / 1024 }, { param: 'conversation' });

function unknownConversation(id: string): RelayError {
  const options = { type: 'invalid_request_error', param: 'conversation' };
  return new RelayError('conversation_unknown', { id: id.slice(0, 100) }, options);
}

export function unknownItem(id: string): RelayError {
  const options = { type: 'invalid_request_error', param: 'item_id' };
  return new RelayError('item_unknown', { id: id.slice(0, 100) }, options);
}

const IS_ITEM_ID = /^[\w-]{1,100}$/;

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
};
const newItemId = (item: Json): string =>
  `${PREFIXES[text(item['type'])] ?? 'item'}_${randomBytes(24).toString('hex')}`;

function shown(row: {
  id: string;
  created_at: number;
  metadata: string;
  channel_id: number;
}): KeptConversation {
  const metadata = row.metadata === '' ? {} : member(JSON.parse(row.metadata));
  return { id: row.id, createdAt: row.created_at, metadata, channelId: row.channel_id };
}
