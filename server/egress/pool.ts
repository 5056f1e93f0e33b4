// Kept-alive connections to one address, the most recently used first.
import { ascii, encodeText, type ByteText } from './byte-text.ts';
import { connect, type Connection, type ConnectionOwner, type Endpoint } from './connection.ts';

const idleConnectionMilliseconds = 25_000;
const idlePerEndpoint = 256;

export class Pool implements ConnectionOwner {
  /** False once the client has let go of it. */
  isKept = true;
  readonly #endpoint: Endpoint;
  readonly #idle: Connection[] = [];
  #last = { method: '', path: '', host: '', headers: '', text: ascii('') };

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** The head of a request but for the length of its body. Most requests to one address begin as the one before did. */
  beginning(method: string, path: string, host: string, headers: string): ByteText {
    const last = this.#last;
    if (last.headers !== headers || last.path !== path || last.method !== method || last.host !== host) {
      const lines = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}Accept-Encoding: identity\r\n`;
      this.#last = { method, path, host, headers, text: encodeText(lines) };
    }
    return this.#last.text;
  }

  take(): Connection | undefined {
    return this.#idle.pop();
  }

  open(): Promise<Connection> {
    return connect(this.#endpoint, this);
  }

  idle(connection: Connection): void {
    if (this.#idle.length >= idlePerEndpoint) return connection.terminate();
    connection.idleSince = performance.now();
    this.#idle.push(connection);
  }

  gone(connection: Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** True: nothing is kept here any more. */
  prune(now: number): boolean {
    const oldest = now - idleConnectionMilliseconds;
    for (const connection of this.#idle.filter((each) => each.idleSince < oldest)) connection.terminate();
    return this.#idle.length === 0;
  }

  drop(): void {
    for (const connection of this.#idle.slice()) connection.terminate();
  }
}
