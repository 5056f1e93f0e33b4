// The web application without its socket: API, health, documentation and console behind one fetch function. Request id,
// security headers, cookies and the log line of every response are added here.
import { Hono } from 'hono';
import type { Api } from '#contract/endpoint.ts';
import { SHARED_PATH } from '#contract/admin/chats.ts';
import { AppError } from '#contract/errors.ts';
import { languageOf } from '#contract/language.ts';
import { readBounded } from './body.ts';
import type { Call, HonoEnvironment } from './call.ts';
import type { ClientAddresses } from './client-address.ts';
import type { ConsoleFiles } from './console.ts';
import { sessionIdOf } from './cookie.ts';
import type { PublicPages } from '#server/admin/public-pages/index.ts';
import type { Log } from './context.ts';
import { framedContent } from './framed-content.ts';
import type { Health } from './health.ts';
import { mount, type ApiHandlers, type MountParts } from './mount.ts';
import { createDocumentation } from './openapi.ts';
import { newRequestId, REQUEST_ID_HEADERS } from './request-id.ts';
import { respondError } from './respond.ts';
import { contentSecurityPolicy, setSecurityHeaders } from './security-headers.ts';

export interface WebParts<A extends Api> extends MountParts {
  api: A;
  handlers: ApiHandlers<A>;
  addresses: ClientAddresses;
  consoleFiles: ConsoleFiles;
  publicPages: PublicPages;
  health: Health;
  /** Undefined: the path does not exist. */
  metricsPage: ((request: Request, address: string) => Promise<Response>) | undefined;
  version: string;
  log: Log;
  /** Further paths beside the API of the console. */
  mountMore: (app: Hono<HonoEnvironment>, parts: WebParts<A>) => void;
  /** Path → callbacks of payment providers, which are neither JSON nor signed in. */
  callbacks: Readonly<Record<string, (callback: ProviderCallback, log: Log) => Promise<Response>>>;
}

interface ProviderCallback {
  method: string;
  query: string;
  body: string;
  headers: Headers;
}

export interface WebApplication {
  /** `connection` is the address at the other end of the socket. */
  fetch(request: Request, connection: string | null): Promise<Response>;
}

const MOST_CALLBACK_BYTES = 256 * 1024;

export function createWebApplication<A extends Api>(parts: WebParts<A>): WebApplication {
  const app = new Hono<HonoEnvironment>({ strict: false });

  app.use('*', async (context, next) => {
    const startedAt = performance.now();
    const request = context.req.raw;
    const requestId = newRequestId();
    const call: Call = {
      requestId,
      language: languageOf(request.headers.get('accept-language')),
      origin: parts.addresses.originOf(request, context.env.connection),
      log: parts.log.child({ request_id: requestId }),
      cookies: [],
    };
    context.set('call', call);
    await next();
    finish(context.res.headers, call);
    logCall(call, request.method, context.req.path, context.res.status, performance.now() - startedAt);
  });

  app.get('/healthz', () => parts.health.live());
  app.get('/readyz', () => parts.health.ready());
  const { metricsPage } = parts;
  if (metricsPage !== undefined)
    app.get('/metrics', (context) => metricsPage(context.req.raw, context.get('call').origin.address));

  const documentation = createDocumentation(parts.api, parts.version);
  app.get('/api/openapi.json', (context) =>
    documentation.json({
      asked: context.req.query('lang'),
      acceptLanguage: context.req.raw.headers.get('accept-language'),
      isSecure: context.get('call').origin.secure,
    }),
  );
  app.get('/api/docs', (context) => context.redirect('/docs/api', 302));
  // Telegram's widget sends the browser here to bind an account. A page load has no user-id header and must not change
  // anything, so it is redirected to the console's page, which posts the fields.
  app.get('/api/oauth/telegram/bind', (context) =>
    context.redirect(`/oauth/telegram/bind${new URL(context.req.url).search}`, 302),
  );
  mount(app, parts.api, parts.handlers, parts);
  parts.mountMore(app, parts);
  for (const [path, receive] of Object.entries(parts.callbacks)) {
    app.on(['GET', 'POST'], path, async (context) => {
      const request = context.req.raw;
      const body = new TextDecoder().decode(await readBounded(request, MOST_CALLBACK_BYTES));
      const query = new URL(request.url).search.slice(1);
      const { method, headers } = request;
      return await receive({ method, query, body, headers }, context.get('call').log);
    });
  }
  app.all('/api/*', (context) => {
    const call = context.get('call');
    const seconds = parts.limiter.take('api', call.origin.address);
    if (seconds > 0) return respondError(new AppError('too_many_requests', { seconds }), call);
    return respondError(new AppError('unknown_route', { path: context.req.path.slice(0, 200) }), call);
  });

  mountPages(app, parts);
  app.notFound((context) =>
    respondError(
      new AppError('unknown_route', { path: context.req.path.slice(0, 200) }),
      context.get('call'),
    ),
  );
  app.onError((error, context) => respondError(error, context.get('call')));

  return {
    fetch: async (request, connection) => app.fetch(request, { connection }),
  };
}

/** What is no API: the operator's own documents, the pages of the server, and the files of the console. */
function mountPages<A extends Api>(app: Hono<HonoEnvironment>, parts: WebParts<A>): void {
  app.get('/content/:page', (context) => {
    const call = context.get('call');
    const seconds = parts.limiter.take('web', call.origin.address);
    if (seconds > 0) return respondError(new AppError('too_many_requests', { seconds }), call);
    // A frame sends the browser's languages, not the one that the page around it is in.
    const language = languageOf(context.req.query('lang'), call.language);
    const document = framedContent(context.req.param('page'), language, parts.settings.current);
    return document ?? new Response('404 not found\n', { status: 404 });
  });
  app.on(['GET', 'HEAD'], '*', async (context, next) => {
    const call = context.get('call');
    const { secure } = call.origin;
    const isSignedIn = sessionIdOf(context.req.raw.headers.get('cookie'), secure) !== null;
    const kind = parts.publicPages.kindOf(context.req.path, { isSignedIn });
    if (kind === undefined) return await next();
    const seconds = kind === 'asset' ? 0 : parts.limiter.take('web', call.origin.address);
    if (seconds > 0) return respondError(new AppError('too_many_requests', { seconds }), call);
    const page = await parts.publicPages.answer(context.req.raw, {
      language: call.language,
      isSecure: secure,
      isSignedIn,
    });
    if (page === undefined) return await next();
    // A page with texts of users has a stricter one.
    if (!page.headers.has('Content-Security-Policy'))
      page.headers.set('Content-Security-Policy', contentSecurityPolicy(parts.settings.current));
    return page;
  });
  app.on(['GET', 'HEAD'], '*', async (context) => {
    const call = context.get('call');
    const file = await parts.consoleFiles.find(context.req.path, context.req.raw.headers);
    if (file.kind === 'missing') return new Response('404 not found\n', { status: 404 });
    if (file.kind === 'document') {
      const seconds = parts.limiter.take('web', call.origin.address);
      if (seconds > 0) return respondError(new AppError('too_many_requests', { seconds }), call);
      file.response.headers.set('Content-Security-Policy', contentSecurityPolicy(parts.settings.current));
      // A page for users, or none: what visitors may find is a public page.
      file.response.headers.set('X-Robots-Tag', 'noindex');
    }
    return file.response;
  });
}

function finish(headers: Headers, call: Call): void {
  for (const name of REQUEST_ID_HEADERS) headers.set(name, call.requestId);
  for (const cookie of call.cookies) headers.append('Set-Cookie', cookie);
  setSecurityHeaders(headers, call.origin.secure);
}

/** Paths without their query, and without the secret of a shared page: both can open something. */
function logCall(call: Call, method: string, path: string, status: number, milliseconds: number): void {
  const fields = {
    method,
    path: path.startsWith(SHARED_PATH) ? `${SHARED_PATH}…` : path,
    status,
    ms: Math.round(milliseconds * 10) / 10,
    ip: call.origin.address,
    user_id: call.userId,
  };
  if (path.startsWith('/api/')) call.log.info('request', fields);
  else call.log.debug('request', fields);
}
