// An upstream with full control of its sockets: plain or TLS, counting connections and requests, answering with any bytes.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { UPSTREAM_CERTIFICATE, UPSTREAM_KEY } from '#server/platform/egress/test-certificates.ts';

export interface RawUpstream extends AsyncDisposable {
  /** `upstream.test` is the name in the certificate. */
  url: string;
  connections: number;
  /** Bodies of the requests that arrived whole, in order. */
  received: string[];
  /** Connections that are open now. */
  open(): number;
  /** When the last connection was closed, by `Date.now`. */
  closedAtMilliseconds: number;
}

/** `index`: which request of the upstream's life it is, from 0. */
export type RawAnswer = (socket: Socket, index: number) => void;

export const whole = (body: string, type = 'application/json'): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export interface RawOptions {
  isSecure?: boolean;
  /** Called before `answer`, for answers that depend on the request's head. */
  onHead?: (socket: Socket, head: string) => void;
}

export async function startRawUpstream(answer: RawAnswer, options: RawOptions = {}): Promise<RawUpstream> {
  const { isSecure = false, onHead } = options;
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    upstream.connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      upstream.closedAtMilliseconds = Date.now();
    });
    let pending = '';
    socket.on('data', (bytes: Buffer) => {
      pending += bytes.toString('latin1');
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/^content-length: (\d+)/im.exec(pending.slice(0, headEnd))?.[1] ?? 0);
      const body = pending.slice(headEnd + 4);
      if (body.length < length) return;
      onHead?.(socket, pending.slice(0, headEnd));
      pending = '';
      answer(socket, upstream.received.push(body) - 1);
    });
  };
  const server = isSecure
    ? createTlsServer({ key: UPSTREAM_KEY, cert: UPSTREAM_CERTIFICATE }, serve)
    : createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: RawUpstream = {
    url: `${isSecure ? 'https' : 'http'}://upstream.test:${port}`,
    connections: 0,
    received: [],
    open: () => sockets.size,
    closedAtMilliseconds: 0,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await Bun.sleep(0);
    },
  };
  return upstream;
}

/** Writes the same bytes again and again, as fast as they are taken, until the socket closes or `until` says so. */
export function flood(socket: Socket, bytes: Buffer, until: () => boolean = () => false): void {
  const go = (): void => {
    while (!socket.destroyed && !until()) {
      if (socket.write(bytes)) continue;
      socket.once('drain', go);
      return;
    }
  };
  go();
}
