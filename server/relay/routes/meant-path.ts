// Wrong base URLs: a doubled or missing version, doubled slashes, a slash at the end. The path the caller meant is served,
// because many clients hide the answer that would name it.
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { geminiEndpoints } from '#server/relay/request/endpoints.ts';
import { whyUnserved } from './unserved.ts';
import { withErrors, pathOf, type RelayHandler, type RelayRoutes } from '#server/relay/entry/handler.ts';

const GEMINI_PATH = /\/models\/[^/]+:(\w+)$/;

/** Paths the caller may have meant, the most likely first: one version, single slashes, no slash at the end. */
function meantPaths(path: string): string[] {
  const tidy = path
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    // Addresses of Azure and of gateways with a path for each vendor; Cohere's newer version of one endpoint.
    .replace(/^\/(?:openai|anthropic)(?=\/)/, '')
    .replace(/^\/v2(?=\/rerank$)/, '/v1')
    .replace(/^(?:\/v1(?:beta|alpha)?)*(\/v1(?:beta|alpha)?)(?=\/|$)/, '$1');
  const verb = GEMINI_PATH.exec(tidy)?.[1];
  if (verb !== undefined && (verb === 'countTokens' || Object.hasOwn(geminiEndpoints, verb)))
    return [tidy.replace(/^.*(?=\/models\/)/, '/v1beta')];
  const bare = tidy.replace(/^\/v1(?:beta|alpha)?(?=\/)/, '');
  return [tidy, `/v1${bare}`, `/v1beta${bare}`];
}

export interface MeantPaths {
  /** Serves the path that was meant, else 404. */
  readonly correct: RelayHandler;
  /** The same for a path that has no route at all; undefined when it is none of the relay's. */
  readonly handlerOf: (request: Request) => RelayHandler | undefined;
}

export function createMeantPaths(core: Core, routes: RelayRoutes): MeantPaths {
  const patterns = Object.entries(routes)
    .filter(([pattern]) => /[:*]/.test(pattern))
    .map(([pattern, handler]) => ({
      matches: new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+').replace('*', '.+')}$`),
      handler,
    }));

  function meantRoute(path: string): { path: string; handler: RelayHandler } | undefined {
    for (const guess of meantPaths(path)) {
      if (guess === path) continue;
      const handler = routes[guess] ?? patterns.find(({ matches }) => matches.test(guess))?.handler;
      if (handler !== undefined) return { path: guess, handler };
    }
    return undefined;
  }

  const refuse = withErrors(core, ({ request }) => {
    const path = pathOf(request).slice(0, 200);
    const reason = [path, ...meantPaths(path)].map(whyUnserved).find((found) => found !== undefined);
    throw reason ?? new RelayError('unknown_route', { method: request.method, path });
  });

  function serve(request: Request): RelayHandler | undefined {
    const meant = meantRoute(pathOf(request));
    return meant && ((given, connection) => meant.handler(withPath(given, meant.path), connection));
  }

  return {
    correct: (request, connection) => (serve(request) ?? refuse)(request, connection),
    handlerOf: (request) => {
      if (IS_RELAY_PATH.test(pathOf(request))) return serve(request);
      return isOfApiClient(request) ? (serve(request) ?? refuse) : undefined;
    },
  };
}

/** The platform's patterns match neither doubled slashes at the start nor one more at the end. */
const IS_RELAY_PATH = /^\/{2,}|.\/$/;

/** Where the web application serves programs: the admin API, health and metrics. */
const IS_OF_PROGRAM = /^\/(?:$|(?:api|healthz|readyz|metrics)(?:\/|$))/;

/**
 * True for an API client with a wrong base address: it would take the console's page with status 200 for an answer. A bearer
 * alone proves no API client, because a proxy in front may add one to the requests of browsers.
 */
function isOfApiClient(request: Request): boolean {
  const { headers } = request;
  if (IS_OF_PROGRAM.test(pathOf(request))) return false;
  if (['x-api-key', 'x-goog-api-key', 'anthropic-version'].some((name) => headers.has(name))) return true;
  const key = headers.get('authorization') ?? '';
  return /^bearer sk-/i.test(key) || (/^bearer /i.test(key) && headers.get('accept') === 'application/json');
}

/** The same request at another path. A copy would lose its body and the signal that its caller left. */
function withPath(request: Request, path: string): Request {
  const { url } = request;
  const start = url.indexOf('/', 8);
  const query = url.indexOf('?', start);
  const meant = url.slice(0, start) + path + (query < 0 ? '' : url.slice(query));
  return new Proxy(request, {
    get(target, name) {
      if (name === 'url') return meant;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
