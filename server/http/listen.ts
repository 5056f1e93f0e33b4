// The socket: the public port's own server for calls of models, Bun.serve around the web application behind it, and a
// graceful end of both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEdge, Peers, type FastHandler } from '#server/edge/index.ts';
import type { Log } from './context.ts';

export interface Listener {
  readonly port: number;
  /** For people: localhost when listening on every address. */
  readonly url: string;
  /** Stops accepting and waits for running calls, but not for ever. */
  close(): Promise<void>;
}

/** A plain route of Bun.serve: the way of a call that no framework may slow down. */
export type PlainRoute<Socket> = (
  request: Request,
  server: Pick<Bun.Server<Socket>, 'requestIP' | 'timeout' | 'upgrade'>,
) => Response | undefined | Promise<Response | undefined>;

/** `Socket` is what the WebSocket handlers keep per connection. */
export interface ListenOptions<Socket> {
  hostname: string;
  port: number;
  sharedPort: boolean;
  /** Paths whose POST never reaches Bun.serve. */
  fast: (path: string) => FastHandler | undefined;
  /** Matched before anything else. */
  routes: Record<string, PlainRoute<Socket> | { POST: PlainRoute<Socket> }>;
  websocket: Bun.WebSocketHandler<Socket>;
  fetch: (request: Request, connection: string | null) => Promise<Response>;
  log: Log;
}

const DRAIN_MS = 30_000;
/** API bodies have their own, smaller bound; this is the last line for everything. */
const MOST_BODY_BYTES = 128 * 1024 * 1024;

export function createListener<Socket>(options: ListenOptions<Socket>): Listener {
  const { hostname, port, sharedPort, fast, websocket, fetch, log } = options;
  const peers = new Peers();
  // A directory only this user can enter.
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-'));
  const unix = join(directory, 'http');
  const server = Bun.serve<Socket>({
    ...behind(unix),
    maxRequestBodySize: MOST_BODY_BYTES,
    development: false,
    routes: withPeers(options.routes, peers),
    websocket,
    fetch: (request) => fetch(request, peers.take(request.headers)),
    error(error) {
      log.error('request failed outside the application', { error });
      return Response.json({ success: false, message: 'internal', data: null }, { status: 500 });
    },
  });
  const edge = openEdge({
    hostname,
    port,
    sharedPort,
    fast,
    unix,
    peers,
    bodyLimitBytes: MOST_BODY_BYTES,
    onFault: (error) => log.error('a connection failed', { error }),
  });
  const everywhere = hostname === '0.0.0.0' || hostname === '::';
  const actualPort = edge.port;
  return {
    port: actualPort,
    url: `http://${everywhere ? 'localhost' : bracketed(hostname)}:${actualPort}`,
    async close() {
      const isClean = await edge.close(DRAIN_MS);
      if (!isClean) log.warn('calls still ran at the end of the drain and were cut', { drain_ms: DRAIN_MS });
      await server.stop(true);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** How long a caller may be silent is the public port's to say. The platform's types know no such option for this kind of socket. */
function behind(unix: string): { unix: string } {
  const options = { unix, idleTimeout: 0 };
  return options;
}

/** Handlers ask the server for the caller's address; behind the public port only the peer header knows it. */
function withPeers<Socket>(
  routes: ListenOptions<Socket>['routes'],
  peers: Peers,
): ListenOptions<Socket>['routes'] {
  const wrap =
    (route: PlainRoute<Socket>): PlainRoute<Socket> =>
    (request, self) => {
      const address = peers.take(request.headers);
      return route(request, {
        requestIP: () => (address === null ? null : { address, family: 'IPv4', port: 0 }),
        timeout: (held, seconds) => self.timeout(held, seconds),
        upgrade: (held, ...rest) => self.upgrade(held, ...rest),
      });
    };
  return Object.fromEntries(
    Object.entries(routes).map(([path, route]) => [
      path,
      typeof route === 'function' ? wrap(route) : { POST: wrap(route.POST) },
    ]),
  );
}

const bracketed = (hostname: string) => (hostname.includes(':') ? `[${hostname}]` : hostname);
