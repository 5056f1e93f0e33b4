// The socket: Bun.serve around the web application, and a graceful end.
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
  server: Bun.Server<Socket>,
) => Response | undefined | Promise<Response | undefined>;

/** `Socket` is what the WebSocket handlers keep per connection. */
export interface ListenOptions<Socket> {
  hostname: string;
  port: number;
  sharedPort: boolean;
  /** Matched before anything else. */
  routes: Record<string, PlainRoute<Socket> | { POST: PlainRoute<Socket> }>;
  websocket: Bun.WebSocketHandler<Socket>;
  fetch: (request: Request, connection: string | null) => Promise<Response>;
  log: Log;
}

/** A connection on which nothing moves for so long is closed; long streams lift this for themselves. */
const IDLE_SECONDS = 60;
const DRAIN_MS = 30_000;
/** API bodies have their own, smaller bound; this is the last line for everything. */
const MOST_BODY_BYTES = 128 * 1024 * 1024;

export function createListener<Socket>(options: ListenOptions<Socket>): Listener {
  const { hostname, port, sharedPort, routes, websocket, fetch, log } = options;
  const server = Bun.serve<Socket>({
    hostname,
    port,
    reusePort: sharedPort,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MOST_BODY_BYTES,
    development: false,
    routes,
    websocket,
    fetch: (request, self) => fetch(request, self.requestIP(request)?.address ?? null),
    error(error) {
      log.error('request failed outside the application', { error });
      return Response.json({ success: false, message: 'internal', data: null }, { status: 500 });
    },
  });
  const everywhere = hostname === '0.0.0.0' || hostname === '::';
  const actualPort = server.port ?? port;
  return {
    port: actualPort,
    url: `http://${everywhere ? 'localhost' : bracketed(hostname)}:${actualPort}`,
    async close() {
      const late = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => late.resolve('late'), DRAIN_MS);
      const ended = await Promise.race([server.stop(), late.promise]);
      clearTimeout(timer);
      if (ended === 'late') {
        log.warn('calls still ran at the end of the drain and were cut', { drain_ms: DRAIN_MS });
        await server.stop(true);
      }
    },
  };
}

const bracketed = (hostname: string) => (hostname.includes(':') ? `[${hostname}]` : hostname);
