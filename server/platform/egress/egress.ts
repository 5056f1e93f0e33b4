// The one door for outbound HTTP. A name is resolved here, every address it has is checked, and the connection goes to a
// checked address (so a second answer of the name server cannot move it). Redirects are never followed, compressed
// answers never asked for, proxies of the environment never used.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { publicAnd, publicOnly, type AddressRule } from './addresses.ts';
import { hostRule } from './allowed-hosts.ts';
import { HttpCall, readAll, withHeaders, type OutboundCall, type OutboundRequest } from './http-call.ts';
import { parseProxy } from './proxy.ts';
import { EgressError, requireAllowed } from './refusal.ts';
import { IndexedSet } from './indexed-set.ts';
import { SocketCall, type SocketRequest } from './socket-call.ts';
import { textRecords } from './text-records.ts';
import { directTarget, tunnelTarget, type Origin, type Target } from './target.ts';
import { Tunnels, type Tunnel } from './tunnel.ts';
import { openWebSocket, type UpstreamSocket } from './web-socket.ts';

/**
 * `channel`: an upstream an operator configured. `user`: an address a user gave (web hooks, pictures): ports 80 and 443
 * only, small and quick. `result`: an address an upstream named, which an upstream must not be able to turn inwards: public ones
 * only, on any port, by the channel's proxy. `system`: a service of the operator's settings, whose origin must be on the list.
 * `user-private`: an address a user gave, where the operator lets users into the private networks of the environment; what was
 * opened by a setting was opened for channels.
 */
export type EgressClass = 'channel' | 'user' | 'user-private' | 'result' | 'system';

export interface EgressOptions {
  /** Addresses and CIDR blocks channels and the operator's services may reach beside public ones, such as `10.1.0.0/16`. */
  allowedPrivateAddresses?: readonly string[];
  /** More of them, for channels and services only. Read per call, because settings change: the same array means no change. */
  openedPrivateAddresses?: () => readonly string[];
  /** The only hosts that anything may reach; none: every host. See `allowed-hosts.ts`. */
  allowedHosts?: readonly string[];
  /** Origins the `system` class may reach; read per call because settings change. */
  systemOrigins?: () => readonly string[];
  /** Name servers that are asked for text records, as `127.0.0.1:5353`; none: the system's. */
  nameServers?: readonly string[];
  /** Replaces the system's resolver in tests. */
  resolve?: (hostname: string) => Promise<readonly string[]>;
  /** PEM of an authority to trust beside the system's. */
  certificateAuthority?: string;
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
  /** Called when the body begins to arrive. */
  onFirst?: () => void;
}

export interface Egress {
  /** A whole answer, bounded in size and time. */
  fetch(kind: EgressClass, url: string, init?: EgressInit): Promise<Response>;
  /** Where calls to an origin go; remembered for half a minute. A proxy is for channels only. */
  target(kind: EgressClass, origin: string, proxy?: string): Target | Promise<Target>;
  /** A call whose answer is read piece by piece. */
  open(target: Target, request: OutboundRequest): OutboundCall;
  /** A question asked over a WebSocket; each message of the answer is one line of the body. */
  openSocket(target: Target, request: SocketRequest): OutboundCall;
  /** An open WebSocket to a checked address, paused; `url` is http(s). */
  webSocket(
    kind: EgressClass,
    url: string,
    headers: Record<string, string>,
    proxy?: string,
  ): Promise<UpstreamSocket>;
  /** Throws what `fetch` would refuse; for checking an address when it is saved. */
  check(kind: EgressClass, url: string): Promise<void>;
  /** Throws for a host outside the list of allowed ones; for connections that are not HTTP. */
  requireHost(hostname: string): void;
  /** TXT records of a name, as it stands in DNS now; undefined where no name server answers. */
  textRecords(name: string): Promise<string[] | undefined>;
  close(): void;
}

const KNOWN_FOR_MILLISECONDS = 30_000;
const KNOWN_LIMIT = 10_000;
const TICK_MILLISECONDS = 250;
const HANDSHAKE_SECONDS = 15;
const MESSAGE_LIMIT_BYTES = 32 * 1024 * 1024;
const DEFAULTS = {
  channel: { timeoutSeconds: 120, limitBytes: 64 * 1024 * 1024 },
  system: { timeoutSeconds: 15, limitBytes: 20 * 1024 * 1024 },
  user: { timeoutSeconds: 10, limitBytes: 20 * 1024 * 1024 },
  'user-private': { timeoutSeconds: 10, limitBytes: 20 * 1024 * 1024 },
  result: { timeoutSeconds: 120, limitBytes: 64 * 1024 * 1024 },
} as const;

interface Known {
  target: Target;
  until: number;
}

export function createEgress(options: EgressOptions = {}): Egress {
  const tunnels = new Tunnels();
  const { target, requireHost } = createTargets(options, tunnels);
  const running = new IndexedSet<HttpCall>();
  const timer = setInterval(() => {
    const now = performance.now();
    running.visit((call) => call.tick(now));
  }, TICK_MILLISECONDS);
  timer.unref();

  /** Read for every call, because settings change. */
  function requirePinned(kind: EgressClass, { origin }: URL): void {
    if (kind === 'system' && !(options.systemOrigins?.() ?? []).includes(origin))
      throw new EgressError('unpinned_origin', origin);
  }

  return {
    target,
    open: (at, request) => new HttpCall(at, request, running),
    openSocket: (at, request) => new SocketCall(at, request),
    async fetch(kind, text, init = {}) {
      const url = requireWebAddress(text);
      requirePinned(kind, url);
      if (kind === 'user') requireNoCredentials(init.headers ?? {});
      const seconds = init.timeoutSeconds ?? DEFAULTS[kind].timeoutSeconds;
      const at = await target(kind, url.origin, init.proxy);
      init.signal?.throwIfAborted();
      const timeouts = { firstByteSeconds: seconds, idleSeconds: seconds, totalSeconds: seconds };
      const { method = 'GET', body } = init;
      const headers = withHeaders(new Headers(), init.headers ?? {});
      const path = url.pathname + url.search;
      const call = new HttpCall(at, { method, path, headers, body, timeouts }, running);
      return await wholeAnswer(call, init.limitBytes ?? DEFAULTS[kind].limitBytes, init);
    },
    async webSocket(kind, text, headers, proxy) {
      const url = requireWebAddress(text);
      requirePinned(kind, url);
      if (kind === 'user') requireNoCredentials(headers);
      const at = await target(kind, url.origin, proxy);
      return await openWebSocket(at, {
        path: url.pathname + url.search,
        headers: withHeaders(new Headers(), headers),
        messageLimitBytes: MESSAGE_LIMIT_BYTES,
        timeoutSeconds: HANDSHAKE_SECONDS,
      });
    },
    async check(kind, text) {
      await target(kind, requireWebAddress(text).origin);
    },
    requireHost,
    textRecords: (name) => textRecords(name, requireHost, options.nameServers),
    close() {
      clearInterval(timer);
      tunnels.close();
    },
  };
}

async function wholeAnswer(
  call: HttpCall,
  limitBytes: number,
  { signal, onFirst }: EgressInit,
): Promise<Response> {
  const abort = (): void => call.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const answer = await call.answer;
    const bytes = await readAll(call, answer, limitBytes, onFirst);
    const hasBody = answer.status !== 204 && answer.status !== 304;
    return new Response(hasBody ? bytes : null, { status: answer.status, headers: call.headers });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Addresses that may be called: resolved, compared with the rules, and remembered for a while. */
function createTargets(options: EgressOptions, tunnels: Tunnels) {
  const { certificateAuthority } = options;
  const environmentRule = publicAnd(options.allowedPrivateAddresses ?? []);
  let channelRule = environmentRule;
  let opened: readonly string[] = [];
  const allowedHosts = hostRule(options.allowedHosts ?? []);
  const resolve = options.resolve ?? systemResolver;
  const known = new Map<string, Known>();

  /** Targets found by the old rule are forgotten, so that an address that is no longer allowed is not called again. */
  function followOpened(): void {
    const now = options.openedPrivateAddresses?.() ?? opened;
    if (now === opened) return;
    opened = now;
    channelRule = publicAnd([...(options.allowedPrivateAddresses ?? []), ...opened]);
    known.clear();
  }

  function target(kind: EgressClass, origin: string, proxy = ''): Target | Promise<Target> {
    followOpened();
    const key = kind === 'channel' && proxy === '' ? origin : `${kind} ${origin} ${proxy}`;
    const entry = known.get(key);
    if (entry !== undefined && entry.until > performance.now()) return entry.target;
    return learn(key, kind, origin, proxy);
  }

  async function learn(key: string, kind: EgressClass, origin: string, proxy: string): Promise<Target> {
    const rule = channelRule;
    const found = await find(kind, origin, proxy);
    if (known.size >= KNOWN_LIMIT) known.clear();
    // A target found by a rule that was replaced meanwhile is not remembered.
    if (rule === channelRule)
      known.set(key, { target: found, until: performance.now() + KNOWN_FOR_MILLISECONDS });
    return found;
  }

  async function find(kind: EgressClass, text: string, proxy: string): Promise<Target> {
    const url = requireWebAddress(text);
    if (kind === 'user' && url.port !== '') throw new EgressError('forbidden_port', url.host);
    const origin = originOf(url);
    const { hostname } = origin;
    requireHost(hostname);
    const tunnel = proxy === '' ? undefined : await tunnelTo(kind, origin, proxy);
    const addresses = await addressesOf(hostname);
    const [address] = addresses;
    requireAllowed(ruleOf(kind), addresses, origin);
    if (tunnel !== undefined) {
      // The proxy may resolve what this side cannot; a name without a dot would be one of its own network.
      if (address === undefined && !hostname.includes('.')) throw new EgressError('unresolved', hostname);
      return tunnelTarget(origin, tunnel, certificateAuthority);
    }
    if (address === undefined) throw new EgressError('unresolved', hostname);
    return directTarget(origin, address, certificateAuthority);
  }

  /** The operator may open a private network for channels and services; addresses from others never reach it. */
  function ruleOf(kind: EgressClass): AddressRule {
    if (kind === 'user' || kind === 'result') return publicOnly;
    return kind === 'user-private' ? environmentRule : channelRule;
  }

  async function tunnelTo(kind: EgressClass, { hostname, port }: Origin, text: string): Promise<Tunnel> {
    const proxy = parseProxy(text);
    if (proxy === undefined || (kind !== 'channel' && kind !== 'result'))
      throw new EgressError('bad_proxy', 'not a proxy address');
    requireHost(proxy.hostname);
    const addresses = await addressesOf(proxy.hostname);
    const [address] = addresses;
    if (address === undefined) throw new EgressError('unresolved', proxy.hostname);
    requireAllowed(channelRule, addresses, proxy);
    return await tunnels.to(`${text} ${address} ${hostname} ${port}`, {
      proxy,
      address,
      destination: hostname,
      port,
      certificateAuthority,
    });
  }

  /** Before the name is resolved. */
  function requireHost(hostname: string): void {
    if (!allowedHosts.allows(hostname)) throw new EgressError('forbidden_host', hostname);
  }

  async function addressesOf(hostname: string): Promise<readonly string[]> {
    return isIP(hostname) === 0 ? await resolve(hostname).catch(() => []) : [hostname];
  }

  return { target, requireHost };
}

function originOf(url: URL): Origin {
  const isSecure = url.protocol === 'https:';
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
    host: url.host,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    isSecure,
  };
}

/** What every address must be, before its host is looked at. */
export function requireWebAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new EgressError('bad_url', 'not http');
  if (url.username !== '' || url.password !== '')
    throw new EgressError('bad_url', 'credentials in the address');
  return url;
}

const CREDENTIAL_HEADER = /^(authorization|proxy-authorization|cookie|.*api-key|.*-token)$/i;

/** Secrets of the operator never go to an address a user gave. */
function requireNoCredentials(headers: Readonly<Record<string, string>>): void {
  const name = Object.keys(headers).find((each) => CREDENTIAL_HEADER.test(each));
  if (name !== undefined) throw new EgressError('forbidden_header', name);
}

async function systemResolver(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map((entry) => entry.address);
}
