// Any OpenID Connect provider, found by its issuer: code flow with PKCE, a nonce in the id token, and the profile from the
// userinfo endpoint where there is one.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import { nameOf, type OutsideIdentity } from './dependencies.ts';
import type { Ask } from './exchange.ts';
import type { BegunFlow, FlowValue } from './flow.ts';
import type { OidcDirectory, ProviderDocument } from './oidc-directory.ts';
import { verifyIdToken } from './id-token.ts';

const tokenAnswer = z.object({ access_token: z.string().min(1), id_token: z.string().min(1) });
const profile = z.object({
  sub: z.string(),
  name: z.string().optional(),
  preferred_username: z.string().optional(),
  nickname: z.string().optional(),
  email: z.string().max(254).optional(),
  // Some providers write it as text.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(false),
});

const redirectUri = ({ ServerAddress }: Settings) => `${ServerAddress}/oauth/oidc`;

export interface Oidc {
  authorizeUrl(flow: BegunFlow): Promise<string>;
  identity(callback: { code: string; iss?: string | undefined }, flow: FlowValue): Promise<OutsideIdentity>;
}

export function createOidc(
  ask: Ask,
  settings: { readonly current: Settings },
  directory: OidcDirectory,
): Oidc {
  return {
    async authorizeUrl({ state, nonce, challenge }) {
      const { authorization_endpoint } = await directory.document();
      const url = new URL(authorization_endpoint);
      const query = {
        response_type: 'code',
        client_id: settings.current.OIDCClientId,
        redirect_uri: redirectUri(settings.current),
        scope: scopes(settings.current),
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
    async identity({ code, iss }, flow) {
      const provider = nameOf('oidc', settings.current);
      const refused = new AppError('outside_refused', { provider });
      const document = await directory.document();
      if (iss !== undefined && iss !== document.issuer) throw refused;
      const { access_token, id_token } = await ask(provider, {
        url: document.token_endpoint,
        ...tokenRequest(settings.current, document, code, flow.verifier),
        answer: tokenAnswer,
      });
      const expected = {
        issuer: document.issuer,
        clientId: settings.current.OIDCClientId,
        nonce: flow.nonce,
      };
      const claims = await verifyIdToken(id_token, expected, directory);
      if (!claims) throw refused;
      const said = await profileOf(document, provider, access_token);
      // A profile of somebody else must not be attached to this sign-in.
      if (said && said.sub !== claims.sub) throw refused;
      return {
        provider: 'oidc',
        // Another issuer may give the same name to somebody else.
        id: `${document.issuer} ${claims.sub}`,
        name: said?.name || said?.preferred_username || said?.nickname || '',
        email: said?.email_verified === true ? (said.email ?? '') : '',
      };
    },
  };

  async function profileOf({ userinfo_endpoint }: ProviderDocument, provider: string, token: string) {
    if (userinfo_endpoint === undefined) return undefined;
    return await ask(provider, {
      url: userinfo_endpoint,
      headers: { Authorization: `Bearer ${token}` },
      answer: profile,
    });
  }
}

/** `openid` is what makes it OpenID Connect, whatever else the operator asks for. */
function scopes({ OIDCScopes }: Settings): string {
  return [...new Set(['openid', ...OIDCScopes.split(/\s+/).filter(Boolean)])].join(' ');
}

/** The client's secret in the header, as the standard prefers, unless the provider takes it only in the form. */
function tokenRequest(settings: Settings, document: ProviderDocument, code: string, verifier: string) {
  const { OIDCClientId, OIDCClientSecret } = settings;
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri(settings),
    code_verifier: verifier,
  };
  const methods = document.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (!methods.includes('client_secret_basic') && methods.includes('client_secret_post'))
    return { form: { ...form, client_id: OIDCClientId, client_secret: OIDCClientSecret } };
  const credentials = [OIDCClientId, OIDCClientSecret].map((text) => encodeURIComponent(text)).join(':');
  return { form, headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}
