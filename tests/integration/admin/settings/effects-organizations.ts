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

export const organizationEffects: Effects = {
  OrganizationsEnabled: {
    effect: 'Users can create organizations and act for them',
    text: 'true',
    observe: creating(),
    before: 'organizations_disabled',
    after: 'done',
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
