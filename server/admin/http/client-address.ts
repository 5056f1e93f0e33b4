// The caller's address: the address of the connection, or, when that is a trusted proxy, the rightmost address of
// X-Forwarded-For that is not a trusted proxy. A caller can write anything to the left of it, so that part is ignored.
import { canonicalAddress, compileAddressList } from '#contract/ip-address.ts';

export interface Origin {
  /** Canonical: v4-mapped v6 addresses are v4. Empty when the transport has no address. */
  address: string;
  /** The caller reached us, or our trusted proxy, over TLS. */
  secure: boolean;
}

export interface ClientAddresses {
  /**
   * The address alone: the relay needs it on every call. `headers.get` must join repeated header lines with commas, as
   * `Headers` does: with the first line only, a caller's own line would hide the proxy's.
   */
  addressOf(request: { headers: Pick<Headers, 'get'> }, connection: string | null | undefined): string;
  originOf(request: Request, connection: string | null | undefined): Origin;
}

const MAX_HOPS = 32;

export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = compileAddressList(trustedProxies.join('\n'));

  function forwardedFor(header: string, nearest: string): string {
    const hops = header
      .split(',')
      .map((hop) => hop.trim())
      // Empty members carry no meaning in a list (RFC 9110, 5.6.1).
      .filter(Boolean)
      .slice(-MAX_HOPS);
    let address = nearest;
    for (const hop of hops.toReversed()) {
      const next = canonicalAddress(withoutPort(hop));
      // A trusted proxy writes addresses only, so this member and everything left of it came from the caller.
      if (next === null) return address;
      address = next;
      if (!trusted.matches(next)) return address;
    }
    return address;
  }

  const isProxy = (nearest: string) => !trusted.empty && trusted.matches(nearest);

  function addressFrom(request: { headers: Pick<Headers, 'get'> }, nearest: string): string {
    if (!isProxy(nearest)) return nearest;
    const forwarded = request.headers.get('x-forwarded-for');
    return forwarded ? forwardedFor(forwarded, nearest) : nearest;
  }

  return {
    addressOf: (request, connection) => addressFrom(request, nearestOf(connection)),
    originOf(request, connection) {
      const nearest = nearestOf(connection);
      const protocol = isProxy(nearest)
        ? request.headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase()
        : undefined;
      const secure = protocol ? protocol === 'https' : request.url.startsWith('https:');
      return { address: addressFrom(request, nearest), secure };
    },
  };
}

/** Canonical spelling of the connections' addresses: few connections carry many calls. */
const known = new Map<string, string>();
const MAX_KNOWN = 10_000;

function nearestOf(connection: string | null | undefined): string {
  if (!connection) return '';
  const seen = known.get(connection);
  if (seen !== undefined) return seen;
  if (known.size >= MAX_KNOWN) known.clear();
  const address = canonicalAddress(connection) ?? '';
  known.set(connection, address);
  return address;
}

/** Some proxies add the port: `203.0.113.7:5123`, `[2001:db8::1]:5123`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  if (bracketed?.[1]) return bracketed[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text);
  return withPort?.[1] ?? text;
}
