// Organizations: accounts that several people act for (docs/adr/0108-an-organisation-is-an-account.md). One file per verb; each
// locks the organization first.
import type { budgets } from '#contract/admin/organization-budgets.ts';
import type { invitations } from '#contract/admin/organization-invitations.ts';
import type { organizationManagement } from '#contract/admin/organization-management.ts';
import type { moves } from '#contract/admin/organization-moves.ts';
import type { projects, serviceAccounts } from '#contract/admin/organization-projects.ts';
import type { members, organizations } from '#contract/admin/organizations.ts';
import { callerOf, type Handlers } from '#server/admin/context.ts';
import { scopeIn } from './acting.ts';
import {
  acceptInvitation,
  declineInvitation,
  myInvitations,
  openInvitations,
  readByToken,
} from './answer.ts';
import { createBudgetHandlers } from './budgets/index.ts';
import { changeCompany, changeOrganization } from './change.ts';
import { createOrganization, mayCreate } from './create.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { leaveOrganization, removeMember } from './end-membership.ts';
import { listInvitations } from './invitation-view.ts';
import { invite, resendInvitation, revokeInvitation } from './invite.ts';
import { addOwner, adjustBalance, liftOrganization, setGroup, suspendOrganization } from './manage.ts';
import { listManaged, readManaged } from './managed-view.ts';
import { changeRole, listMembers } from './members.ts';
import { createMoveHandlers } from './moves/index.ts';
import { offerOwnership, withdrawOwnership } from './ownership.ts';
import { archiveProject, changeProject, createProject, listProjects } from './projects.ts';
import { removeOrganization } from './remove.ts';
import { createServiceAccount, listServiceAccounts, removeServiceAccount } from './service-accounts.ts';
import { organizationView, ownOrganizations } from './view.ts';

export { leaveAll } from './end-membership.ts';
export { organizationFacts } from './facts.ts';
export type { LetterQueue, OrganizationDependencies, OrganizationKeys } from './dependencies.ts';

export interface OrganizationHandlers {
  organizations: Handlers<typeof organizations>;
  members: Handlers<typeof members>;
  invitations: Handlers<typeof invitations>;
  projects: Handlers<typeof projects>;
  serviceAccounts: Handlers<typeof serviceAccounts>;
  budgets: Handlers<typeof budgets>;
  moves: Handlers<typeof moves>;
  organizationManagement: Handlers<typeof organizationManagement>;
}

export function createOrganizationHandlers(parts: OrganizationDependencies): OrganizationHandlers {
  return {
    organizations: organizationHandlers(parts),
    members: {
      list: listMembers(parts),
      changeRole: changeRole(parts),
      remove: removeMember(parts),
      leave: leaveOrganization(parts),
    },
    invitations: {
      list: listInvitations(parts),
      create: invite(parts),
      resend: resendInvitation(parts),
      revoke: revokeInvitation(parts),
      mine: myInvitations(parts),
      readByToken: readByToken(parts),
      accept: acceptInvitation(parts),
      decline: declineInvitation(parts),
    },
    projects: {
      list: listProjects(parts),
      create: createProject(parts),
      change: changeProject(parts),
      archive: archiveProject(parts),
    },
    serviceAccounts: {
      list: listServiceAccounts(parts),
      create: createServiceAccount(parts),
      remove: removeServiceAccount(parts),
    },
    budgets: createBudgetHandlers(parts),
    moves: createMoveHandlers(parts),
    organizationManagement: {
      list: listManaged(parts),
      read: readManaged(parts),
      suspend: suspendOrganization(parts),
      lift: liftOrganization(parts),
      setGroup: setGroup(parts),
      addOwner: addOwner(parts),
      adjustBalance: adjustBalance(parts),
    },
  };
}

function organizationHandlers(parts: OrganizationDependencies): Handlers<typeof organizations> {
  const { store, settings } = parts;
  return {
    async mine(_, context) {
      const caller = callerOf(context);
      if (!settings.current.OrganizationsEnabled) return { items: [], can_create: false, invited: 0 };
      const [items, invited] = await Promise.all([
        ownOrganizations(store.db, caller.id),
        openInvitations(store.db, caller.id),
      ]);
      return { items, can_create: mayCreate(parts, caller), invited: invited.length };
    },
    create: createOrganization(parts),
    read: (_, context) => {
      const scope = scopeIn(context);
      return organizationView(store.db, scope, scope.role);
    },
    change: changeOrganization(parts),
    changeCompany: changeCompany(parts),
    remove: removeOrganization(parts),
    offerOwnership: offerOwnership(parts),
    withdrawOwnership: withdrawOwnership(parts),
  };
}
