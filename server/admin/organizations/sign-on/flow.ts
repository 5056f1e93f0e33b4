// The two calls of a visitor. The state is kept under the browser's own session with the organization, the issuer and the client
// that it was begun with: it is valid once, and for no other of them.
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from 'oauth4webapi';
import { z } from 'zod';
import { OUTSIDE_FLOW_SECONDS } from '#contract/admin/outside-logins.ts';
import { SIGN_ON_RETURN_PATH, type signOn } from '#contract/admin/sign-on.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { AppError } from '#contract/errors.ts';
import type { Handlers } from '#server/admin/context.ts';
import type { OidcClient, OidcRegistration } from '#server/admin/oidc-client.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { domainOf, requireSignOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { addressIn, identityIn } from './identity.ts';
import { noticing } from './noticing.ts';
import { signInPerson } from './sign-in.ts';
import { endTroubles, PERSON_TROUBLES, PROVIDER_TROUBLES } from './troubles.ts';

const flowValue = z.object({
  organizationId: z.number(),
  issuer: z.string(),
  clientId: z.string(),
  nonce: z.string(),
  verifier: z.string(),
});

const nameOfFlow = (state: string) => `sign_on:${state}`;
export const secretPlace = (organizationId: number) => `sign_on_providers:${organizationId}:secret`;

export function createSignOnFlow(parts: SignOnDependencies, client: OidcClient): Handlers<typeof signOn> {
  const { store, settings } = parts;

  const registrationOf = (provider: Row<'sign_on_providers'>, name: string): OidcRegistration => ({
    name,
    issuer: provider.issuer,
    clientId: provider.client_id,
    clientSecret: store.vault.open(provider.secret_sealed, secretPlace(provider.organization_id)),
    scopes: provider.scopes,
    redirectUri: redirectUri(settings.current, provider.organization_id),
  });

  return {
    async begin({ body: { email } }, context) {
      requireSignOn(settings.current);
      const found = await providerOfDomain(parts, domainOf(email));
      if (found === undefined) throw new AppError('sign_on_unknown', {}, { field: 'email' });
      const { provider, name } = found;
      const state = generateRandomState();
      const nonce = generateRandomNonce();
      const verifier = generateRandomCodeVerifier();
      const registration = registrationOf(provider, name);
      const value: z.output<typeof flowValue> = {
        organizationId: provider.organization_id,
        issuer: provider.issuer,
        clientId: provider.client_id,
        nonce,
        verifier,
      };
      const challenge = await calculatePKCECodeChallenge(verifier);
      const url = await noticing(parts, provider, '', () =>
        client.authorizeUrl(registration, { state, nonce, challenge }, email),
      );
      await context.flow.keep(nameOfFlow(state), value, OUTSIDE_FLOW_SECONDS);
      return { authorize_url: url, organization: name };
    },
    async finish({ query: { organization, code, state, iss } }, context) {
      requireSignOn(settings.current);
      const flow = flowValue.safeParse(state === '' ? null : await context.flow.take(nameOfFlow(state)));
      if (!flow.success || flow.data.organizationId !== organization)
        throw new AppError('outside_state_invalid');
      const found = await providerOf(parts, organization);
      const isSame =
        found?.provider.issuer === flow.data.issuer && found.provider.client_id === flow.data.clientId;
      if (found === undefined || !isSame) throw new AppError('outside_state_invalid');
      const { provider, name } = found;
      if (code === '') throw new AppError('outside_refused', { provider: name });
      const person = await noticing(parts, provider, '', () =>
        client.person(registrationOf(provider, name), { code, iss }, flow.data),
      );
      const address = addressIn(person);
      const answer = await noticing(parts, provider, address, () =>
        signInPerson(parts, context, { provider, name }, identityIn(person, provider.groups_claim)),
      );
      await endTroubles(store.db, organization, PROVIDER_TROUBLES);
      await endTroubles(store.db, organization, PERSON_TROUBLES, address);
      return answer;
    },
  };
}

export const redirectUri = (
  { ServerAddress }: Pick<SignOnDependencies['settings']['current'], 'ServerAddress'>,
  organizationId: number,
): string => `${ServerAddress}${SIGN_ON_RETURN_PATH}${organizationId}`;

interface FoundProvider {
  provider: Row<'sign_on_providers'>;
  /** Of the organization. */
  name: string;
}

/** Of organizations that are neither deleted nor suspended; with their names. */
export const enabledProviders = ({ store }: Pick<SignOnDependencies, 'store'>) =>
  store.db
    .selectFrom('sign_on_providers')
    .innerJoin('organizations', 'organizations.id', 'sign_on_providers.organization_id')
    .innerJoin('users', 'users.id', 'organizations.id')
    .selectAll('sign_on_providers')
    .select('organizations.name')
    .where('sign_on_providers.enabled', '=', 1)
    .where('organizations.deleted_at', 'is', null)
    .where('users.status', '=', USER_STATUS.activated);

async function providerOf(parts: SignOnDependencies, id: number): Promise<FoundProvider | undefined> {
  const row = await enabledProviders(parts)
    .where('sign_on_providers.organization_id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { name, ...provider } = row;
  return { provider, name };
}

async function providerOfDomain(
  parts: SignOnDependencies,
  domain: string,
): Promise<FoundProvider | undefined> {
  if (domain === '') return undefined;
  const row = await parts.store.db
    .selectFrom('sign_on_domains')
    .select('organization_id')
    .where('domain', '=', domain)
    .where('verified_at', '>', 0)
    .executeTakeFirst();
  return row && (await providerOf(parts, row.organization_id));
}
