// The runtime has a module `ws` of its own with the interface of the package: the platform's WebSocket client, and also the
// answer of a server that refused the handshake. Only what is used here is declared: the package's types know neither `proxy` nor
// `tls`, and the runtime's types of its global WebSocket neither `pause` nor the refused handshake.
declare module 'ws' {
  import type { IncomingMessage } from 'node:http';

  export interface WsOptions {
    headers?: Record<string, string>;
    maxPayload?: number;
    proxy?: false;
    tls?: { rejectUnauthorized: true; serverName?: string; ca?: string };
  }

  export default class WS {
    constructor(address: string, options?: WsOptions);
    readonly bufferedAmount: number;
    readonly readyState: number;
    binaryType: 'arraybuffer';
    addEventListener(event: 'open' | 'error', listener: () => void): void;
    addEventListener(event: 'message', listener: (event: { data: string | ArrayBuffer }) => void): void;
    addEventListener(event: 'close', listener: (event: { code: number; reason: string }) => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
    on(event: 'unexpected-response', listener: (request: unknown, response: IncomingMessage) => void): void;
    send(message: string | Uint8Array): void;
    pause(): void;
    resume(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
  }
}
