// Any OpenID Connect provider, found by its issuer: code flow with PKCE, a nonce in the id token, and the profile from the
// userinfo endpoint where there is one. oauth4webapi builds the requests and validates the answers; every request goes
// through `send`, and so through the egress rules. The site's own login and those of organizations use it.
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { unixSeconds } from '#contract/time.ts';
import type { Log } from '#contract/context.ts';
import type { SendToProvider } from './login-provider.ts';
import { ClockError, refuseOnError } from './oidc-refusal.ts';

const endpointUrl = z.url({ protocol: /^https?$/ });
const endpoints = z.object({
  authorization_endpoint: endpointUrl,
  token_endpoint: endpointUrl,
  jwks_uri: endpointUrl,
  userinfo_endpoint: endpointUrl.optional(),
});
const profile = z.object({
  name: z.string().optional(),
  preferred_username: z.string().optional(),
  nickname: z.string().optional(),
  given_name: z.string().optional(),
  family_name: z.string().optional(),
  email: z.string().max(254).optional(),
  // Some providers write it as text.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(false),
});

export type OidcProvider = oauth.AuthorizationServer & z.output<typeof endpoints>;

/** A client as it is registered at a provider. */
export interface OidcRegistration {
  /** Of the provider, in messages. */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces; `openid` is always requested. */
  scopes: string;
  redirectUri: string;
}

export interface OidcCallback {
  code: string;
  /** Issuer that sent the browser back, where the provider names it (RFC 9207). */
  iss?: string | undefined;
}

export interface OidcPerson {
  /** As the provider spells it. */
  issuer: string;
  subject: string;
  profile: z.output<typeof profile>;
  /** Every claim, of the id token and of the userinfo endpoint; an address and its verification are of one of the two. */
  claims: Readonly<Record<string, unknown>>;
}

export interface OidcClient {
  authorizeUrl(
    registration: OidcRegistration,
    flow: { state: string; nonce: string; challenge: string },
    hint?: string,
  ): Promise<string>;
  person(
    registration: OidcRegistration,
    callback: OidcCallback,
    flow: { nonce: string; verifier: string },
  ): Promise<OidcPerson>;
  /** Throws unless the issuer has a valid document. */
  check(registration: Pick<OidcRegistration, 'name' | 'issuer'>): Promise<void>;
  /** The document of an issuer, if it was fetched. */
  known(issuer: string): OidcProvider | undefined;
}

const DOCUMENT_MILLISECONDS = 3_600_000;
const MOST_DOCUMENTS = 500;
const CLOCK_TOLERANCE_SECONDS = 60;
const SUBJECT_CHARACTERS = 255;

export function createOidcClient(send: SendToProvider, log: Pick<Log, 'info'>): OidcClient {
  const { optionsFor, provider, known } = createDiscovery(send);

  async function person(
    { name, issuer, clientId, clientSecret, redirectUri }: OidcRegistration,
    { code, iss }: OidcCallback,
    { nonce, verifier }: { nonce: string; verifier: string },
  ): Promise<OidcPerson> {
    const server = await provider(name, issuer);
    const options = optionsFor(name, issuer);
    const client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    // The state was compared when the flow was taken from the session.
    const parameters = oauth.validateAuthResponse(
      server,
      client,
      new URLSearchParams({ code, ...(iss === undefined ? {} : { iss }) }),
      oauth.expectNoState,
    );
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      clientAuthentication(server, clientSecret),
      parameters,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    // The library leaves the signature to TLS in the code flow; an issuer may have no TLS, so it is checked.
    await oauth.validateApplicationLevelSignature(server, response, options);
    const claims = checkedClaims(oauth.getValidatedIdTokenClaims(tokens), clientId);
    const found =
      server.userinfo_endpoint === undefined
        ? {}
        : await userInfo(server, client, options, { token: tokens.access_token, subject: claims.sub });
    return {
      issuer: server.issuer,
      subject: claims.sub,
      profile: profile.parse(found),
      claims: { ...claims, ...(found['email'] === undefined ? {} : { email_verified: false }), ...found },
    };
  }

  return {
    authorizeUrl: (registration, { state, nonce, challenge }, hint) =>
      refuseOnError(registration.name, log, async () => {
        const { authorization_endpoint } = await provider(registration.name, registration.issuer);
        return withQuery(authorization_endpoint, {
          response_type: 'code',
          client_id: registration.clientId,
          redirect_uri: registration.redirectUri,
          scope: scopesOf(registration.scopes),
          state,
          nonce,
          code_challenge: challenge,
          code_challenge_method: 'S256',
          ...(hint === undefined ? {} : { login_hint: hint }),
        });
      }),
    person: (registration, callback, flow) =>
      refuseOnError(registration.name, log, () => person(registration, callback, flow)),
    check: (registration) =>
      refuseOnError(registration.name, log, async () => {
        await provider(registration.name, registration.issuer, true);
      }),
    known,
  };
}

type RequestOptions = ReturnType<ReturnType<typeof createDiscovery>['optionsFor']>;

/** The providers' documents, each fetched once an hour, and how requests are sent. */
function createDiscovery(send: SendToProvider) {
  /** The library caches the keys under the document: for 300 seconds, and for 60 when a token names an unknown key. */
  const documents = new Map<string, { provider: OidcProvider; until: number }>();
  const running = new Map<string, Promise<OidcProvider>>();

  /** Plain http is for an issuer that itself has no https, in the operator's own network. */
  const optionsFor = (name: string, issuer: string) => ({
    [oauth.allowInsecureRequests]: !issuer.startsWith('https:'),
    [oauth.customFetch]: (
      url: string,
      { method, headers, body }: oauth.CustomFetchOptions<string, unknown>,
    ): Promise<Response> =>
      send(name, url, {
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : undefined,
      }),
  });

  async function discover(name: string, issuer: string): Promise<OidcProvider> {
    const options = optionsFor(name, issuer);
    const response = await oauth.discoveryRequest(new URL(issuer), options);
    const body = await response.text();
    const process = (expected: string) =>
      oauth.processDiscoveryResponse(new URL(expected), new Response(body, { status: response.status }));
    // The setting has no slash at its end; the issuer's own spelling may have one.
    const document = await process(issuer).catch(() => process(`${issuer}/`));
    const provider = { ...document, ...endpoints.parse(document) };
    for (const key of endpoints.keyof().options)
      if (provider[key] !== undefined)
        oauth.checkProtocol(new URL(provider[key]), !options[oauth.allowInsecureRequests]);
    documents.delete(issuer);
    documents.set(issuer, { provider, until: Date.now() + DOCUMENT_MILLISECONDS });
    if (documents.size > MOST_DOCUMENTS) documents.delete(documents.keys().next().value ?? '');
    return provider;
  }

  /** Concurrent sign-ins share one discovery. */
  async function provider(name: string, issuer: string, isFresh = false): Promise<OidcProvider> {
    const found = documents.get(issuer);
    if (!isFresh && found !== undefined && found.until > Date.now()) return found.provider;
    const already = running.get(issuer);
    if (already !== undefined) return await already;
    const discovering = discover(name, issuer).finally(() => running.delete(issuer));
    running.set(issuer, discovering);
    return await discovering;
  }

  return { optionsFor, provider, known: (issuer: string) => documents.get(issuer)?.provider };
}

function checkedClaims(claims: oauth.IDToken | undefined, clientId: string): oauth.IDToken {
  // The library compares `azp` only for several audiences, and does not compare `iat`.
  if (claims === undefined || claims.sub === '' || claims.sub.length > SUBJECT_CHARACTERS)
    throw new Error('no subject');
  if (claims.azp !== undefined && claims.azp !== clientId) throw new Error('issued to another client');
  if (claims.iat > unixSeconds() + CLOCK_TOLERANCE_SECONDS) throw new ClockError('issued in the future');
  return claims;
}

/** The library compares the subject with the id token's. */
async function userInfo(
  server: OidcProvider,
  client: oauth.Client,
  options: RequestOptions,
  { token, subject }: { token: string; subject: string },
): Promise<Record<string, unknown>> {
  const response = await oauth.userInfoRequest(server, client, token, options);
  const answer = await oauth.processUserInfoResponse(server, client, subject, response);
  if (response.headers.get('content-type')?.includes('application/jwt') === true)
    await oauth.validateApplicationLevelSignature(server, response, options);
  return answer;
}

function withQuery(endpoint: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(endpoint);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url.href;
}

/** `openid` is always requested: without it the provider sends no id token. */
function scopesOf(scopes: string): string {
  return [...new Set(['openid', ...scopes.split(/\s+/).filter(Boolean)])].join(' ');
}

/** The secret in the header, as the standard prefers, unless the provider takes it only in the form. */
function clientAuthentication(server: OidcProvider, secret: string): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const isFormOnly = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
  return isFormOnly ? oauth.ClientSecretPost(secret) : secretInHeader(secret);
}

/** Unlike the library's, `-`, `_` and `.` stay as they are: some providers compare the header without decoding it. */
function secretInHeader(secret: string): oauth.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = [client_id, secret].map((text) => encodeURIComponent(text)).join(':');
    headers.set('authorization', `Basic ${btoa(credentials)}`);
  };
}
