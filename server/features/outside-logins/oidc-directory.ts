// What an OIDC provider says of itself: its endpoints and its signing keys, found from the issuer's address alone, kept for
// an hour and asked again when a token names a key that is not known yet.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import { nameOf } from './dependencies.ts';
import type { Ask } from './exchange.ts';
import { importKey, type Algorithm } from './oidc-keys.ts';

const endpointUrl = z.url({ protocol: /^https?$/ });
const providerDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: endpointUrl,
  token_endpoint: endpointUrl,
  jwks_uri: endpointUrl,
  userinfo_endpoint: endpointUrl.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
export type ProviderDocument = z.output<typeof providerDocument>;

const webKey = z.looseObject({ kty: z.string(), kid: z.string().optional(), use: z.string().optional() });
const keySet = z.object({ keys: z.array(webKey).max(100) });
export type WebKey = z.output<typeof webKey>;

const DOCUMENT_SECONDS = 3600;
/** A token with an unknown key may ask for the keys again, but not for each forged one. */
const KEYS_PAUSE_SECONDS = 30;

interface Known {
  issuer: string;
  document: ProviderDocument;
  until: number;
  keys: readonly WebKey[];
  keysAt: number;
}

export interface OidcDirectory {
  document(): Promise<ProviderDocument>;
  /** The key a token names; undefined when the provider has no such key. */
  key(kid: string | undefined, algorithm: Algorithm): Promise<CryptoKey | undefined>;
  /** Origins the provider may be called at. */
  origins(): readonly string[];
}

export function createOidcDirectory(
  ask: Ask,
  settings: { readonly current: Settings },
  now: () => number = () => Date.now() / 1000,
): OidcDirectory {
  let known: Known | undefined;
  let discovering: { issuer: string; running: Promise<Known> } | undefined;

  async function discover(issuer: string): Promise<Known> {
    const provider = nameOf('oidc', settings.current);
    const document = await ask(provider, {
      url: `${issuer}/.well-known/openid-configuration`,
      answer: providerDocument,
    });
    // Somebody else's document would send codes and the client secret to somebody else.
    if (withoutSlash(document.issuer) !== issuer || !isAsSafe(issuer, document))
      throw new AppError('outside_refused', { provider });
    known = { issuer, document, until: now() + DOCUMENT_SECONDS, keys: [], keysAt: Number.NEGATIVE_INFINITY };
    return known;
  }

  /** One discovery at a time, whoever asks. */
  async function current(): Promise<Known> {
    const issuer = settings.current.OIDCIssuer;
    if (known?.issuer === issuer && known.until > now()) return known;
    if (discovering?.issuer !== issuer) {
      const running = discover(issuer).finally(() => {
        if (discovering?.running === running) discovering = undefined;
      });
      discovering = { issuer, running };
    }
    return await discovering.running;
  }

  async function refreshKeys(at: Known): Promise<void> {
    at.keysAt = now();
    const { keys } = await ask(nameOf('oidc', settings.current), {
      url: at.document.jwks_uri,
      answer: keySet,
    });
    at.keys = keys;
  }

  return {
    document: async () => (await current()).document,
    async key(kid, algorithm) {
      const at = await current();
      let found = choose(at.keys, kid, algorithm);
      if (!found && now() - at.keysAt >= KEYS_PAUSE_SECONDS) {
        await refreshKeys(at);
        found = choose(at.keys, kid, algorithm);
      }
      return found && (await importKey(found, algorithm));
    },
    origins() {
      const issuer = settings.current.OIDCIssuer;
      if (issuer === '') return [];
      const own = new URL(issuer).origin;
      if (known?.issuer !== issuer) return [own];
      const { token_endpoint, jwks_uri, userinfo_endpoint } = known.document;
      return [
        own,
        ...[token_endpoint, jwks_uri, userinfo_endpoint ?? issuer].map((url) => new URL(url).origin),
      ];
    },
  };
}

/** By its id; a token that names none is fine while only one key could be meant. */
function choose(keys: readonly WebKey[], kid: string | undefined, { kty }: Algorithm): WebKey | undefined {
  const signing = keys.filter((key) => key.kty === kty && (key.use === undefined || key.use === 'sig'));
  if (kid !== undefined) return signing.find((key) => key.kid === kid);
  return signing.length === 1 ? signing[0] : undefined;
}

const withoutSlash = (address: string) => address.replace(/\/+$/, '');

/** An issuer on https does not send anything over plain http. */
function isAsSafe(issuer: string, document: ProviderDocument): boolean {
  if (!issuer.startsWith('https:')) return true;
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = document;
  return [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint].every(
    (url) => url === undefined || url.startsWith('https:'),
  );
}
