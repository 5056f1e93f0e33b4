// Makes routes from contract and handlers. Every API call has the same steps: limits, credentials, access, body, schema,
// handler, envelope.
import type { Context, Hono } from 'hono';
import { isAdmin, isRoot } from '#contract/access.ts';
import type { AnyEndpoint, Api, Handlers } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import { admit, refuseOnDemoSite } from './access.ts';
import { isCrossSite, ownOrigins, type Authenticator, type Credentials } from './authenticate.ts';
import { readJson } from './body.ts';
import type { RequestContext } from './context.ts';
import type { Limiter, LimitClass } from './limits.ts';
import type { Memberships } from './memberships.ts';
import { scopeOf } from './organization-scope.ts';
import { respond, respondError } from './respond.ts';
import { createRequestContext, type ContextParts } from './request-context.ts';
import type { Call, HonoEnvironment } from './call.ts';
import { shapeOutput, validateInput } from './validate.ts';

export type ApiHandlers<A extends Api> = { [Group in keyof A]: Handlers<A[Group], RequestContext> };

export interface MountParts extends ContextParts {
  settings: SettingsReader;
  authenticator: Authenticator;
  memberships: Memberships;
  limiter: Limiter;
}

type LooseHandler = (input: unknown, context: RequestContext) => unknown;

export function mount<A extends Api>(
  app: Hono<HonoEnvironment>,
  api: A,
  handlers: ApiHandlers<A>,
  parts: MountParts,
) {
  const routes = Object.entries(api).flatMap(([group, endpoints]) =>
    Object.entries(endpoints).map(([name, endpoint]) => {
      const handler = (handlers[group] as Record<string, LooseHandler> | undefined)?.[name];
      if (!handler) throw new Error(`no handler for ${group}.${name}`);
      return { endpoint, handler };
    }),
  );
  // `/api/token/search` is registered before `/api/token/{id}`, which would match it too.
  routes.sort((left, right) => placeholders(left.endpoint) - placeholders(right.endpoint));
  for (const { endpoint, handler } of routes) {
    app.on(endpoint.method, routePath(endpoint.path), async (context) => {
      const response = await answer(endpoint, handler, context, parts);
      if (endpoint.anyOrigin) response.headers.set('Access-Control-Allow-Origin', '*');
      return response;
    });
  }
}

async function answer(
  endpoint: AnyEndpoint,
  handler: LooseHandler,
  honoContext: Context<HonoEnvironment>,
  parts: MountParts,
): Promise<Response> {
  const call = honoContext.get('call');
  const request = honoContext.req.raw;
  try {
    await takeLimits(endpoint, call, request, parts);
    const credentials = await parts.authenticator.identify(request, call.origin.secure);
    guardAgainstOtherSites(endpoint, request, credentials, parts.settings);
    const admitted = admit(endpoint, credentials, parts.settings.current);
    takeLimitOfUser(endpoint, admitted.user, parts.limiter);
    refuseOnDemoSite(endpoint, parts.settings.current, admitted);
    const organization = await scopeOf(endpoint, request, admitted.user, parts);
    const raw = {
      params: honoContext.req.param() as Record<string, string>,
      query: honoContext.req.query(),
      body: endpoint.method === 'GET' ? undefined : await readJson(request),
    };
    const input = validateInput(endpoint, raw, call.language);
    const found = credentials;
    const { context, finish } = createRequestContext({ call, request, found, admitted, organization }, parts);
    let isSuccess = false;
    let output: unknown;
    try {
      output = await handler(input, context);
      isSuccess = true;
    } finally {
      await finish(isSuccess);
    }
    if (endpoint.limit === 'guess') parts.limiter.giveBack('guess', call.origin.address);
    call.userId = admitted.user?.id;
    // An export is streamed and has no envelope.
    if (output instanceof Response) return output;
    return respond({ success: true, message: '', ...shapeOutput(endpoint, output) });
  } catch (error) {
    return respondError(error, call);
  }
}

/** `counted`: an address or a user. */
function takeLimit(limiter: Limiter, limit: LimitClass, counted: string): void {
  const seconds = limiter.take(limit, counted);
  if (seconds > 0) throw new AppError('too_many_requests', { seconds });
}

/** A search is counted by user, and not at all for administrators: their palette searches at every pause while typing. */
function takeLimitOfUser(
  { limit, limitPer }: AnyEndpoint,
  user: { id: number; role: number } | null | undefined,
  limiter: Limiter,
): void {
  const isCounted = limit === 'search' ? !isAdmin(user?.role ?? 0) : limitPer !== undefined;
  if (limit && isCounted) takeLimit(limiter, limit, `user ${user?.id ?? 0}`);
}

/** The limits that count by address. */
async function takeLimits(
  { limit, limitPer }: AnyEndpoint,
  call: Call,
  request: Request,
  { limiter, authenticator }: MountParts,
): Promise<void> {
  const { address } = call.origin;
  const seconds = limiter.take('api', address);
  if (seconds > 0 && !(await isRootsToken())) throw new AppError('too_many_requests', { seconds });
  if (limit && limit !== 'search' && !limitPer) takeLimit(limiter, limit, address);

  /** Scripts of the super admin go on; the lookups that decide this are limited too. */
  async function isRootsToken(): Promise<boolean> {
    if (!request.headers.has('authorization') || limiter.take('token', address) > 0) return false;
    const { via, user, headerMatches } = await authenticator.identify(request, call.origin.secure);
    return via === 'access_token' && headerMatches && isRoot(user?.role ?? 0);
  }
}

/** Refuses pages of other sites where a call carries a session or changes something. */
function guardAgainstOtherSites(
  endpoint: AnyEndpoint,
  request: Request,
  credentials: Credentials,
  settings: SettingsReader,
): void {
  if (endpoint.method === 'GET' && !endpoint.acts && credentials.sessionId === null) return;
  if (credentials.via === 'access_token') return;
  if (isCrossSite(request, ownOrigins(settings.current))) throw new AppError('cross_site');
}

const placeholders = (endpoint: AnyEndpoint) => endpoint.path.split('{').length - 1;

/** Hono matches with and without the trailing slash when the pattern has none. */
function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');
}
