// A company's identity provider on loopback: the certified package `oidc-provider` over real HTTP. Whoever comes is signed in as the
// person whose address is the login hint, as a browser would be that is signed in there already.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration } from 'oidc-provider';

export interface IdentityPerson {
  sub: string;
  email: string;
  email_verified?: unknown;
  name?: string;
  groups?: unknown;
}

export interface IdentityProvider {
  issuer: string;
  people: Map<string, IdentityPerson>;
  /** Makes the provider know this client; earlier ones stay. */
  register(client: { id: string; secret: string; redirectUri: string }): void;
  /** Follows the redirects of a browser from this address until one leads elsewhere; that one. */
  visit(authorizeUrl: string): Promise<URL>;
  close(): Promise<void>;
}

const SCOPES = 'openid email profile groups';

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const people = new Map<string, IdentityPerson>();
  const clients: Configuration['clients'] = [];
  const failures: string[] = [];
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = await signingKey();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (provider === undefined) throw new Error('no client is registered');
      if (request.url?.startsWith('/interaction/') !== true) {
        provider.callback()(request, response);
        return;
      }
      const { params } = await provider.interactionDetails(request, response);
      const { login_hint: typed } = params;
      const hint = typeof typed === 'string' ? typed.toLowerCase() : '';
      const person = people.get(hint);
      const result =
        person === undefined
          ? { error: 'access_denied', error_description: 'nobody has this address' }
          : { login: { accountId: person.sub } };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  function restart(): void {
    const made = new Provider(issuer, {
      clients,
      claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      scopes: ['openid', 'email', 'profile', 'groups'],
      jwks: { keys: [key] },
      cookies: { keys: ['a-key-of-tests'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => {
        const person = [...people.values()].find(({ sub }) => sub === id);
        return person && { accountId: person.sub, claims: () => ({ ...person }) };
      },
      loadExistingGrant: async (context) => {
        const { client, session, provider: own } = context.oidc;
        const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope(SCOPES);
        await grant.save();
        return grant;
      },
    });
    made.on('server_error', (_context, error) => failures.push(String(error)));
    provider = made;
  }

  return {
    issuer,
    people,
    register({ id, secret, redirectUri }) {
      clients.push({ client_id: id, client_secret: secret, redirect_uris: [redirectUri] });
      restart();
    },
    visit: (authorizeUrl) =>
      followRedirects(issuer, authorizeUrl).catch((error: unknown) => {
        throw new Error(failures.join('\n') || String(error), { cause: error });
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function signingKey(): Promise<object> {
  const pair = await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    true,
    ['sign', 'verify'],
  );
  const exported = await crypto.subtle.exportKey('jwk', pair.privateKey);
  return { ...exported, kid: 'key-of-tests', use: 'sig', alg: 'RS256', ext: undefined, key_ops: undefined };
}

const MOST_REDIRECTS = 10;

async function followRedirects(issuer: string, from: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(from);
  for (let count = 0; count < MOST_REDIRECTS; count += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
    url = new URL(location, url);
    if (url.origin !== issuer) return url;
  }
  throw new Error('too many redirects');
}
