// The relay's paths: plain functions, without a framework. A wrong path under /v1 gets an answer that helps to correct
// the client's base URL.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { requireUsableGroup, type Caller } from '#server/relay/caller/authenticate.ts';
import { loadPlans } from '#server/relay/caller/plans.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { subscription, usage } from '#server/relay/listings/dashboard-billing.ts';
import { countTokens } from '#server/relay/listings/count-tokens.ts';
import {
  compactEndpoint,
  geminiEndpoints,
  messagesEndpoint,
  relayEndpoints,
} from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { listGeminiModels, listModels, readModel } from '#server/relay/listings/models.ts';
import { relayCall } from '#server/relay/pipeline/pipeline.ts';
import { modelOf, prepareJsonBody, type PreparedCall } from '#server/relay/upstream/prepare.ts';
import { openRealtime } from '#server/relay/realtime/open-session.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { relayed } from './model-call.ts';
import { geminiCall, geminiRoutes } from './gemini.ts';
import { storedResponseRoutes } from '#server/relay/listings/stored-responses.ts';
import {
  authenticated,
  decode,
  handled,
  json,
  pathOf,
  route,
  type RelayHandler,
  type RelayRoutes,
} from '#server/relay/entry/handler.ts';

export function createRoutes(core: Core): RelayRoutes {
  const routes: RelayRoutes = { ...geminiRoutes(core), ...storedResponseRoutes(core) };
  for (const endpoint of [...relayEndpoints, compactEndpoint]) {
    const handler = route(core, 'POST', (incoming) => relayed(core, endpoint, incoming));
    routes[endpoint.path] = handler;
    // Google's own address for clients of OpenAI's API.
    routes[compatiblePath(endpoint.path)] = handler;
  }
  routes['/v1/messages/count_tokens'] = route(core, 'POST', (incoming) => countMessages(core, incoming));
  routes['/pg/chat/completions'] = route(core, 'POST', (incoming) => playground(core, incoming));
  const get = (answer: (incoming: Incoming) => Promise<Response>) => route(core, 'GET', answer);
  const models = get((incoming) =>
    authenticated(core, incoming, (caller) =>
      isGemini(incoming.request)
        ? listGeminiModels(caller, core.catalog.current)
        : listModels(caller, core.catalog.current),
    ),
  );
  routes['/v1/models'] = models;
  routes['/v1beta/openai/models'] = models;
  const oneModel = get((incoming) => {
    const id = decode(pathOf(incoming.request).replace(/^.*\/models\//, ''));
    return authenticated(core, incoming, (caller) => readModel(caller, core.catalog.current, id));
  });
  const call = geminiCall(core);
  routes['/v1beta/openai/models/*'] = oneModel;
  routes['/v1/models/*'] = (request, connection) =>
    request.method === 'POST' && pathOf(request).includes(':')
      ? call(request, connection)
      : oneModel(request, connection);
  routes['/v1/realtime'] = route(core, 'GET', (incoming) => openRealtime(core, incoming));
  const { store, settings } = core;
  for (const prefix of ['', '/v1']) {
    routes[`${prefix}/dashboard/billing/subscription`] = get((incoming) =>
      authenticated(core, incoming, (caller) => subscription(store, caller, settings.current)),
    );
    routes[`${prefix}/dashboard/billing/usage`] = get((incoming) =>
      authenticated(core, incoming, (caller) => usage(store, caller, settings.current)),
    );
  }
  for (const prefix of ['/v1', '/v1beta', '/v1alpha']) routes[`${prefix}/*`] = unknownPath(core);
  return routes;
}

const compatiblePath = (path: string): string => `/v1beta/openai${path.slice('/v1'.length)}`;

/** Google's clients send their key in their own header or in the query. */
function isGemini({ headers, url }: Request): boolean {
  return (
    headers.get('x-goog-api-key') !== null || (/[?&]key=/.test(url) && headers.get('authorization') === null)
  );
}

async function countMessages(core: Core, incoming: Incoming): Promise<Response> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  const body = await readJson(incoming);
  const model = modelOf(body.value['model'], messagesEndpoint);
  const count = await countTokens(core, incoming, caller, {
    format: 'anthropic-messages',
    model,
    json: body,
  });
  return json(incoming, count);
}

/** The console's chat: the session's user pays, the group is chosen per call, there is no token. */
async function playground(core: Core, incoming: Incoming): Promise<Response> {
  const user = await core.sessionOf(incoming.request);
  if (user === null) throw new RelayError('not_signed_in');
  const [chat] = relayEndpoints;
  if (chat === undefined) throw new RelayError('internal');
  const body = await readJson(incoming);
  const wanted = body.value['group'];
  if (wanted !== undefined && typeof wanted !== 'string')
    throw new RelayError('invalid_field', { field: 'group' });
  const group = wanted === undefined || wanted === '' ? user.group : wanted;
  requireUsableGroup(group, user.group, core.settings.current);
  // In the form 0 means no limit.
  const ownFields = ['group', ...(body.value['max_tokens'] === 0 ? ['max_tokens'] : [])];
  const value = body.value['max_tokens'] === 0 ? { ...body.value, max_tokens: null } : body.value;
  const prepared: PreparedCall = prepareJsonBody(chat, { ...body, value }, { ownFields });
  const caller: Caller = {
    userId: user.id,
    username: user.username,
    role: user.role,
    group,
    tokenId: 0,
    tokenName: `playground-${group}`,
    models: undefined,
    channelId: undefined,
    rateLimitMessage: '',
    isStrict: false,
    plans: await loadPlans(core.store, user.id, group !== user.group),
  };
  return await relayCall(core, incoming, caller, prepared);
}

const knownPaths = new Set([
  ...relayEndpoints.map(({ path }) => path),
  compactEndpoint.path,
  '/v1/messages/count_tokens',
  '/v1/models',
  '/v1/realtime',
  '/v1beta/models',
]);

const geminiPath = /\/models\/[^/]+:(\w+)$/;

/** The path the caller probably meant: one version, single slashes, no trailing slash. */
function meantPath(path: string): string | undefined {
  const tidy = path
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .replace(/^(?:\/v1(?:beta|alpha)?)*(\/v1(?:beta|alpha)?)(?=\/|$)/, '$1');
  const verb = geminiPath.exec(tidy)?.[1];
  if (verb !== undefined && (verb === 'countTokens' || Object.hasOwn(geminiEndpoints, verb))) {
    const guess = tidy.replace(/^.*(?=\/models\/)/, '/v1beta');
    return guess === path ? undefined : guess;
  }
  const bare = tidy.replace(/^\/v1(?:beta|alpha)?(?=\/)/, '');
  for (const guess of [tidy, `/v1${bare}`, `/v1beta${bare}`])
    if (guess !== path && knownPaths.has(guess)) return guess;
  return undefined;
}

/** Parts of OpenAI's API that keep state at the upstream and cannot be shared between users. */
const unsupported =
  /^\/v1\/(?:files|uploads|batches|fine[-_]tun|assistants|threads|vector_stores|organization)/;

function unknownPath(core: Core): RelayHandler {
  return handled(core, ({ request }) => {
    const path = pathOf(request).slice(0, 200);
    const hint = meantPath(path);
    if (hint !== undefined) throw new RelayError('unknown_route_hint', { path, hint });
    if (unsupported.test(path)) throw new RelayError('not_supported');
    throw new RelayError('unknown_route', { method: request.method, path });
  });
}

/** POST to a path without /v1: the console has pages with similar names, so it gets the other methods. */
export function hintRoutes(core: Core): Record<string, { POST: RelayHandler }> {
  const hints: Record<string, { POST: RelayHandler }> = {};
  const paths = [...relayEndpoints, compactEndpoint].map(({ path }) => path.slice('/v1'.length));
  for (const path of [...paths, '/messages/count_tokens', '/models/*'])
    hints[path] = { POST: unknownPath(core) };
  return hints;
}
