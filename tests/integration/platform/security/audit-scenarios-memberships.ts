// The audit scenarios of organizations: their members, invitations, projects and service accounts.
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { makeOrganization, type Organization } from '#tests/integration/admin/organizations/support.ts';
import {
  byRoot,
  byUser,
  sending,
  unique,
  type Call,
  type Prepare,
  type Scenario,
  type Stage,
} from './audit-stage.ts';

/** A call of the owner of a new organization, for it. */
export const byOwner =
  (call: (organization: Organization, stage: Stage) => Promise<Call> | Call): Prepare =>
  async (stage) => {
    const organization = await makeOrganization(stage.app, unique('Org'));
    const { owner, id } = organization;
    const headers = { [ORGANIZATION_HEADER]: String(id) };
    return sending(stage, { as: owner, headers, ...(await call(organization, stage)) });
  };

const invited = async ({ owner }: Organization, { app }: Stage) => {
  const person = await app.actor();
  const { id } = await owner.client.invitations.create({ body: { to: person.username, role: 'member' } });
  return { person, id };
};

const answering =
  (answer: 'accept' | 'decline'): Prepare =>
  async (stage) => {
    const { person, id } = await invited(await makeOrganization(stage.app, unique('Org')), stage);
    return sending(stage, { as: person, path: `/api/organization/invited/${answer}`, body: { id } });
  };

const byRootOn = (path: string, body: (stage: Stage) => unknown = () => ({})) =>
  byRoot(async (stage) => {
    const { id } = await makeOrganization(stage.app, unique('Org'));
    return { path: `/api/organization/${id}/${path}`, body: await body(stage) };
  });

const BUDGET = { name: 'All', subject: 'organization', period: 'month', quota: 1000 } as const;

const deciding = (verb: 'grant' | 'decline') =>
  byOwner(async ({ owner }) => {
    const budget = await owner.client.budgets.create({ body: BUDGET });
    const params = { id: budget.id };
    const { id } = await owner.client.budgets.ask({ params, body: { amount: 500 } });
    return { path: `/api/organization/budget_requests/${id}/${verb}`, body: {} };
  });

const funded = (id: number, { app, root }: Stage) =>
  app.client(root).organizationManagement.adjustBalance({
    params: { id },
    body: { quota_change: 1000, quota_reason: 'gift' },
  });

async function movedOut(organization: Organization, stage: Stage, to_user_id: number): Promise<void> {
  await funded(organization.id, stage);
  const body = { amount: 100, to_user_id, request_id: unique('move-out') };
  await organization.owner.client.moves.out({ body });
}

/** Asked by a billing member, so that the owner answers. */
const answeringMove = (verb: 'accept' | 'decline') =>
  byOwner(async (organization, stage) => {
    await funded(organization.id, stage);
    const billing = await organization.member('billing');
    const body = { amount: 10, to_user_id: billing.id, request_id: unique('move-out') };
    const { id } = await billing.client.moves.out({ body });
    return { path: `/api/organization/moves/${id}/${verb}`, body: {} };
  });

export const MEMBERSHIP_SCENARIOS: Record<string, Scenario> = {
  'organizations.create': {
    action: 'organization.create',
    prepare: byUser(() => ({ path: '/api/organization/mine', body: { name: unique('Org') } })),
  },
  'organizations.change': {
    action: 'organization.change',
    prepare: byOwner(() => ({ path: '/api/organization/current', method: 'PUT', body: { name: 'Renamed' } })),
  },
  'organizations.changeCompany': {
    action: 'organization.change_company',
    prepare: byOwner(() => ({
      path: '/api/organization/company',
      method: 'PUT',
      body: { company_name: 'Acme Ltd' },
    })),
  },
  'organizations.remove': {
    action: 'organization.delete',
    prepare: byOwner(() => ({ path: '/api/organization/current', method: 'DELETE' })),
  },
  'organizations.offerOwnership': {
    action: 'organization.offer_ownership',
    prepare: byOwner(async (organization) => {
      const { id } = await organization.member('admin');
      return { path: '/api/organization/ownership', body: { user_id: id } };
    }),
  },
  'organizations.withdrawOwnership': {
    action: 'organization.withdraw_ownership',
    prepare: byOwner(async (organization) => {
      const { id } = await organization.member('admin');
      await organization.owner.client.organizations.offerOwnership({ body: { user_id: id } });
      return { path: '/api/organization/ownership', method: 'DELETE' };
    }),
  },
  'members.changeRole': {
    action: 'organization.change_role',
    prepare: byOwner(async (organization) => {
      const { id } = await organization.member('admin');
      return { path: `/api/organization/members/${id}`, method: 'PUT', body: { role: 'viewer' } };
    }),
  },
  'members.remove': {
    action: 'organization.remove_member',
    prepare: byOwner(async (organization) => {
      const { id } = await organization.member('member');
      return { path: `/api/organization/members/${id}/remove`, body: {} };
    }),
  },
  'members.leave': {
    action: 'organization.leave',
    prepare: byOwner(async (organization) => {
      const as = await organization.member('member');
      return { as, path: '/api/organization/leave', body: {} };
    }),
  },
  'invitations.create': {
    action: 'organization.invite',
    prepare: byOwner(async (_, { app }) => {
      const { username } = await app.actor();
      return { path: '/api/organization/invitations', body: { to: username, role: 'member' } };
    }),
  },
  'invitations.resend': {
    action: 'organization.resend_invitation',
    prepare: byOwner(async (organization, stage) => {
      const { id } = await invited(organization, stage);
      // Moved back, so that the new end differs from the old one.
      await stage.app.store.db
        .updateTable('organization_invitations')
        .set({ expires_at: 1 })
        .where('id', '=', id)
        .execute();
      return { path: `/api/organization/invitations/${id}/resend`, body: {} };
    }),
  },
  'invitations.revoke': {
    action: 'organization.revoke_invitation',
    prepare: byOwner(async (organization, stage) => {
      const { id } = await invited(organization, stage);
      return { path: `/api/organization/invitations/${id}`, method: 'DELETE' };
    }),
  },
  'invitations.accept': { action: 'organization.accept', prepare: answering('accept') },
  'invitations.decline': { action: 'organization.decline', prepare: answering('decline') },
  'budgets.create': {
    action: 'budget.create',
    prepare: byOwner(() => ({ path: '/api/organization/budgets', body: BUDGET })),
  },
  'budgets.change': {
    action: 'budget.change',
    prepare: byOwner(async ({ owner }) => {
      const { id } = await owner.client.budgets.create({ body: BUDGET });
      return { path: `/api/organization/budgets/${id}`, method: 'PUT', body: { quota: 2000 } };
    }),
  },
  'budgets.save': {
    action: 'budget.create',
    prepare: byOwner(() => ({
      path: '/api/organization/budgets',
      method: 'PUT',
      body: { create: [BUDGET] },
    })),
  },
  'budgets.remove': {
    action: 'budget.delete',
    prepare: byOwner(async ({ owner }) => {
      const { id } = await owner.client.budgets.create({ body: BUDGET });
      return { path: `/api/organization/budgets/${id}`, method: 'DELETE' };
    }),
  },
  'budgets.ask': {
    action: 'budget.ask',
    prepare: byOwner(async ({ owner }) => {
      const { id } = await owner.client.budgets.create({ body: BUDGET });
      return { path: `/api/organization/budgets/${id}/requests`, body: { amount: 500 } };
    }),
  },
  'budgets.grant': { action: 'budget.grant', prepare: deciding('grant') },
  'budgets.decline': { action: 'budget.decline', prepare: deciding('decline') },
  'budgets.changeTagKeys': {
    action: 'organization.change_tags',
    prepare: byOwner(() => ({ path: '/api/organization/tag_keys', method: 'PUT', body: { keys: ['team'] } })),
  },
  'moves.into': {
    action: 'organization.move_in',
    prepare: byOwner(async (organization, stage) => {
      await movedOut(organization, stage, organization.owner.id);
      return { path: '/api/organization/moves/in', body: { amount: 10, request_id: unique('move-in') } };
    }),
  },
  'moves.out': {
    action: 'organization.move_ask',
    prepare: byOwner(async ({ id, owner }, stage) => {
      await funded(id, stage);
      const body = { amount: 10, to_user_id: owner.id, request_id: unique('move-out') };
      return { path: '/api/organization/moves/out', body };
    }),
  },
  'moves.accept': { action: 'organization.move_accept', prepare: answeringMove('accept') },
  'moves.decline': { action: 'organization.move_decline', prepare: answeringMove('decline') },
  'projects.create': {
    action: 'project.create',
    prepare: byOwner(() => ({ path: '/api/organization/projects', body: { name: 'Beta' } })),
  },
  'projects.change': {
    action: 'project.change',
    prepare: byOwner(async ({ owner }) => {
      const { id } = await owner.client.projects.create({ body: { name: 'Gamma' } });
      return { path: `/api/organization/projects/${id}`, method: 'PUT', body: { models: 'gpt-4o' } };
    }),
  },
  'projects.archive': {
    action: 'project.archive',
    prepare: byOwner(async ({ owner }) => {
      const { id } = await owner.client.projects.create({ body: { name: 'Delta' } });
      return { path: `/api/organization/projects/${id}/archive`, body: {} };
    }),
  },
  'serviceAccounts.create': {
    action: 'service_account.create',
    prepare: byOwner(() => ({ path: '/api/organization/service_accounts', body: { name: 'robot' } })),
  },
  'serviceAccounts.remove': {
    action: 'service_account.delete',
    prepare: byOwner(async ({ owner }) => {
      const { id } = await owner.client.serviceAccounts.create({ body: { name: 'robot' } });
      return { path: `/api/organization/service_accounts/${id}`, method: 'DELETE' };
    }),
  },
  'organizationManagement.suspend': {
    action: 'organization.suspend',
    prepare: byRootOn('suspend', () => ({ reason: 'unpaid' })),
  },
  'organizationManagement.lift': {
    action: 'organization.lift',
    prepare: byRoot(async ({ app, root }) => {
      const { id } = await makeOrganization(app, unique('Org'));
      await app.client(root).organizationManagement.suspend({ params: { id }, body: {} });
      return { path: `/api/organization/${id}/lift`, body: {} };
    }),
  },
  'organizationManagement.setGroup': {
    action: 'organization.set_group',
    prepare: byRootOn('group', () => ({ group: 'vip' })),
  },
  'organizationManagement.addOwner': {
    action: 'organization.add_owner',
    prepare: byRootOn('owner', async ({ app }) => ({ user_id: (await app.createUser()).id })),
  },
  'organizationManagement.adjustBalance': {
    action: 'organization.balance',
    prepare: byRootOn('balance', () => ({ quota_change: 500, quota_reason: 'gift' })),
  },
};
