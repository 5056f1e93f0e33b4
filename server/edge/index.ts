// The public port. Calls of models come thousands a second, and for each of them the platform's server makes objects that
// cost as much as the rest of the relay; so their way is a small HTTP/1.1 server of our own. Everything else (console, API,
// WebSockets) is carried to that server, which listens behind this one.
import { randomBytes } from 'node:crypto';
import { EdgeConnection, type ConnectionOwner } from './connection.ts';
import type { FastHandler } from './exchange.ts';
import { usualPatience, type Patience } from './patience.ts';

export type { FastHandler, PlainAnswer, PlainRequest, StreamedBody, StreamSink } from './exchange.ts';
export { isStreamed } from './exchange.ts';
export { responseOf } from './platform.ts';
export { RequestFormatError } from './request-head.ts';

export interface EdgeOptions {
  hostname: string;
  port: number;
  /** Several processes share the port. */
  sharedPort: boolean;
  fast(path: string): FastHandler | undefined;
  /** Where the server behind listens. */
  unix: string;
  peers: Peers;
  bodyLimitBytes: number;
  patience?: Patience;
  onFault(error: unknown): void;
}

export interface Edge {
  readonly port: number;
  /** Takes no new connection, lets running requests end. False: some had not when the time was over, and were cut. */
  close(timeoutMilliseconds: number): Promise<boolean>;
}

const sweepMilliseconds = 1000;

export function openEdge(options: EdgeOptions): Edge {
  const connections = new Set<EdgeConnection>();
  const state = { isDraining: false };
  const owner: ConnectionOwner = {
    fast: (path) => options.fast(path),
    unix: options.unix,
    peerLine: (address) => options.peers.line(address),
    bodyLimitBytes: options.bodyLimitBytes,
    patience: options.patience ?? usualPatience,
    get isDraining() {
      return state.isDraining;
    },
    gone: (connection) => void connections.delete(connection),
    fault: (error) => options.onFault(error),
  };
  const listening: Bun.TCPSocketListenOptions<EdgeConnection> & { reusePort: boolean } = {
    hostname: options.hostname,
    port: options.port,
    reusePort: options.sharedPort,
    allowHalfOpen: true,
    socket: {
      open(socket) {
        const connection = new EdgeConnection(owner, socket);
        socket.data = connection;
        connections.add(connection);
      },
      data: (socket, bytes) => socket.data.onData(bytes),
      drain: (socket) => socket.data.onDrain(),
      end: (socket) => socket.data.onEnd(),
      close: (socket) => socket.data.onClosed(),
      error: (socket) => socket.data.terminate(),
    },
  };
  const listener = Bun.listen<EdgeConnection>(listening);
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const connection of connections) if (connection.deadline < now) connection.end();
  }, sweepMilliseconds);
  sweep.unref();
  return {
    port: listener.port,
    async close(timeoutMilliseconds) {
      state.isDraining = true;
      listener.stop();
      const until = performance.now() + timeoutMilliseconds;
      for (;;) {
        for (const connection of connections) connection.drain();
        if (connections.size === 0 || performance.now() > until) break;
        await Bun.sleep(10);
      }
      clearInterval(sweep);
      const isClean = connections.size === 0;
      for (const connection of connections) connection.terminate();
      return isClean;
    },
  };
}

const peerHeader = 'x-tollgate-peer';

/** Tells the server behind who calls. The secret is this process's own, so nobody else can say it. */
export class Peers {
  readonly #secret = randomBytes(24).toString('base64url');

  line(address: string): string {
    return `${peerHeader}: ${this.#secret} ${address}\r\n`;
  }

  /** The caller's address of a request that came through the public port; null for any other. Removes the header. */
  take(headers: Headers): string | null {
    const value = headers.get(peerHeader);
    if (value === null) return null;
    headers.delete(peerHeader);
    const start = `${this.#secret} `;
    // A header the caller sent under this name comes after ours, joined by a comma.
    const [own = ''] = value.split(',', 1);
    return own.startsWith(start) ? own.slice(start.length).trim() : null;
  }
}
