// Any OpenID Connect provider, found by its issuer: code flow with PKCE, a nonce in the id token, and the profile from the
// userinfo endpoint where there is one. oauth4webapi builds the requests and validates the answers; every request goes
// through `send`, and so through the egress rules for services of the operator's settings.
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { unixSeconds } from '#contract/time.ts';
import type { Log } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import { nameOf, type OutsideIdentity } from './dependencies.ts';
import type { Exchange } from './exchange.ts';
import type { BegunFlow, FlowValue } from './flow.ts';

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
  email: z.string().max(254).optional(),
  // Some providers write it as text.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(false),
});

type Provider = oauth.AuthorizationServer & z.output<typeof endpoints>;

const DOCUMENT_MILLISECONDS = 3_600_000;
const CLOCK_TOLERANCE_SECONDS = 60;
const SUBJECT_CHARACTERS = 255;

export interface Oidc {
  authorizeUrl(flow: BegunFlow): Promise<string>;
  identity(callback: { code: string; iss?: string | undefined }, flow: FlowValue): Promise<OutsideIdentity>;
  /** Origins the provider may be called at: the issuer's, and those that its document names. */
  origins(): readonly string[];
}

export function createOidc(
  send: Exchange['send'],
  settings: { readonly current: Settings },
  log: Pick<Log, 'info'>,
): Oidc {
  const name = () => nameOf('oidc', settings.current);
  const redirectUri = () => `${settings.current.ServerAddress}/oauth/oidc`;
  const { options, provider, knownProvider } = createDiscovery(send, settings);

  async function identity(
    { code, iss }: { code: string; iss?: string | undefined },
    { nonce, verifier }: FlowValue,
  ): Promise<OutsideIdentity> {
    const server = await provider();
    const { OIDCClientId: client_id, OIDCClientSecret: secret } = settings.current;
    const client = { client_id, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
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
      clientAuthentication(server, secret),
      parameters,
      redirectUri(),
      verifier,
      options(),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    // The library leaves the signature to TLS in the code flow; an issuer may have no TLS, so it is checked.
    await oauth.validateApplicationLevelSignature(server, response, options());
    const claims = checkedClaims(oauth.getValidatedIdTokenClaims(tokens), client_id);
    const found =
      server.userinfo_endpoint === undefined
        ? {}
        : await userInfo(server, client, options(), tokens.access_token, claims.sub);
    return {
      provider: 'oidc',
      // Another issuer may give the same subject to another person.
      id: `${server.issuer} ${claims.sub}`,
      name: found.name || found.preferred_username || found.nickname || '',
      knownAs: found.preferred_username || found.name || found.nickname || '',
      email: found.email_verified === true ? (found.email ?? '') : '',
    };
  }

  return {
    authorizeUrl: ({ state, nonce, challenge }) =>
      refuseOnError(name(), log, async () => {
        const { authorization_endpoint } = await provider();
        return authorizeUrl(authorization_endpoint, {
          response_type: 'code',
          client_id: settings.current.OIDCClientId,
          redirect_uri: redirectUri(),
          scope: scopes(settings.current),
          state,
          nonce,
          code_challenge: challenge,
          code_challenge_method: 'S256',
        });
      }),
    identity: (callback, flow) => refuseOnError(name(), log, () => identity(callback, flow)),
    origins() {
      const issuer = settings.current.OIDCIssuer;
      if (issuer === '') return [];
      const found = knownProvider(issuer);
      if (found === undefined) return [new URL(issuer).origin];
      const { token_endpoint, jwks_uri, userinfo_endpoint = issuer } = found;
      return [issuer, token_endpoint, jwks_uri, userinfo_endpoint].map((url) => new URL(url).origin);
    },
  };
}

type RequestOptions = ReturnType<ReturnType<typeof createDiscovery>['options']>;

/** The provider's document, fetched once an hour, and how its requests are sent. */
function createDiscovery(send: Exchange['send'], settings: { readonly current: Settings }) {
  /** The library caches the keys under this object: for 300 seconds, and for 60 when a token names an unknown key. */
  let known: { issuer: string; provider: Provider; until: number } | undefined;
  let discovering: { issuer: string; running: Promise<Provider> } | undefined;

  /** Plain http is for an issuer that itself has no https, in the operator's own network. */
  const options = () => ({
    [oauth.allowInsecureRequests]: !settings.current.OIDCIssuer.startsWith('https:'),
    [oauth.customFetch]: (
      url: string,
      { method, headers, body }: oauth.CustomFetchOptions<string, unknown>,
    ): Promise<Response> =>
      send(nameOf('oidc', settings.current), url, {
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : undefined,
      }),
  });

  async function discover(issuer: string): Promise<Provider> {
    const response = await oauth.discoveryRequest(new URL(issuer), options());
    const body = await response.text();
    const process = (expected: string) =>
      oauth.processDiscoveryResponse(new URL(expected), new Response(body, { status: response.status }));
    // The setting has no slash at its end; the issuer's own spelling may have one.
    const document = await process(issuer).catch(() => process(`${issuer}/`));
    const provider = { ...document, ...endpoints.parse(document) };
    for (const key of endpoints.keyof().options)
      if (provider[key] !== undefined)
        oauth.checkProtocol(new URL(provider[key]), !options()[oauth.allowInsecureRequests]);
    known = { issuer, provider, until: Date.now() + DOCUMENT_MILLISECONDS };
    return provider;
  }

  /** Concurrent sign-ins share one discovery. */
  async function provider(): Promise<Provider> {
    const issuer = settings.current.OIDCIssuer;
    if (known?.issuer === issuer && known.until > Date.now()) return known.provider;
    if (discovering?.issuer !== issuer) {
      const running = discover(issuer).finally(() => {
        if (discovering?.running === running) discovering = undefined;
      });
      discovering = { issuer, running };
    }
    return await discovering.running;
  }

  return {
    options,
    provider,
    knownProvider: (issuer: string) => (known?.issuer === issuer ? known.provider : undefined),
  };
}

function checkedClaims(claims: oauth.IDToken | undefined, clientId: string): oauth.IDToken {
  // The library compares `azp` only for several audiences, and does not compare `iat`.
  if (claims === undefined || claims.sub === '' || claims.sub.length > SUBJECT_CHARACTERS)
    throw new Error('no subject');
  if (claims.azp !== undefined && claims.azp !== clientId) throw new Error('issued to another client');
  if (claims.iat > unixSeconds() + CLOCK_TOLERANCE_SECONDS) throw new Error('issued in the future');
  return claims;
}

/** The library compares the subject with the id token's. */
async function userInfo(
  server: Provider,
  client: oauth.Client,
  options: RequestOptions,
  token: string,
  subject: string,
) {
  const response = await oauth.userInfoRequest(server, client, token, options);
  const answer = await oauth.processUserInfoResponse(server, client, subject, response);
  if (response.headers.get('content-type')?.includes('application/jwt') === true)
    await oauth.validateApplicationLevelSignature(server, response, options);
  return profile.parse(answer);
}

function authorizeUrl(endpoint: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(endpoint);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url.href;
}

/** The library's errors carry tokens and answers in `cause`: only their code is logged. */
async function refuseOnError<Result>(
  name: string,
  log: Pick<Log, 'info'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as { code?: unknown };
    log.info('login provider refused', { provider: name, reason: typeof code === 'string' ? code : '' });
    throw new AppError('outside_refused', { provider: name });
  }
}

/** `openid` is always requested: without it the provider sends no id token. */
function scopes({ OIDCScopes }: Settings): string {
  return [...new Set(['openid', ...OIDCScopes.split(/\s+/).filter(Boolean)])].join(' ');
}

/** The secret in the header, as the standard prefers, unless the provider takes it only in the form. */
function clientAuthentication(server: Provider, secret: string): oauth.ClientAuth {
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
