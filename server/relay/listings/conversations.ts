// OpenAI's Conversations API on our own store: made, read, changed and deleted by their user alone. Free, but counted in the
// caller's limits; the calls that use a conversation pay for its items like for any prompt.
import { isObject, text, type Json } from '#server/models/formats/json.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { pageOfItems, plainItem } from '#server/relay/conversations/items.ts';
import { unknownItem, type KeptConversation } from '#server/relay/conversations/kept-conversations.ts';
import { byMethod, json, pathOf, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { freeCaller } from './free-call.ts';

const PATH = '/v1/conversations';
/** OpenAI's limits. */
const MOST_ITEMS_AT_ONCE = 20;
const METADATA_LIMITS = { pairs: 16, name: 64, value: 512 };

interface Asked {
  readonly caller: Caller;
  readonly id: string;
  readonly itemId: string;
  readonly query: URLSearchParams;
  /** Empty for methods without one. */
  readonly body: Json;
}

export function conversationRoutes(core: Core): RelayRoutes {
  const kept = core.keptConversations;
  const on =
    (answer: (asked: Asked) => Promise<unknown>) =>
    async (incoming: Incoming): Promise<Response> =>
      json(incoming, await answer(await readAsked(core, incoming)));
  return {
    [PATH]: byMethod(core, {
      POST: on(async ({ caller, body }) => {
        const items = body['items'] === undefined || body['items'] === null ? [] : itemsIn(body);
        return objectOf(await kept.create(caller, metadataIn(body), items));
      }),
    }),
    [`${PATH}/:id`]: byMethod(core, {
      GET: on(async ({ caller, id }) => objectOf(await kept.find(caller, id))),
      POST: on(async ({ caller, id, body }) => objectOf(await kept.describe(caller, id, metadataIn(body)))),
      DELETE: on(async ({ caller, id }) => {
        await kept.remove(caller, id);
        return { id, object: 'conversation.deleted', deleted: true };
      }),
    }),
    [`${PATH}/:id/items`]: byMethod(core, {
      GET: on(async ({ caller, id, query }) => pageOfItems(await kept.items(caller, id), query)),
      POST: on(async ({ caller, id, body }) => {
        const data = await kept.add(caller, id, itemsIn(body));
        const [first, last] = [data[0]?.['id'] ?? null, data.at(-1)?.['id'] ?? null];
        return { object: 'list', data, first_id: first, last_id: last, has_more: false };
      }),
    }),
    [`${PATH}/:id/items/:item`]: byMethod(core, {
      GET: on(async ({ caller, id, itemId }) => {
        const item = (await kept.items(caller, id)).find((each) => each['id'] === itemId);
        if (item === undefined) throw unknownItem(itemId);
        return item;
      }),
      DELETE: on(async ({ caller, id, itemId }) => objectOf(await kept.removeItem(caller, id, itemId))),
    }),
  };
}

async function readAsked(core: Core, incoming: Incoming): Promise<Asked> {
  const { request } = incoming;
  const caller = await freeCaller(core, incoming, PATH);
  const [, id = '', itemId = ''] =
    /^\/v1\/conversations\/([\w-]{1,200})(?:\/items\/([\w-]{1,200}))?/.exec(pathOf(request)) ?? [];
  const body = request.method === 'POST' ? await bodyOf(incoming) : {};
  return { caller, id, itemId, query: new URL(request.url).searchParams, body };
}

/** Clients send no body at all for an empty conversation. */
async function bodyOf(incoming: Incoming): Promise<Json> {
  if (incoming.request.headers.get('content-length') === '0' || incoming.request.body === null) return {};
  return (await readJson(incoming)).value;
}

function objectOf({ id, createdAt, metadata }: KeptConversation): Json {
  return { id, object: 'conversation', created_at: createdAt, metadata };
}

function itemsIn({ items }: Json): Json[] {
  if (!Array.isArray(items) || items.length > MOST_ITEMS_AT_ONCE) throw invalid('items');
  return items.map((item: unknown, index) => {
    if (!isObject(item) || (text(item['type']) === '' && text(item['role']) === ''))
      throw invalid(`items[${index}]`);
    const plain = plainItem(item);
    return plain['type'] === 'message' ? { status: 'completed', ...plain } : plain;
  });
}

function metadataIn({ metadata }: Json): Json {
  if (metadata === undefined || metadata === null) return {};
  const entries = isObject(metadata) ? Object.entries(metadata) : undefined;
  const isRight =
    entries !== undefined &&
    entries.length <= METADATA_LIMITS.pairs &&
    entries.every(
      ([name, value]) =>
        name.length <= METADATA_LIMITS.name &&
        typeof value === 'string' &&
        value.length <= METADATA_LIMITS.value,
    );
  if (!isRight) throw invalid('metadata');
  return Object.fromEntries(entries);
}

const invalid = (field: string): RelayError => new RelayError('invalid_field', { field }, { param: field });
