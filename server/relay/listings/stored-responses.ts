// Reads, lists, deletes and cancels earlier responses of the caller: from the stored conversation, else from the upstream
// of the channel that made them. Free, but counted in the caller's limits.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { modelAllowed } from '#server/relay/caller/authenticate.ts';
import { isObject, text, type Json } from '#server/models/formats/json.ts';
import { admitFree } from '#server/relay/money/admission.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { pageOfItems, plainItem } from '#server/relay/conversations/items.ts';
import type { StoredConversation } from '#server/relay/conversations/conversations.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { toolsFor } from '#server/relay/pipeline/dispatch.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, failureOf, httpFailure } from '#server/relay/errors/upstream-failure.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { pricedFor } from '#server/relay/virtual-models/listed.ts';
import { json, pathOf, route, type RelayHandler, type RelayRoutes } from '#server/relay/entry/handler.ts';

type Act = 'read' | 'delete' | 'input_items' | 'cancel';

const UPSTREAM_SECONDS = 30;
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

export function storedResponseRoutes(core: Core): RelayRoutes {
  const on = (method: string, act: Act): RelayHandler =>
    route(core, method, (incoming) => handle(core, incoming, method, act));
  const read = on('GET', 'read');
  const remove = on('DELETE', 'delete');
  return {
    '/v1/responses/:id': (request, connection) =>
      request.method === 'DELETE' ? remove(request, connection) : read(request, connection),
    '/v1/responses/:id/input_items': on('GET', 'input_items'),
    '/v1/responses/:id/cancel': on('POST', 'cancel'),
  };
}

async function handle(core: Core, incoming: Incoming, method: string, act: Act): Promise<Response> {
  const { request, address } = incoming;
  const { settings } = core;
  const caller = await core.authenticator.authenticate(request, address, settings.current);
  incoming.caller = caller;
  const [, id = ''] = /^\/v1\/responses\/([\w-]{1,200})(?:\/|$)/.exec(pathOf(request)) ?? [];
  const stored = id === '' ? undefined : await core.conversations.find(caller, id);
  const model = stored?.model ?? '';
  if (stored === undefined || model === '') throw unknownResponse(id);
  const { asked = model, served = model } = stored.route ?? {};
  if (!modelAllowed(caller, asked)) throw new RelayError('model_not_allowed', { model: asked });
  const query = new URL(request.url).searchParams;
  if (query.get('stream') === 'true')
    throw new RelayError('invalid_field', { field: 'stream' }, { param: 'stream' });
  await admitFree(core, incoming.requestId, {
    caller,
    model: core.virtualModels.current.has(asked) ? pricedFor(core, asked, caller.group) : served,
    upstreamModel: served,
    channelId: stored.channelId,
    channelName: '',
    address,
    path: '/v1/responses/{id}',
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
  });
  const answer =
    stored.response === undefined
      ? await askUpstream(core, stored, { id, method, act, query })
      : fromHere(stored, stored.response, act, id, query);
  if (act === 'delete') await core.conversations.forget(caller, id);
  return json(incoming, answer);
}

function unknownResponse(id: string): RelayError {
  const options = { param: 'id', publicCode: 'response_not_found', type: 'invalid_request_error' };
  return new RelayError('response_unknown', { id }, options);
}

function fromHere(
  { input }: StoredConversation,
  response: Json,
  act: Act,
  id: string,
  query: URLSearchParams,
): Json {
  if (act === 'cancel') throw new RelayError('response_finished', { id }, { type: 'invalid_request_error' });
  if (act === 'delete') return { id, object: 'response', deleted: true };
  if (act === 'read') return response;
  return pageOfItems(
    (input ?? []).map((item, index) => ({ ...plainItem(item), id: text(item['id']) || `${id}_${index}` })),
    query,
  );
}

interface Wish {
  readonly id: string;
  readonly method: string;
  readonly act: Act;
  readonly query: URLSearchParams;
}

async function askUpstream(core: Core, stored: StoredConversation, wish: Wish): Promise<Json> {
  const { id } = wish;
  const channel = core.catalog.current.channel(stored.channelId);
  if (channel === undefined) throw unknownResponse(id);
  if (!channel.isEnabled) throw new RelayError('response_away', { id });
  const { status, body } = await send(core, channel, stored.route?.served ?? stored.model ?? '', wish);
  if (status === 404 || status === 405) throw unknownResponse(id);
  if (status > 299) throw callerError(httpFailure(status, status, body, undefined));
  // Some upstreams confirm a deletion with an empty body.
  if (wish.act === 'delete' && body.trim() === '') return { id, object: 'response', deleted: true };
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value))
      return typeof value['model'] === 'string' ? { ...value, model: stored.model } : value;
  } catch {
    // Answered below.
  }
  throw new RelayError('upstream_failed');
}

async function send(
  core: Core,
  channel: Channel,
  model: string,
  { id, method, act, query }: Wish,
): Promise<{ status: number; body: string }> {
  const { provider, setting } = channel;
  const call = {
    format: 'openai-responses' as const,
    path: '/v1/responses',
    model: mapModel(channel.modelMapping, model),
    isStream: false,
  };
  const url = new URL(provider.url(channel, call));
  url.pathname += `/${id}${act === 'input_items' || act === 'cancel' ? `/${act}` : ''}`;
  for (const [name, value] of query) if (PASSED_ON.has(name)) url.searchParams.append(name, value);
  const body = '';
  try {
    const unsigned = { method, url, body, headers: channel.headers };
    const added = await provider.authorize?.(channel, unsigned, toolsFor(core, channel));
    const response = await core.egress.fetch('channel', url.href, {
      method,
      headers: { ...channel.headers, ...added },
      timeoutSeconds: UPSTREAM_SECONDS,
      limitBytes: ANSWER_LIMIT_BYTES,
      ...(setting.proxy === '' ? {} : { proxy: setting.proxy }),
    });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    const failure = failureOf(error);
    throw failure === undefined ? error : callerError(failure);
  }
}

const PASSED_ON = new Set(['include', 'include[]', 'limit', 'order', 'after', 'before']);
