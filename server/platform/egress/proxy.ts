// Proxies an operator puts between a channel and its upstream: HTTP and HTTPS (CONNECT) and SOCKS5, with or without a
// name and password.

export type ProxyKind = 'http' | 'https' | 'socks5';

/** A proxy as written in a channel's setting. */
export interface ProxyAddress {
  readonly kind: ProxyKind;
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

const DEFAULT_PORTS: Readonly<Record<ProxyKind, number>> = { http: 80, https: 443, socks5: 1080 };

const KINDS: Readonly<Record<string, ProxyKind>> = {
  'http:': 'http',
  'https:': 'https',
  'socks5:': 'socks5',
  'socks5h:': 'socks5',
};

/** undefined: not the address of a proxy. */
export function parseProxy(text: string): ProxyAddress | undefined {
  const url = URL.parse(text.trim());
  const kind = url === null ? undefined : KINDS[url.protocol];
  if (url === null || kind === undefined || url.hostname === '') return undefined;
  if (!/^\/?$/.test(url.pathname) || url.search !== '') return undefined;
  return {
    kind,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORTS[kind] : Number(url.port),
    username: decoded(url.username),
    password: decoded(url.password),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
