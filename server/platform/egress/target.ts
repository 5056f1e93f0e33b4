// Where the calls to one origin go: a checked address, or a tunnel through a proxy, with the name the certificate must have.
import { isIP } from 'node:net';
import type { ConnectionError } from './connection-error.ts';
import type { Tunnel } from './tunnel.ts';

export interface Origin {
  readonly hostname: string;
  /** With the port, as the `Host` header has it. */
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

export interface TlsOptions {
  rejectUnauthorized: true;
  serverName?: string;
  ca?: string;
}

const PLAIN = { proxy: false, redirect: 'manual', decompress: false, timeout: false } as const;

export interface Target {
  /** Scheme, place and port of what `fetch` connects to. */
  readonly base: string;
  readonly host: string;
  /** The same for every request to the target. Proxies of the environment are never used. */
  readonly options: typeof PLAIN & { tls?: TlsOptions; unix?: string };
  /** The path of a WebSocket's address is added to it. */
  readonly socketBase: string;
  /** Why the proxy could not be used last time. */
  proxyFailure(): ConnectionError | undefined;
}

export function directTarget(origin: Origin, address: string, certificateAuthority?: string): Target {
  const place = `${address.includes(':') ? `[${address}]` : address}:${origin.port}`;
  return {
    base: `${origin.isSecure ? 'https' : 'http'}://${place}`,
    host: origin.host,
    options: { ...PLAIN, ...tlsFor(origin, certificateAuthority) },
    socketBase: `${origin.isSecure ? 'wss' : 'ws'}://${place}`,
    proxyFailure: () => undefined,
  };
}

export function tunnelTarget(origin: Origin, tunnel: Tunnel, certificateAuthority?: string): Target {
  const { hostname, port, isSecure } = origin;
  const place = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  return {
    base: `${isSecure ? 'https' : 'http'}://${place}`,
    host: origin.host,
    options: { ...PLAIN, unix: tunnel.path, ...tlsFor(origin, certificateAuthority) },
    socketBase: `${isSecure ? 'wss' : 'ws'}+unix://${tunnel.path}:`,
    proxyFailure: () => tunnel.failure,
  };
}

/** An address cannot be asked for by name in TLS; the certificate must carry it all the same. */
function tlsFor({ hostname, isSecure }: Origin, certificateAuthority: string | undefined) {
  if (!isSecure) return {};
  const tls: TlsOptions = {
    rejectUnauthorized: true,
    ...(isIP(hostname) === 0 ? { serverName: hostname } : {}),
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  };
  return { tls };
}
