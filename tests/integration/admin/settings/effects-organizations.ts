// Effects of the options of organizations: whether there are any, and who may create one.
import { codeOf } from '#tests/integration/admin/organizations/support.ts';
import type { NewUser } from '#tests/support/application.ts';
import type { Effects, Stage } from './effects-stage.ts';

const creating =
  (user: NewUser = {}, count = 1) =>
  async ({ app }: Stage): Promise<string> => {
    const client = app.client(await app.actor(user));
    const create = () => codeOf(client.organizations.create({ body: { name: 'Effects' } }));
    for (let made = 1; made < count; made += 1) await create();
    return await create();
  };

const ON = { OrganizationsEnabled: 'true' };

const savingProvider =
  (issuer: string) =>
  async ({ app }: Stage): Promise<string> => {
    const founder = await app.actor();
    const { id } = await app.client(founder).organizations.create({ body: { name: 'Effects' } });
    const body = { issuer, client_id: 'client', client_secret: 'secret' };
    return await codeOf(app.client(founder, id).organizationSignOn.saveProvider({ body }));
  };

export const organizationEffects: Effects = {
  OrganizationsEnabled: {
    effect: 'Users can create organizations and act for them',
    text: 'true',
    observe: creating(),
    before: 'organizations_disabled',
    after: 'done',
  },
  OrganizationSignOn: {
    effect: 'Organizations can set up an identity provider, mail domains and SCIM',
    given: () => ON,
    text: 'true',
    observe: savingProvider('ftp://id.example'),
    before: 'sign_on_disabled',
    after: 'sign_on_issuer_invalid',
  },
  OrganizationSignOnPrivateAddresses: {
    effect: 'Their providers may be in private networks of ALLOWED_PRIVATE_ADDRESSES, and use http',
    given: () => ({ ...ON, OrganizationSignOn: 'true' }),
    text: 'true',
    // Nothing listens there.
    observe: savingProvider('http://127.0.0.1:9'),
    before: 'sign_on_issuer_invalid',
    after: 'sign_on_issuer_unusable',
  },
  OrganizationCreation: {
    effect: 'Only administrators can create organizations',
    given: () => ON,
    text: 'admins',
    observe: creating(),
    before: 'done',
    after: 'organization_creation_refused',
  },
  OrganizationCreationGroups: {
    effect: 'Users of these groups can create organizations',
    given: () => ({ ...ON, OrganizationCreation: 'groups' }),
    text: 'vip,svip',
    observe: creating({ group: 'vip' }),
    before: 'organization_creation_refused',
    after: 'done',
  },
  OrganizationsPerUser: {
    effect: 'How many organizations one user can own',
    given: () => ON,
    text: '1',
    observe: creating({}, 2),
    before: 'done',
    after: 'organization_limit_reached',
  },
};
