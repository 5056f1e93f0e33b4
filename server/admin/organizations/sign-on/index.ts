// Single sign-on of organizations (docs/adr/0111): the provider's two calls, its settings, and what SCIM may do.
import type { organizationSignOn, signOn } from '#contract/admin/sign-on.ts';
import type { Handlers } from '#server/admin/context.ts';
import { createProviderSend } from '#server/admin/login-provider.ts';
import type { ScimDirectory } from '#server/admin/scim-directory.ts';
import { createOidcClient } from '#server/admin/oidc-client.ts';
import { scopeIn } from '#server/admin/organizations/acting.ts';
import { checkSignOn, type CheckParts } from './checks.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { addDomain, removeDomain, verifyDomain } from './domains.ts';
import { createSignOnFlow } from './flow.ts';
import { changeGroup, createGroup, removeGroup } from './groups.ts';
import { removeProvider, saveProvider } from './provider.ts';
import { scimGroups } from './scim-groups.ts';
import { scimPeople } from './scim-people.ts';
import { createToken, revokeToken } from './scim-tokens.ts';
import { signOnView } from './view.ts';

export { requiredSignOn } from './required.ts';
export { holderOf, noteRefusedCall, removeRevokedTokens, type ScimHolder } from './scim-tokens.ts';
export { removeOldTroubles } from './troubles.ts';
export { requireSignOn } from './allowed.ts';
export type { SignOnDependencies } from './dependencies.ts';

export const createScimDirectory = (parts: Pick<SignOnDependencies, 'store' | 'keys'>): ScimDirectory => ({
  ...scimPeople(parts),
  ...scimGroups(parts),
});

export interface SignOnHandlers {
  signOn: Handlers<typeof signOn>;
  organizationSignOn: Handlers<typeof organizationSignOn>;
}

export interface SignOn {
  handlers: SignOnHandlers;
  /** The job. */
  check(signal: AbortSignal): Promise<void>;
}

export function createSignOn(parts: SignOnDependencies & CheckParts): SignOn {
  const { settings, egress, log } = parts;
  // An address that an organization gave: public ones only, unless the operator trusts every owner.
  const kind = () => (settings.current.OrganizationSignOnPrivateAddresses ? 'user-private' : 'result');
  const client = createOidcClient(createProviderSend(egress, log, kind), log);
  const handlers: SignOnHandlers = {
    signOn: createSignOnFlow(parts, client),
    organizationSignOn: {
      read: (_, context) => signOnView(parts, scopeIn(context).id),
      saveProvider: saveProvider(parts, client),
      removeProvider: removeProvider(parts),
      addDomain: addDomain(parts),
      verifyDomain: verifyDomain(parts),
      removeDomain: removeDomain(parts),
      createGroup: createGroup(parts),
      changeGroup: changeGroup(parts),
      removeGroup: removeGroup(parts),
      createToken: createToken(parts),
      revokeToken: revokeToken(parts),
    },
  };
  return { handlers, check: (signal) => checkSignOn(parts, client, signal) };
}
