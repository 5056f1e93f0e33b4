// The relay's paths: plain functions, without a framework.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { requireUsableGroup, type Caller } from '#server/relay/caller/authenticate.ts';
import { loadPlans } from '#server/relay/caller/load-token.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { subscription, usage } from '#server/relay/listings/dashboard-billing.ts';
import { countTokens } from '#server/relay/listings/count-tokens.ts';
import {
  compactEndpoint,
  messagesEndpoint,
  relayEndpoints,
  responsesEndpoint,
  type RelayEndpoint,
} from '#server/relay/request/endpoints.ts';
import { isGeminiKey } from '#server/relay/errors/error-dialects.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { listGeminiModels, listModels, readGeminiModel, readModel } from '#server/relay/listings/models.ts';
import { relayCall } from '#server/relay/pipeline/pipeline.ts';
import { modelOf, prepareJsonBody, type PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { openRealtime } from '#server/relay/realtime/open-session.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { withConversation } from '#server/relay/upstream-body/prepare-responses.ts';
import { createMeantPaths } from './meant-path.ts';
import { refuseState, whyUnserved } from './unserved.ts';
import { geminiCall, geminiRoutes } from './gemini.ts';
import { clientSecretRoutes } from '#server/relay/listings/client-secrets.ts';
import { conversationRoutes } from '#server/relay/listings/conversations.ts';
import { storedResponseRoutes } from '#server/relay/listings/stored-responses.ts';
import {
  answerAuthenticated,
  decode,
  handleModelCall,
  withErrors,
  json,
  pathOf,
  route,
  type RelayHandler,
  type RelayRoutes,
} from '#server/relay/entry/handler.ts';

export interface CreatedRoutes {
  routes: Record<string, RelayHandler | { POST: RelayHandler }>;
  /** For requests without a route, see meant-path.ts. */
  handlerOfMisspeltPath: (request: Request) => RelayHandler | undefined;
}

export function createRoutes(core: Core): CreatedRoutes {
  const routes = rightRoutes(core);
  const { correct, handlerOf } = createMeantPaths(core, routes);
  const all: CreatedRoutes['routes'] = {};
  for (const [pattern, handler] of Object.entries(routes)) {
    all[pattern] = pattern.endsWith('*')
      ? (request, connection) => (isUntidy(request) ? correct : handler)(request, connection)
      : handler;
  }
  for (const prefix of ['/v1', '/v1beta', '/v1alpha', '/v2', '/openai', '/anthropic', '/upload', '/ws'])
    all[prefix] = all[`${prefix}/*`] = correct;
  // Without a version. The console has pages with similar names, so it gets the other methods.
  for (const { path } of [...relayEndpoints, compactEndpoint])
    all[path.slice('/v1'.length)] = { POST: correct };
  all['/messages/count_tokens'] = { POST: correct };
  all['/models'] = all['/models/*'] = correct;
  return { routes: all, handlerOfMisspeltPath: handlerOf };
}

function isUntidy(request: Request): boolean {
  const path = pathOf(request);
  return path.endsWith('/') || path.includes('//');
}

function rightRoutes(core: Core): RelayRoutes {
  const routes: RelayRoutes = {
    ...geminiRoutes(core),
    ...storedResponseRoutes(core),
    ...conversationRoutes(core),
    ...clientSecretRoutes(core),
  };
  for (const endpoint of [...relayEndpoints, compactEndpoint]) {
    const handler = route(core, 'POST', (incoming) => handleModelCall(core, endpoint, incoming));
    routes[endpoint.path] = handler;
    // Google's own address for clients of OpenAI's API.
    routes[compatiblePath(endpoint.path)] = handler;
    // Azure names the model in the path; clients that also name it in the body mean the same.
    routes[deploymentPath(endpoint.path)] = route(core, 'POST', (incoming) =>
      handleModelCall(core, deployed(endpoint, incoming.request), incoming),
    );
  }
  routes['/v1/chat/completions'] = onlyPosted(core, routes['/v1/chat/completions']);
  routes['/v1/responses'] = onlyPosted(core, routes['/v1/responses']);
  routes['/v1/responses/input_tokens'] = route(core, 'POST', (incoming) => countResponse(core, incoming));
  routes['/v1/messages/count_tokens'] = route(core, 'POST', (incoming) => countMessages(core, incoming));
  routes['/pg/chat/completions'] = route(core, 'POST', (incoming) => playground(core, incoming));
  const get = (answer: (incoming: Incoming) => Promise<Response>) => route(core, 'GET', answer);
  const models = get((incoming) =>
    answerAuthenticated(core, incoming, (caller) => {
      const list = isGeminiKey(incoming.request) ? listGeminiModels : listModels;
      return list(caller, core, new URL(incoming.request.url).searchParams);
    }),
  );
  routes['/v1/models'] = models;
  routes['/v1beta/openai/models'] = models;
  const oneModel = get((incoming) => {
    const id = decode(pathOf(incoming.request).replace(/^.*\/models\//, ''));
    const read = isGeminiKey(incoming.request) ? readGeminiModel : readModel;
    return answerAuthenticated(core, incoming, (caller) => read(caller, core, id));
  });
  const call = geminiCall(core);
  // Only models that were trained upstream can be deleted.
  const noDeletion = refuseState(core);
  routes['/v1beta/openai/models/*'] = oneModel;
  routes['/v1/models/*'] = (request, connection) =>
    request.method === 'POST' && pathOf(request).includes(':')
      ? call(request, connection)
      : (request.method === 'DELETE' ? noDeletion : oneModel)(request, connection);
  routes['/v1/realtime'] = route(core, 'GET', (incoming) => openRealtime(core, incoming));
  const { store, settings } = core;
  for (const prefix of ['', '/v1']) {
    routes[`${prefix}/dashboard/billing/subscription`] = get((incoming) =>
      answerAuthenticated(core, incoming, (caller) => subscription(store, caller, settings.current)),
    );
    routes[`${prefix}/dashboard/billing/usage`] = get((incoming) =>
      answerAuthenticated(core, incoming, (caller) => usage(store, caller, settings.current)),
    );
  }
  return routes;
}

const deploymentPath = (path: string): string => `/openai/deployments/:deployment${path.slice('/v1'.length)}`;

function deployed(endpoint: RelayEndpoint, request: Request): RelayEndpoint {
  const [, deployment = ''] = /\/deployments\/([^/]+)\//.exec(pathOf(request)) ?? [];
  return { ...endpoint, defaultModel: decode(deployment), otherDefaultModel: undefined };
}

/** Other methods of these paths are stored completions, and a WebSocket for which clients have a fallback. */
function onlyPosted(core: Core, post: RelayHandler | undefined): RelayHandler {
  if (post === undefined) throw new Error('no such endpoint');
  const refuse = withErrors(core, ({ request }) => {
    const path = pathOf(request);
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket')
      throw new RelayError('websocket_not_served');
    // Completions that an upstream has stored.
    const reason = path.endsWith('/completions') ? whyUnserved(path) : undefined;
    if (reason !== undefined) throw reason;
    throw new RelayError('method_not_allowed', { method: request.method, path });
  });
  return (request, connection) => (request.method === 'GET' ? refuse : post)(request, connection);
}

/** OpenAI's counting of what a response would read. */
async function countResponse(core: Core, incoming: Incoming): Promise<Response> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  incoming.caller = caller;
  const body = await withConversation(core.keptConversations, caller, await readJson(incoming), {});
  const model = modelOf(body.value['model'], responsesEndpoint);
  const count = await countTokens(core, incoming, caller, { format: 'openai-responses', model, json: body });
  return json(incoming, count);
}

const compatiblePath = (path: string): string => `/v1beta/openai${path.slice('/v1'.length)}`;

async function countMessages(core: Core, incoming: Incoming): Promise<Response> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  incoming.caller = caller;
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
  incoming.caller = caller;
  return await relayCall(core, incoming, caller, prepared);
}
