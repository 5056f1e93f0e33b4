// The one door for outbound HTTP. A name is resolved here, every address it has is checked, and the connection goes to a
// checked address (so a second answer of the name server cannot move it). Redirects are never followed, compressed
// answers never asked for, proxies of the environment never used.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { publicAnd, publicOnly, type AddressRule } from './addresses.ts';
import { bridge } from './bridge.ts';
import { createClient } from './client.ts';
import { tlsOptions, type Endpoint } from './connection.ts';
import { headerLines, readAll } from './messages.ts';
import type { OutboundCall, Timeouts } from './outbound-call.ts';
import { parseProxy, type ProxyRoute } from './proxy.ts';
import { SocketCall, type SocketRequest } from './socket-call.ts';

/**
 * `channel`: an upstream an operator configured. `user`: an address a user gave (web hooks, pictures): ports 80 and 443
 * only, small and quick. `system`: a service of the operator's settings, whose origin must be on the list.
 */
export type EgressClass = 'channel' | 'user' | 'system';

export class EgressError extends Error {
  override name = 'EgressError';
  readonly reason:
    | 'bad_url'
    | 'bad_proxy'
    | 'forbidden_address'
    | 'forbidden_port'
    | 'forbidden_header'
    | 'unresolved'
    | 'unpinned_origin';
  constructor(reason: EgressError['reason'], detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
  }
}

export interface EgressOptions {
  /** Addresses and CIDR blocks channels and the operator's services may reach beside public ones, such as `10.1.0.0/16`. */
  allowedPrivateAddresses?: readonly string[];
  /** Origins the `system` class may reach; read per call because settings change. */
  systemOrigins?: () => readonly string[];
  /** The name server; a test may put its own here. */
  resolve?: (hostname: string) => Promise<readonly string[]>;
  /** PEM of an authority to trust beside the system's. */
  certificateAuthority?: string;
}

/** Where to connect for one origin, and what the far side must hear. */
export interface Target {
  readonly endpoint: Endpoint;
  readonly host: string;
}

export interface EgressInit {
  /** A channel's proxy; see `parseProxy`. */
  proxy?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  timeoutSeconds?: number;
  limitBytes?: number;
  /** The body has begun to arrive; for those who time it. */
  onFirst?: () => void;
}

export interface ChannelRequest {
  method: string;
  path: string;
  headers: string;
  body?: string | Uint8Array | undefined;
  timeouts: Timeouts;
}

export interface Egress {
  /** A whole answer, bounded in size and time. */
  fetch(kind: EgressClass, url: string, init?: EgressInit): Promise<Response>;
  /** Answers at once when the origin is known. A proxy is for channels only. */
  target(kind: EgressClass, origin: string, proxy?: string): Target | Promise<Target>;
  /** A streaming call for the relay. */
  open(target: Target, request: ChannelRequest): OutboundCall;
  /** A question asked over a WebSocket; each message of the answer comes as one line of the body. */
  openSocket(target: Target, request: SocketRequest): OutboundCall;
  /** A WebSocket to a checked address; `url` is http(s). */
  webSocket(
    kind: EgressClass,
    url: string,
    headers: Record<string, string>,
    proxy?: string,
  ): Promise<WebSocket>;
  /** Throws what `fetch` would refuse; for checking an address when it is saved. */
  check(kind: EgressClass, url: string): Promise<void>;
  close(): void;
}

const knownForMilliseconds = 30_000;
const knownLimit = 10_000;
const defaults = {
  channel: { timeoutSeconds: 120, limitBytes: 64 * 1024 * 1024 },
  system: { timeoutSeconds: 15, limitBytes: 20 * 1024 * 1024 },
  user: { timeoutSeconds: 10, limitBytes: 20 * 1024 * 1024 },
} as const;

interface Known {
  target: Target;
  until: number;
}

export function createEgress(options: EgressOptions = {}): Egress {
  const channelRule = publicAnd(options.allowedPrivateAddresses ?? []);
  const resolve = options.resolve ?? systemResolver;
  const known = new Map<string, Known>();
  const client = createClient();

  function target(kind: EgressClass, origin: string, proxy = ''): Target | Promise<Target> {
    const key = kind === 'channel' && proxy === '' ? origin : `${kind} ${origin} ${proxy}`;
    const entry = known.get(key);
    if (entry !== undefined && entry.until > performance.now()) return entry.target;
    return find(kind, origin, proxy).then((found) => {
      if (known.size >= knownLimit) known.clear();
      known.set(key, { target: found, until: performance.now() + knownForMilliseconds });
      return found;
    });
  }

  async function find(kind: EgressClass, origin: string, proxy: string): Promise<Target> {
    const url = parse(origin);
    if (kind === 'user' && url.port !== '') throw new EgressError('forbidden_port', url.host);
    // What an operator configured may stand in their own network where they opened it; what a user names never does.
    const rule = kind === 'user' ? publicOnly : channelRule;
    const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const isSecure = url.protocol === 'https:';
    const route = proxy === '' ? undefined : await routeOf(kind, proxy, hostname);
    const addresses = await addressesOf(hostname);
    const [address] = addresses;
    // What this side cannot resolve, the proxy may; a name without a dot would be one of its own network.
    const isLeftToProxy = route !== undefined && hostname.includes('.');
    if (address === undefined && !isLeftToProxy) throw new EgressError('unresolved', hostname);
    requireAllowed(rule, addresses, hostname);
    return {
      endpoint: {
        address: address ?? hostname,
        port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
        serverName: isSecure ? hostname : undefined,
        certificateAuthority: options.certificateAuthority,
        ...(route === undefined ? {} : { proxy: route }),
      },
      host: url.host,
    };
  }

  async function routeOf(kind: EgressClass, text: string, destination: string): Promise<ProxyRoute> {
    const proxy = parseProxy(text);
    if (proxy === undefined || kind !== 'channel') throw new EgressError('bad_proxy', 'not a proxy address');
    const addresses = await addressesOf(proxy.hostname);
    const [address] = addresses;
    if (address === undefined) throw new EgressError('unresolved', proxy.hostname);
    requireAllowed(channelRule, addresses, proxy.hostname);
    return { ...proxy, address, destination, key: text };
  }

  /** Read for every call, because settings change. */
  function requirePinned(kind: EgressClass, { origin }: URL): void {
    if (kind === 'system' && !(options.systemOrigins?.() ?? []).includes(origin))
      throw new EgressError('unpinned_origin', origin);
  }

  async function addressesOf(hostname: string): Promise<readonly string[]> {
    return isIP(hostname) === 0 ? await resolve(hostname).catch(() => []) : [hostname];
  }

  return {
    target,
    open: (at, request) => client.request(at.endpoint, at.host, request),
    async fetch(kind, text, init = {}) {
      const url = parse(text);
      requirePinned(kind, url);
      if (kind === 'user') requireNoCredentials(init.headers ?? {});
      const seconds = init.timeoutSeconds ?? defaults[kind].timeoutSeconds;
      const at = await target(kind, url.origin, init.proxy);
      init.signal?.throwIfAborted();
      const call = client.request(at.endpoint, at.host, {
        method: init.method ?? 'GET',
        path: url.pathname + url.search,
        headers: headerLines(init.headers ?? {}),
        body: init.body,
        timeouts: {
          firstByteSeconds: seconds,
          idleSeconds: seconds,
          totalSeconds: seconds,
          stalledReaderSeconds: seconds,
        },
      });
      const abort = (): void => call.abort();
      init.signal?.addEventListener('abort', abort, { once: true });
      try {
        const answer = await call.answer;
        const limitBytes = init.limitBytes ?? defaults[kind].limitBytes;
        const body = await readAll(call, answer, limitBytes, init.onFirst);
        const hasBody = answer.status !== 204 && answer.status !== 304;
        return new Response(hasBody ? body : null, { status: answer.status, headers: answer.entries() });
      } finally {
        init.signal?.removeEventListener('abort', abort);
      }
    },
    openSocket: (at, request) => new SocketCall(at, request),
    async webSocket(kind, text, headers, proxy) {
      const url = parse(text);
      requirePinned(kind, url);
      if (kind === 'user') requireNoCredentials(headers);
      const { endpoint, host } = await target(kind, url.origin, proxy);
      const { address, port } = endpoint.proxy === undefined ? endpoint : await bridge(endpoint);
      const place = address.includes(':') ? `[${address}]` : address;
      const scheme = endpoint.serverName === undefined ? 'ws' : 'wss';
      return new WebSocket(`${scheme}://${place}:${port}${url.pathname}${url.search}`, {
        headers: { ...headers, Host: host },
        ...(endpoint.serverName === undefined ? {} : { tls: tlsOptions(endpoint) }),
      });
    },
    async check(kind, text) {
      await target(kind, parse(text).origin);
    },
    close: () => client.close(),
  };
}

function parse(text: string): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new EgressError('bad_url', 'not http');
  if (url.username !== '' || url.password !== '')
    throw new EgressError('bad_url', 'credentials in the address');
  return url;
}

const credentialHeader = /^(authorization|proxy-authorization|cookie|.*api-key|.*-token)$/i;

/** Where a user says is nowhere for a secret of ours. */
function requireNoCredentials(headers: Readonly<Record<string, string>>): void {
  const name = Object.keys(headers).find((each) => credentialHeader.test(each));
  if (name !== undefined) throw new EgressError('forbidden_header', name);
}

/** One forbidden address forbids the name: which of them a connection takes is not ours to bet on. */
function requireAllowed(rule: AddressRule, addresses: readonly string[], name: string): void {
  if (!addresses.every((address) => rule.allows(address))) throw new EgressError('forbidden_address', name);
}

async function systemResolver(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map((entry) => entry.address);
}
