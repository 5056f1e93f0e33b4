// The site's own OpenID Connect provider, of the operator's settings.
import type { Log } from '#server/admin/context.ts';
import type { Settings } from '#contract/settings.ts';
import { createOidcClient, type OidcCallback, type OidcRegistration } from '#server/admin/oidc-client.ts';
import { nameOf, type OutsideIdentity } from './dependencies.ts';
import type { Exchange } from './exchange.ts';
import type { BegunFlow, FlowValue } from './flow.ts';

export interface Oidc {
  authorizeUrl(flow: BegunFlow): Promise<string>;
  identity(callback: OidcCallback, flow: FlowValue): Promise<OutsideIdentity>;
  /** Origins the provider may be called at: the issuer's, and those that its document names. */
  origins(): readonly string[];
}

export function createOidc(
  send: Exchange['send'],
  settings: { readonly current: Settings },
  log: Pick<Log, 'info'>,
): Oidc {
  const client = createOidcClient(send, log);
  const registration = (): OidcRegistration => {
    const { current } = settings;
    return {
      name: nameOf('oidc', current),
      issuer: current.OIDCIssuer,
      clientId: current.OIDCClientId,
      clientSecret: current.OIDCClientSecret,
      scopes: current.OIDCScopes,
      redirectUri: `${current.ServerAddress}/oauth/oidc`,
    };
  };
  return {
    authorizeUrl: (flow) => client.authorizeUrl(registration(), flow),
    async identity(callback, flow) {
      const { issuer, subject, profile } = await client.person(registration(), callback, flow);
      return {
        provider: 'oidc',
        // Another issuer may give the same subject to another person.
        id: `${issuer} ${subject}`,
        name: profile.name || profile.preferred_username || profile.nickname || '',
        knownAs: profile.preferred_username || profile.name || profile.nickname || '',
        email: profile.email_verified === true ? (profile.email ?? '') : '',
      };
    },
    origins() {
      const issuer = settings.current.OIDCIssuer;
      if (issuer === '') return [];
      const found = client.known(issuer);
      if (found === undefined) return [new URL(issuer).origin];
      const { token_endpoint, jwks_uri, userinfo_endpoint = issuer } = found;
      return [issuer, token_endpoint, jwks_uri, userinfo_endpoint].map((url) => new URL(url).origin);
    },
  };
}
