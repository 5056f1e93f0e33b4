// The caller's end of one request, as the public port hands it to a handler.

export interface CallerConnection {
  /** The caller's address as far as trusted proxies vouch for it; canonical. */
  readonly address: string;
  /**
   * The connection is cut when the caller takes no byte for so long. Bytes the caller sends do not count: while a body is
   * read this is the time for all of it. 0 = never. Precise to four seconds.
   */
  timeout(seconds: number): void;
  /** Makes the connection a WebSocket. False: the request was none for it. */
  upgrade(options: { data: object; headers: Record<string, string> }): boolean;
  /** The request goes on after its handler has returned, until the function is called. */
  keepOpen(): () => void;
}

/** How long callers may keep a connection waiting, in seconds. */
export const CALLER_SECONDS = {
  /** Between two requests, while an answer is not taken, and for a body of up to a megabyte. */
  idle: 75,
  /** For each further megabyte of a body with a length. */
  megabyte: 30,
  /** For all of a body without a length. */
  unsized: 60,
  /** A WebSocket whose caller does not even answer pings counts as gone. Longer than the brake of a realtime session. */
  silentSocket: 120,
} as const;

export type CallerSeconds = { readonly [Name in keyof typeof CALLER_SECONDS]: number };
