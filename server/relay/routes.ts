// The relay's paths for Bun.serve: plain functions, no framework on the way of a call. A wrong path under /v1 gets an
// answer that helps to correct the client's base URL.
import type { Server } from 'bun';
import { LedgerUnavailableError } from '#server/billing/ledger.ts';
import { requireUsableGroup, type Caller } from './authenticate.ts';
import type { Core } from './core.ts';
import { subscription, usage } from './dashboard-billing.ts';
import { relayEndpoints, type RelayEndpoint } from './endpoints.ts';
import { RelayError } from './errors.ts';
import { listModels, readModel } from './models.ts';
import { relayCall, type Incoming } from './pipeline.ts';
import { prepareJson, prepareJsonBody, type PreparedCall } from './prepare.ts';
import { prepareMultipart } from './prepare-multipart.ts';
import { openRealtime } from './realtime-call.ts';
import { readJson } from './receive.ts';
import { answerHeaders, errorResponse, preflight } from './respond.ts';

export type RelayServer = Pick<Server<unknown>, 'requestIP' | 'timeout' | 'upgrade'>;
export type RelayHandler = (
  request: Request,
  server: RelayServer,
) => Response | undefined | Promise<Response | undefined>;
export type RelayRoutes = Record<string, RelayHandler>;

type Answer = (incoming: Incoming, server: RelayServer) => Promise<Response | undefined>;

export function createRoutes(core: Core): RelayRoutes {
  const routes: RelayRoutes = {};
  for (const endpoint of relayEndpoints) {
    routes[endpoint.path] = route(core, 'POST', (incoming, server) =>
      relayed(core, endpoint, incoming, server),
    );
  }
  routes['/pg/chat/completions'] = route(core, 'POST', (incoming, server) =>
    playground(core, incoming, server),
  );
  routes['/v1/models'] = route(core, 'GET', (incoming) =>
    authenticated(core, incoming, (caller) => listModels(caller, core.catalog.current)),
  );
  routes['/v1/models/*'] = route(core, 'GET', (incoming) => {
    const id = decode(pathOf(incoming.request).slice('/v1/models/'.length));
    return authenticated(core, incoming, (caller) => readModel(caller, core.catalog.current, id));
  });
  routes['/v1/realtime'] = route(core, 'GET', (incoming, server) => openRealtime(core, incoming, server));
  const { store, settings } = core.dependencies;
  for (const prefix of ['', '/v1']) {
    routes[`${prefix}/dashboard/billing/subscription`] = route(core, 'GET', (incoming) =>
      authenticated(core, incoming, (caller) => subscription(store, caller, settings.current)),
    );
    routes[`${prefix}/dashboard/billing/usage`] = route(core, 'GET', (incoming) =>
      authenticated(core, incoming, (caller) => usage(store, caller, settings.current)),
    );
  }
  routes['/v1/*'] = (request, server) => unknown(core, request, server);
  return routes;
}

/** What a request needs whatever becomes of it: an id, a time, the caller's address and language, and one place for errors. */
export function route(core: Core, method: string, answer: Answer): RelayHandler {
  return async (request, server) => {
    if (request.method === 'OPTIONS') return preflight(request);
    const incoming = incomingOf(core, request, server);
    try {
      if (request.method !== method) {
        throw new RelayError('method_not_allowed', { method: request.method, path: pathOf(request) });
      }
      if (core.isDraining) throw new RelayError('draining', {}, { retryAfterSeconds: 1 });
      return await answer(incoming, server);
    } catch (error) {
      return errorResponse(publicError(core, error, incoming.requestId), request, incoming.requestId);
    }
  };
}

function incomingOf(core: Core, request: Request, server: RelayServer): Incoming {
  const connection = server.requestIP(request)?.address ?? null;
  return {
    requestId: Bun.randomUUIDv7(),
    startedAt: performance.now(),
    request,
    address: addressOf(core, request, connection),
  };
}

const addressLimit = 10_000;

/** Without a word of a proxy the address follows from the connection alone, and callers come again. */
function addressOf(core: Core, request: Request, connection: string | null): string {
  const { dependencies } = core;
  if (connection === null || request.headers.get('x-forwarded-for') !== null)
    return dependencies.clientAddress(request, connection);
  let address = core.addresses.get(connection);
  if (address === undefined) {
    address = dependencies.clientAddress(request, connection);
    if (core.addresses.size >= addressLimit) core.addresses.clear();
    core.addresses.set(connection, address);
  }
  return address;
}

function publicError(core: Core, error: unknown, requestId: string): RelayError {
  if (error instanceof RelayError) return error;
  if (error instanceof LedgerUnavailableError)
    return new RelayError('unavailable', {}, { retryAfterSeconds: 1 });
  core.dependencies.log.error('a relayed call failed', { request_id: requestId, error });
  return new RelayError('internal');
}

async function relayed(
  core: Core,
  endpoint: RelayEndpoint,
  incoming: Incoming,
  server: RelayServer,
): Promise<Response> {
  const { request, address } = incoming;
  const known = core.authenticator.authenticate(request, () => address, core.dependencies.settings.current);
  const caller = known instanceof Promise ? await known : known;
  const prepared = await (isMultipart(endpoint, request)
    ? prepareMultipart(endpoint, request)
    : prepareJson(endpoint, request));
  // From here on the upstream sets the pace; the server's own idle limit is for callers that do not send.
  server.timeout(request, 0);
  return await relayCall(core, incoming, caller, prepared);
}

function isMultipart(endpoint: RelayEndpoint, request: Request): boolean {
  if (endpoint.body !== 'multipart') return false;
  const type = request.headers.get('content-type') ?? '';
  if (type.toLowerCase().startsWith('multipart/form-data')) return true;
  // Edits of pictures may also be told in JSON, with addresses in place of files.
  if (type.toLowerCase().startsWith('application/json') && endpoint.path === '/v1/images/edits') return false;
  throw new RelayError('unsupported_media_type');
}

/** The console's own chat: the session pays, the group is chosen per call, there is no token. */
async function playground(core: Core, incoming: Incoming, server: RelayServer): Promise<Response> {
  const { request } = incoming;
  const user = await core.dependencies.sessionOf(request);
  if (user === null) throw new RelayError('not_signed_in');
  const [chat] = relayEndpoints;
  if (chat === undefined) throw new RelayError('internal');
  const json = await readJson(request);
  const wanted = json.value['group'];
  if (wanted !== undefined && typeof wanted !== 'string')
    throw new RelayError('invalid_field', { field: 'group' });
  const group = wanted === undefined || wanted === '' ? user.group : wanted;
  requireUsableGroup(group, user.group, core.dependencies.settings.current);
  // The form's 0 means no limit.
  const ownFields = ['group', ...(json.value['max_tokens'] === 0 ? ['max_tokens'] : [])];
  const value = json.value['max_tokens'] === 0 ? { ...json.value, max_tokens: null } : json.value;
  const prepared: PreparedCall = prepareJsonBody(chat, { ...json, value }, { ownFields });
  server.timeout(request, 0);
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
  };
  return await relayCall(core, incoming, caller, prepared);
}

async function authenticated(
  core: Core,
  incoming: Incoming,
  answer: (caller: Caller) => unknown,
): Promise<Response> {
  const { request, address, requestId } = incoming;
  const caller = await core.authenticator.authenticate(
    request,
    () => address,
    core.dependencies.settings.current,
  );
  const body = JSON.stringify(await answer(caller));
  return new Response(body, { headers: answerHeaders(request, requestId, 'application/json') });
}

const knownPaths = new Set([...relayEndpoints.map(({ path }) => path), '/v1/models', '/v1/realtime']);

/** The path the caller probably meant: one /v1, single slashes, no slash at the end. */
function meantPath(path: string): string | undefined {
  const tidy = path
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .replace(/^(?:\/v1)+/, '/v1');
  for (const guess of [tidy, `/v1${tidy}`]) if (guess !== path && knownPaths.has(guess)) return guess;
  return undefined;
}

/** Parts of OpenAI's API that keep state at the supplier and cannot be shared between customers. */
const unsupported =
  /^\/v1\/(?:files|uploads|batches|fine[-_]tun|assistants|threads|vector_stores|organization)/;

function unknown(core: Core, request: Request, server: RelayServer): Response {
  if (request.method === 'OPTIONS') return preflight(request);
  const { requestId } = incomingOf(core, request, server);
  const path = pathOf(request).slice(0, 200);
  const hint = meantPath(path);
  const error =
    hint !== undefined
      ? new RelayError('unknown_route_hint', { path, hint })
      : unsupported.test(path)
        ? new RelayError('not_supported')
        : new RelayError('unknown_route', { method: request.method, path });
  return errorResponse(error, request, requestId);
}

/** POST to a path without /v1: the console has pages of like names, so other methods are left to it. */
export function hintRoutes(core: Core): Record<string, { POST: RelayHandler }> {
  const hints: Record<string, { POST: RelayHandler }> = {};
  for (const { path } of relayEndpoints) {
    hints[path.slice('/v1'.length)] = { POST: (request, server) => unknown(core, request, server) };
  }
  return hints;
}

export function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', 8);
  const query = url.indexOf('?', start);
  return start < 0 ? '/' : query < 0 ? url.slice(start) : url.slice(start, query);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
