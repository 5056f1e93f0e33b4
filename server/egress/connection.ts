// One TCP or TLS connection to an upstream, carrying one exchange after another. It speaks only to the address it was
// given and, with TLS, only to a peer that proves the name.
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Socket, SocketHandler } from 'bun';
import type { ByteText } from './byte-text.ts';
import { ConnectionError } from './connection-error.ts';
import { dial } from './dial.ts';
import type { ProxyRoute } from './proxy.ts';
import { ResponseParser, type ParserEvents } from './response-parser.ts';
import { SocketWriter, type WritableSocket } from './socket-writer.ts';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** The name the certificate must carry; undefined = plain TCP. */
  readonly serverName: string | undefined;
  /** Certificates to trust beside the system's, in PEM; for tests and private authorities. */
  readonly certificateAuthority: string | undefined;
  /** By which way the address is reached; undefined = straight. */
  readonly proxy?: ProxyRoute | undefined;
}

/** What a connection needs of its socket. */
export interface Wire extends WritableSocket {
  pause(): void;
  resume(): void;
  terminate(): void;
}

export interface ConnectionOwner {
  /** Ready for a request (again). */
  idle(connection: Connection): void;
  /** Gone; if an exchange was running on it, that has been told. */
  gone(connection: Connection): void;
}

/** What runs on a connection. `failed` comes at most once and never after `end`. */
export interface Exchange extends ParserEvents {
  failed(error: Error): void;
  /** All parts of what one read brought have been handed over. */
  flush(): void;
}

const nobody: ParserEvents = { head() {}, data() {}, end() {} };

export class Connection {
  readonly owner: ConnectionOwner;
  idleSince = 0;
  uses = 0;
  #socket: Wire | undefined;
  #exchange: Exchange | undefined;
  #parser: ResponseParser | undefined;
  #writer: SocketWriter | undefined;
  #open = true;
  #reusable = false;

  constructor(owner: ConnectionOwner) {
    this.owner = owner;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** No byte of the answer has come yet. */
  get isUnanswered(): boolean {
    return this.#parser !== undefined && !this.#parser.started;
  }

  attach(socket: Wire): void {
    this.#socket = socket;
    this.#writer = new SocketWriter(socket);
  }

  start(exchange: Exchange, method: string, request: ByteText | Buffer): void {
    this.#exchange = exchange;
    if (this.#parser === undefined) this.#parser = new ResponseParser(exchange, method);
    else this.#parser.restart(exchange, method);
    this.#reusable = false;
    this.uses += 1;
    this.#writer?.writeAny(request);
  }

  /** Called by the exchange's `end`. */
  finished(reusable: boolean): void {
    this.#exchange = undefined;
    this.#reusable = reusable && this.#writer?.isFull !== true;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  terminate(): void {
    this.#exchange = undefined;
    this.#close();
  }

  onDrain(): void {
    this.#writer?.drain();
  }

  onData(bytes: Buffer): void {
    const exchange = this.#exchange;
    const parser = this.#parser;
    // Bytes nobody asked for: whatever they are, the next answer on this connection could not be trusted.
    if (exchange === undefined || parser === undefined) return this.#close();
    try {
      parser.push(bytes);
    } catch (error) {
      this.#exchange = undefined;
      this.#close();
      exchange.failed(new ConnectionError('format', error instanceof Error ? error.message : 'bad response'));
      return;
    }
    exchange.flush();
    if (!parser.done || this.#exchange !== undefined) return;
    // An idle connection keeps nothing of the call before.
    parser.restart(nobody, '');
    if (this.#reusable && this.#open) this.owner.idle(this);
    else this.#close();
  }

  onClosed(error: Error | undefined): void {
    if (!this.#open) return;
    this.#open = false;
    const exchange = this.#exchange;
    const parser = this.#parser;
    this.owner.gone(this);
    if (exchange === undefined) return;
    if (error === undefined && parser?.closed()) return exchange.flush();
    this.#exchange = undefined;
    exchange.failed(new ConnectionError(error ? 'reset' : 'closed', 'the upstream closed the connection'));
  }

  onFailed(reason: ConnectionError['reason'], message: string): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#close();
    exchange?.failed(new ConnectionError(reason, message));
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#socket?.terminate();
    this.owner.gone(this);
  }
}

const plainHandlers: SocketHandler<Connection> = {
  data: (socket, bytes) => socket.data.onData(bytes),
  drain: (socket) => socket.data.onDrain(),
  close: (socket, error) => socket.data.onClosed(error),
  end: (socket) => socket.data.onClosed(undefined),
  error: (socket, error) => socket.data.onFailed('reset', error.message),
};

/** Resolves when the connection can carry a request: for TLS, after the peer has proved its name. */
export function connect(endpoint: Endpoint, owner: ConnectionOwner): Promise<Connection> {
  const connection = new Connection(owner);
  if (endpoint.proxy !== undefined) return connectThroughProxy(endpoint, connection);
  return new Promise((resolve, reject) => {
    const fail = (reason: ConnectionError['reason'], message: string): void => {
      // First the reason, then the end: hanging up reports a closed connection.
      reject(new ConnectionError(reason, message));
      connection.terminate();
    };
    const ready = (socket: Socket<Connection>): void => {
      connection.attach(socket);
      resolve(connection);
    };
    const { serverName } = endpoint;
    const handlers: SocketHandler<Connection> = {
      ...plainHandlers,
      open: (socket) => {
        connection.attach(socket);
        if (serverName === undefined) ready(socket);
      },
      close: (socket, error) => {
        reject(new ConnectionError('closed', 'closed while connecting'));
        socket.data.onClosed(error);
      },
      connectError: (_socket, error) => fail('connect', error.message),
    };
    if (serverName !== undefined) {
      handlers.handshake = (socket, success, authorizationError) => {
        const problem = success
          ? (authorizationError ?? nameProblem(socket, serverName))
          : authorizationError;
        if (success && !problem) ready(socket);
        else fail('certificate', problem?.message ?? 'TLS handshake failed');
      };
    }
    void Bun.connect<Connection>({
      hostname: endpoint.address,
      port: endpoint.port,
      socket: handlers,
      data: connection,
      ...(serverName === undefined ? {} : { tls: tlsOptions(endpoint) }),
    }).catch((error: Error) => fail('connect', error.message));
  });
}

/** The detour is not the hot path: it runs on the sockets of Node, which can put one TLS into another. */
async function connectThroughProxy(endpoint: Endpoint, connection: Connection): Promise<Connection> {
  const socket = await dial(endpoint);
  socket.on('data', (bytes: Buffer) => connection.onData(bytes));
  socket.on('end', () => connection.onClosed(undefined));
  socket.on('close', () => connection.onClosed(undefined));
  socket.on('error', (error) => connection.onFailed('reset', error.message));
  connection.attach({
    write(data, start = 0, length = data.length) {
      if (typeof data === 'string') socket.write(data, 'latin1');
      else socket.write(data.subarray(start, start + length));
      return length;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    terminate: () => void socket.destroy(),
  });
  return connection;
}

function nameProblem(socket: Socket<Connection>, serverName: string): Error | undefined {
  const certificate = (
    socket as unknown as { getPeerCertificate(): PeerCertificate | null }
  ).getPeerCertificate();
  if (!certificate) return new Error('no certificate');
  return checkServerIdentity(serverName, certificate);
}

export function tlsOptions({ serverName, certificateAuthority }: Endpoint) {
  return {
    ...(serverName === undefined ? {} : { serverName }),
    rejectUnauthorized: true,
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  };
}
