// State of Responses conversations: the conversation itself when the upstream does not store it, the channel that stores it
// otherwise, and the channel that issued encrypted reasoning (only it can read it again). Rows belong to one person,
// or to a project of an organization, are bounded in size and expire after a day.
import type { Log } from '#contract/context.ts';
import { unixSeconds } from '#contract/time.ts';
import { isObject, member, objects, text, type Json } from '#server/models/formats/json.ts';
import type { Owner } from '#server/relay/request/owner.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Of a call of a virtual model. */
export interface StoredRoute {
  /** The virtual model. */
  readonly asked: string;
  /** The model that answered. */
  readonly served: string;
}

export interface StoredConversation {
  readonly channelId: number;
  /** Input items of the next call. Undefined when the channel's upstream stores the conversation. */
  readonly items: readonly Json[] | undefined;
  /** As the caller reads it. */
  readonly model?: string;
  readonly route?: StoredRoute;
  /** Present only when the conversation is stored here. */
  readonly input?: readonly Json[];
  readonly response?: Json;
}

export interface Conversations {
  find(owner: Owner, responseId: string): Promise<StoredConversation | undefined>;
  /** The channel that issued one of these encrypted items, if known. */
  issuer(owner: Owner, encrypted: readonly string[]): Promise<number | undefined>;
  /** Which of these ids of upstreams were issued to the owner, and by which channel. */
  issuers(owner: Owner, ids: readonly string[]): Promise<Map<string, number>>;
  /** Never throws: a failure to store must not fail the call. */
  remember(owner: Owner, channelId: number, remembered: Remembered): Promise<void>;
  forget(owner: Owner, responseId: string): Promise<void>;
}

export interface Remembered {
  /** Undefined when the caller asked not to store the response. */
  readonly responseId: string | undefined;
  /** The input; undefined when the channel's upstream stores the conversation. */
  readonly items: readonly Json[] | undefined;
  /** The whole response; only the model's name when the upstream stores the conversation. */
  readonly response: Json;
  readonly route?: StoredRoute | undefined;
  readonly encrypted: readonly string[];
  /** Ids of what the upstream keeps and a later call may name. */
  readonly issued?: readonly string[];
}

/** Beside the members of the response, and never shown. */
const ROUTE = 'tollgate_route';
const KEPT_SECONDS = 24 * 60 * 60;
const LONGEST_ITEMS = 512 * 1024;
const MOST_MARKS = 50;
const MOST_NAMED = 200;

/** Keyed by owner: an id given by one never matches another's row. Keys of an organization share those of their project. */
const rowId = ({ userId, organization }: Owner, id: string): string =>
  `${organization === undefined ? userId : `${userId}/${organization.projectId}`}:${id.slice(0, 200)}`;
const markOf = (content: string): string => `enc-${Bun.hash(content).toString(36)}-${content.length}`;

export async function removeExpiredConversations({ db }: Store): Promise<void> {
  await db.deleteFrom('stored_responses').where('expires_at', '<', unixSeconds()).execute();
}

export function createConversations(store: Store, log: Log): Conversations {
  const { db } = store;
  return {
    async find(owner, responseId) {
      const row = await db
        .selectFrom('stored_responses')
        .select(['channel_id', 'items', 'response', 'expires_at'])
        .where('id', '=', rowId(owner, responseId))
        .executeTakeFirst();
      if (row === undefined || row.expires_at <= unixSeconds()) return undefined;
      return storedIn(row);
    },
    async issuer(owner, encrypted) {
      const ids = encrypted.slice(-MOST_MARKS).map((content) => rowId(owner, markOf(content)));
      if (ids.length === 0) return undefined;
      const row = await db
        .selectFrom('stored_responses')
        .select('channel_id')
        .where('id', 'in', ids)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.channel_id;
    },
    async issuers(owner, ids) {
      const marks = new Map(ids.slice(0, MOST_NAMED).map((id) => [rowId(owner, markOf(id)), id]));
      const found = new Map<string, number>();
      if (marks.size === 0) return found;
      const rows = await db
        .selectFrom('stored_responses')
        .select(['id', 'channel_id'])
        .where('id', 'in', [...marks.keys()])
        .where('expires_at', '>', unixSeconds())
        .execute();
      for (const { id, channel_id: channelId } of rows) found.set(marks.get(id) ?? '', channelId);
      return found;
    },
    async remember(owner, channelId, { responseId, items, response, route, encrypted, issued = [] }) {
      const created_at = unixSeconds();
      const common = {
        user_id: owner.userId,
        channel_id: channelId,
        created_at,
        expires_at: created_at + KEPT_SECONDS,
      };
      const rows = [...new Set([...encrypted.slice(-MOST_MARKS), ...issued.slice(-MOST_MARKS)])].map(
        (content) => ({ ...common, id: rowId(owner, markOf(content)), items: '', response: '' }),
      );
      if (responseId !== undefined) {
        const json = items === undefined ? '' : JSON.stringify(items);
        const storedResponse = JSON.stringify(
          route === undefined ? response : { ...response, [ROUTE]: route },
        );
        // Too long to store: a later call that refers to it gets `previous_response_not_found`.
        if (json.length + storedResponse.length <= LONGEST_ITEMS)
          rows.push({ ...common, id: rowId(owner, responseId), items: json, response: storedResponse });
      }
      if (rows.length === 0) return;
      try {
        await db
          .insertInto('stored_responses')
          .values(rows)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      } catch (error) {
        log.warn('a conversation could not be kept', { error });
      }
    },
    async forget(owner, responseId) {
      await db.deleteFrom('stored_responses').where('id', '=', rowId(owner, responseId)).execute();
    },
  };
}

function storedIn(row: { channel_id: number; items: string; response: string }): StoredConversation {
  const channelId = row.channel_id;
  const { storedResponse, route } = responseIn(row.response);
  const model = text(storedResponse?.['model']);
  if (row.items === '') return { channelId, items: undefined, model, ...route };
  const input = objects(JSON.parse(row.items));
  // Rows of older versions have no response; their items include the output.
  if (storedResponse === undefined) return { channelId, items: input };
  return {
    channelId,
    items: [...input, ...objects(storedResponse['output'])],
    model,
    input,
    response: storedResponse,
    ...route,
  };
}

function responseIn(stored: string) {
  if (stored === '') return { storedResponse: undefined, route: undefined };
  const { [ROUTE]: found, ...storedResponse } = member(JSON.parse(stored));
  const { asked, served } = member(found);
  return {
    storedResponse,
    route: isObject(found) ? { route: { asked: text(asked), served: text(served) } } : undefined,
  };
}

/** `input` as a list of items. */
export function itemsOf(input: unknown): Json[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return objects(input);
}

/** The encrypted reasoning of items, in order. */
export function encryptedIn(items: unknown): string[] {
  return objects(items)
    .map((item) => text(item['encrypted_content']))
    .filter((content) => content !== '');
}

/** Drops whole reasoning items that only another account can read: upstreams refuse them without their content too. */
export function withoutEncrypted(items: unknown): unknown {
  if (!Array.isArray(items)) return items;
  return (items as unknown[]).filter((item) => !isObject(item) || text(item['encrypted_content']) === '');
}
