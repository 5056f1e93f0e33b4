// The audit scenarios of an organization's single sign-on: its provider, domains, groups and SCIM keys, and a person who comes in.
import type { Organization } from '#tests/integration/admin/organizations/support.ts';
import { makeOrganization } from '#tests/integration/admin/organizations/support.ts';
import { proveDomain, Visitor } from '#tests/integration/admin/sign-on/support.ts';
import { byOwner } from './audit-scenarios-memberships.ts';
import { sending, unique, type Prepare, type Scenario, type Stage } from './audit-stage.ts';

const PATH = '/api/organization/sign_on';
const newDomain = () => `${unique('d').toLowerCase()}.example`;

/** What the provider is saved with; it knows the client afterwards. */
async function registered({ owner, id }: Organization, { idp }: Stage) {
  const { redirect_uri } = await owner.client.organizationSignOn.read();
  const client = { id: `client-${id}`, secret: 'a-secret-of-tests', redirectUri: redirect_uri };
  idp.register(client);
  return {
    issuer: idp.issuer,
    client_id: client.id,
    client_secret: client.secret,
    scopes: 'email profile',
    groups_claim: '',
  };
}

const withProvider = async (organization: Organization, stage: Stage) => {
  const body = await registered(organization, stage);
  await organization.owner.client.organizationSignOn.saveProvider({ body });
};

const addedDomain = async ({ owner }: Organization, domain = newDomain()) =>
  await owner.client.organizationSignOn.addDomain({ body: { domain } });

const addedGroup = async ({ owner }: Organization) =>
  await owner.client.organizationSignOn.createGroup({ body: { name: unique('team') } });

/** The provider has sent the browser back. */
const returning: Prepare = async (stage) => {
  const organization = await makeOrganization(stage.app, unique('Org'));
  await withProvider(organization, stage);
  const domain = newDomain();
  await proveDomain(stage.names, organization, domain);
  const email = `anna@${domain}`;
  stage.idp.people.set(email, { sub: unique('anna'), email, email_verified: true, name: 'Anna' });
  const visitor = new Visitor(stage);
  const { searchParams } = await stage.idp.visit(await visitor.begin(email));
  searchParams.set('organization', String(organization.id));
  const headers = { Cookie: visitor.cookie };
  return sending(stage, { path: `/api/oauth/organization?${searchParams.toString()}`, headers });
};

export const SIGN_ON_SCENARIOS: Record<string, Scenario> = {
  'signOn.finish': { action: 'sign_on.join', prepare: returning },
  'organizationSignOn.saveProvider': {
    action: 'sign_on.save_provider',
    prepare: byOwner(async (organization, stage) => ({
      path: PATH,
      method: 'PUT',
      body: await registered(organization, stage),
    })),
  },
  'organizationSignOn.removeProvider': {
    action: 'sign_on.remove_provider',
    prepare: byOwner(async (organization, stage) => {
      await withProvider(organization, stage);
      return { path: PATH, method: 'DELETE' };
    }),
  },
  'organizationSignOn.addDomain': {
    action: 'sign_on.add_domain',
    prepare: byOwner(() => ({ path: `${PATH}/domains`, body: { domain: newDomain() } })),
  },
  'organizationSignOn.verifyDomain': {
    action: 'sign_on.verify_domain',
    prepare: byOwner(async (organization, { names }) => {
      const { id, record_name, record_value } = await addedDomain(organization);
      names.records.set(record_name, [record_value]);
      return { path: `${PATH}/domains/${id}/verify`, body: {} };
    }),
  },
  'organizationSignOn.removeDomain': {
    action: 'sign_on.remove_domain',
    prepare: byOwner(async (organization) => {
      const { id } = await addedDomain(organization);
      return { path: `${PATH}/domains/${id}`, method: 'DELETE' };
    }),
  },
  'organizationSignOn.createGroup': {
    action: 'sign_on.create_group',
    prepare: byOwner(() => ({ path: `${PATH}/groups`, body: { name: 'Developers', role: 'member' } })),
  },
  'organizationSignOn.changeGroup': {
    action: 'sign_on.change_group',
    prepare: byOwner(async (organization) => {
      const { id } = await addedGroup(organization);
      return { path: `${PATH}/groups/${id}`, method: 'PUT', body: { role: 'viewer' } };
    }),
  },
  'organizationSignOn.removeGroup': {
    action: 'sign_on.remove_group',
    prepare: byOwner(async (organization) => {
      const { id } = await addedGroup(organization);
      return { path: `${PATH}/groups/${id}`, method: 'DELETE' };
    }),
  },
  'organizationSignOn.createToken': {
    action: 'scim_token.create',
    prepare: byOwner(() => ({ path: `${PATH}/scim_tokens`, body: { name: 'provisioning' } })),
  },
  'organizationSignOn.revokeToken': {
    action: 'scim_token.revoke',
    prepare: byOwner(async ({ owner }) => {
      const { id } = await owner.client.organizationSignOn.createToken({ body: { name: 'provisioning' } });
      return { path: `${PATH}/scim_tokens/${id}`, method: 'DELETE' };
    }),
  },
};
