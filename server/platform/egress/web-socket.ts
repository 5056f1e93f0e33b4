// A WebSocket to a checked address, by the platform's client.
import type { IncomingMessage } from 'node:http';
import WS from 'ws';
import { ConnectionError, connectionErrorOf } from './connection-error.ts';
import type { Target } from './target.ts';

export type { default as UpstreamSocket } from 'ws';

/** The upstream answered the handshake with something else than 101. */
export class HandshakeRefusedError extends Error {
  override name = 'HandshakeRefusedError';
  readonly response: IncomingMessage;
  constructor(response: IncomingMessage) {
    super(`the upstream answered the handshake with ${response.statusCode}`);
    this.response = response;
  }
}

export interface SocketOptions {
  /** Path and query, already encoded. */
  path: string;
  headers: Headers;
  messageLimitBytes: number;
  timeoutSeconds: number;
  signal?: AbortSignal;
}

/** Resolves with an open socket, paused, so that no message is lost before there is a listener. */
export function openWebSocket(target: Target, options: SocketOptions): Promise<WS> {
  const { path, headers, messageLimitBytes, timeoutSeconds, signal } = options;
  const { tls } = target.options;
  const socket = new WS(target.socketBase + path, {
    headers: { ...Object.fromEntries(headers), host: target.host },
    maxPayload: messageLimitBytes,
    proxy: false,
    ...(tls === undefined ? {} : { tls }),
  });
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      settle();
      reject(error);
      socket.terminate();
    };
    const onAbort = (): void => fail(new ConnectionError('aborted', 'aborted'));
    const timer = setTimeout(
      () => fail(new ConnectionError('timeout', 'the upstream took too long')),
      timeoutSeconds * 1000,
    );
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.addEventListener('open', () => {
      settle();
      socket.pause();
      resolve(socket);
    });
    socket.on('error', (error) => fail(target.proxyFailure() ?? connectionErrorOf(error)));
    socket.on('unexpected-response', (_request, response) => {
      settle();
      reject(new HandshakeRefusedError(response));
    });
    socket.addEventListener('close', () =>
      fail(target.proxyFailure() ?? new ConnectionError('closed', 'the upstream closed the connection')),
    );
  });
}
