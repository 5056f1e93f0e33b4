// The public port: one Bun.serve for relay, API, console and WebSockets, and a graceful end. The platform cuts slow heads,
// slow bodies and callers who do not read; see docs/adr/0027 for what it does and what a proxy in front must do.
import { CALLER_SECONDS, type CallerConnection } from '#server/relay/request/connection.ts';
import { BODY_LIMIT_BYTES, nextTurn } from '#server/relay/request/read-body.ts';
import type { RelayHandler } from '#server/relay/entry/handler.ts';
import type { CertificateFiles } from '#server/platform/env.ts';
import { CIPHERS, watchCertificate, readCertificate, type Certificate } from './certificate.ts';
import type { Log } from './context.ts';
import { RunningRequests } from './running-requests.ts';

export interface Listener {
  readonly port: number;
  /** For people: localhost when listening on every address. */
  readonly url: string;
  /** Stops accepting and waits for running calls, but not for ever. */
  close(): Promise<void>;
}

/** `Socket` is what the WebSocket handlers keep per connection. */
export interface ListenOptions<Socket> {
  hostname: string;
  port: number;
  sharedPort: boolean;
  /** Serves HTTPS. */
  certificateFiles?: CertificateFiles | undefined;
  /** How often changed certificate files are looked for. */
  certificateLookMs?: number;
  /** By the platform's patterns for paths; matched before anything else. */
  routes: Record<string, RelayHandler | { POST: RelayHandler }>;
  /** Of these routes the web application answers the requests that `isForBrowser`. */
  pageRoutes?: { paths: readonly string[]; isForBrowser: (request: Request) => boolean };
  /** Patterns that the web application answers although a route matches them, too. */
  webPaths?: readonly string[];
  websocket: Bun.WebSocketHandler<Socket>;
  /** The handler of a path without a route that is a misspelt one of the relay's. */
  handlerOfMisspeltPath?: (request: Request) => RelayHandler | undefined;
  /** Everything without a route. */
  fetch: (request: Request, connection: string | null) => Promise<Response>;
  /** The caller's address as far as trusted proxies vouch for it. */
  addressOf: (request: Request, connection: string | null) => string;
  /** Requests of one address that may run at once; 0 = no limit. */
  mostPerAddress: () => number;
  log: Log;
  idleSeconds?: number;
  /** How long `close` waits for running calls before it cuts them. */
  drainSeconds?: number;
}

const STANDARD_DRAIN_SECONDS = 30;
const DRAIN_LOOK_MS = 10;

type Server = Bun.Server<unknown>;

export function createListener<Socket extends object>(options: ListenOptions<Socket>): Listener {
  const { hostname, websocket, log, drainSeconds = STANDARD_DRAIN_SECONDS } = options;
  /** Ends the count of a WebSocket's request. */
  const sockets = new WeakMap<object, () => void>();
  const { serveRequest, serveRoute, wrap } = createServing(options, sockets);

  const serveOn = (asked: number, tls: Certificate | undefined) =>
    Bun.serve<Socket>({
      hostname,
      port: asked,
      // A renewed certificate is served by a second listener of the port.
      reusePort: options.sharedPort || tls !== undefined,
      ...(tls === undefined ? {} : { tls: { ...tls, ciphers: CIPHERS } }),
      idleTimeout: options.idleSeconds ?? CALLER_SECONDS.idle,
      maxRequestBodySize: BODY_LIMIT_BYTES,
      development: false,
      routes: {
        ...mapRoutes(options.routes, wrap),
        ...Object.fromEntries((options.webPaths ?? []).map((path) => [path, serveRequest as never])),
      },
      websocket: {
        ...websocket,
        close(socket, code, reason) {
          sockets.get(socket.data)?.();
          return websocket.close?.(socket, code, reason);
        },
      },
      async fetch(request, server) {
        const meant = options.handlerOfMisspeltPath?.(request);
        if (meant !== undefined) return await serveRoute(meant)(request, server);
        return await serveRequest(request, server);
      },
      error(error) {
        log.error('request failed outside the application', { error });
        return Response.json({ success: false, message: 'internal', data: null }, { status: 500 });
      },
    });

  const { certificateFiles } = options;
  let server = serveOn(options.port, certificateFiles && readCertificate(certificateFiles));
  const port = server.port ?? options.port;
  /** Those with an older certificate: they finish what they have begun. */
  const retired = new Set<Server>();
  const renew = (certificate: Certificate): void => {
    const old = server;
    server = serveOn(port, certificate);
    retired.add(old);
    void old.stop(false).then(() => retired.delete(old));
  };
  const stopWatching =
    certificateFiles && watchCertificate(certificateFiles, renew, log, options.certificateLookMs);

  const everywhere = hostname === '0.0.0.0' || hostname === '::';
  const scheme = certificateFiles === undefined ? 'http' : 'https';
  return {
    port,
    url: `${scheme}://${everywhere ? 'localhost' : bracketed(hostname)}:${port}`,
    async close() {
      stopWatching?.();
      // Refuses new connections, closes idle ones, and each other one after its answer. The promise also waits for
      // connections that never sent a whole head, so it is not awaited.
      void server.stop(false);
      await drain([server, ...retired], drainSeconds, log);
    },
  };
}

/** The two ways of a request: to a handler of the relay, or to the web application. */
function createServing<Socket>(options: ListenOptions<Socket>, sockets: WeakMap<object, () => void>) {
  const { fetch, addressOf } = options;
  const running = new RunningRequests(options.mostPerAddress);
  const nearestOf = (request: Request, server: Server): string | null =>
    server.requestIP(request)?.address ?? null;

  const serveRoute =
    (handler: RelayHandler) =>
    async (request: Request, server: Server): Promise<Response | undefined> => {
      if (!hasGoodHost(request)) return await badHost();
      const address = addressOf(request, nearestOf(request, server));
      const counted = running.begin(address);
      if (counted === undefined) return await tooMany();
      const connection = new PortConnection(server, request, address, counted, sockets);
      try {
        return await handler(request, connection);
      } finally {
        if (!connection.isKept) counted();
      }
    };

  const serveRequest = async (request: Request, server: Server): Promise<Response> => {
    if (!hasGoodHost(request)) return await badHost();
    const nearest = nearestOf(request, server);
    const counted = running.begin(addressOf(request, nearest));
    if (counted === undefined) return await tooMany();
    try {
      // An answer in a later turn of the event loop: the platform closes a connection on which the next request comes
      // before it, so thousands sent ahead cost nothing.
      await nextTurn();
      return await fetch(request, nearest);
    } finally {
      counted();
    }
  };

  /** A route with two readers. */
  const serveBoth = (handler: RelayHandler) => {
    const answerProgram = serveRoute(handler);
    return (request: Request, server: Server) =>
      options.pageRoutes?.isForBrowser(request) === true
        ? serveRequest(request, server)
        : answerProgram(request, server);
  };
  const wrap = (path: string) => (options.pageRoutes?.paths.includes(path) === true ? serveBoth : serveRoute);

  return { serveRequest, serveRoute, wrap };
}

function mapRoutes(
  routes: ListenOptions<object>['routes'],
  wrap: (path: string) => (handler: RelayHandler) => unknown,
): Record<string, never> {
  const entries = Object.entries(routes).map(([path, route]) => {
    const wrapped = wrap(path);
    return [path, typeof route === 'function' ? wrapped(route) : { POST: wrapped(route.POST) }];
  });
  return Object.fromEntries(entries) as Record<string, never>;
}

/** Waits for running calls, and cuts those that are left. */
async function drain(servers: readonly Server[], seconds: number, log: Pick<Log, 'warn'>): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const isBusy = () => servers.some((each) => each.pendingRequests > 0 || each.pendingWebSockets > 0);
  while (isBusy() && performance.now() < until) await Bun.sleep(DRAIN_LOOK_MS);
  if (isBusy()) log.warn('calls still ran at the end of the drain and were cut', { drain_seconds: seconds });
  await Promise.all(servers.map((each) => each.stop(true)));
}

class PortConnection implements CallerConnection {
  isKept = false;
  readonly address: string;
  readonly #server: Bun.Server<object>;
  readonly #request: Request;
  readonly #ended: () => void;
  readonly #sockets: WeakMap<object, () => void>;

  constructor(
    server: unknown,
    request: Request,
    address: string,
    ended: () => void,
    sockets: WeakMap<object, () => void>,
  ) {
    // The platform's types let a server without a type for its sockets upgrade nothing.
    this.#server = server as Bun.Server<object>;
    this.#request = request;
    this.address = address;
    this.#ended = ended;
    this.#sockets = sockets;
  }

  timeout(seconds: number): void {
    this.#server.timeout(this.#request, seconds);
  }

  upgrade({ data, headers }: { data: object; headers: Record<string, string> }): boolean {
    if (!this.#server.upgrade(this.#request, { data, headers })) return false;
    this.#sockets.set(data, this.keepOpen());
    return true;
  }

  keepOpen(): () => void {
    this.isKept = true;
    return this.#ended;
  }
}

const knownHosts = new Set<string>();
const MOST_KNOWN_HOSTS = 1000;

/** One well-formed Host: without it the request has no address that could be parsed. */
function hasGoodHost({ headers }: Request): boolean {
  const host = headers.get('host');
  if (host === null) return false;
  if (knownHosts.has(host)) return true;
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i.test(host) || !URL.canParse(`http://${host}/`)) return false;
  if (knownHosts.size >= MOST_KNOWN_HOSTS) knownHosts.clear();
  knownHosts.add(host);
  return true;
}

const badHost = () => refusal(400, 'bad_host', 'The Host header is missing or malformed.');

const tooMany = () =>
  refusal(429, 'too_many_requests', 'Too many requests of this address are running.', { 'Retry-After': '1' });

/** As the API and as model clients read errors. */
async function refusal(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  await nextTurn();
  const body = {
    success: false,
    message,
    code,
    data: null,
    error: { message, type: 'tollgate_error', code },
  };
  return Response.json(body, { status, headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });
}

const bracketed = (hostname: string) => (hostname.includes(':') ? `[${hostname}]` : hostname);
