/** The pages of an organization, the invitations to one, and the list for administrators. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queryClient } from '#web/api.ts';
import { attentionQuery, organizationQuery } from '#web/api/queries.ts';
import { currentScope } from '#web/api/scope.ts';
import { auditSearch } from '#web/features/audit/search.ts';
import {
  invitationSearch,
  managedSearch,
  memberSearch,
  projectSearch,
} from '#web/features/organizations/search.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { consoleRoute } from './console-route.tsx';
import { shellRoute } from './public-routes.tsx';

/** There is nothing of an organization to show in the reader's own account. */
const inOrganization = {
  getParentRoute: () => consoleRoute,
  beforeLoad: () => {
    if (currentScope() === undefined) throw redirect({ to: '/overview' });
    void queryClient.prefetchQuery(organizationQuery);
  },
} as const;

export const organizationRoute = createRoute({
  ...inOrganization,
  path: '/organization',
  loader: () => {
    // Read with each visit: the reader may come from where something of it was done.
    void queryClient.prefetchQuery({ ...attentionQuery, staleTime: 0 });
    return loadMessages('organizations');
  },
  component: lazyRouteComponent(
    () => import('#web/features/organizations/overview/page.tsx'),
    'OrganizationPage',
  ),
});

export const membersRoute = createRoute({
  ...inOrganization,
  path: '/members',
  validateSearch: memberSearch,
  loader: () => loadMessages('organizations'),
  component: lazyRouteComponent(() => import('#web/features/organizations/members/page.tsx'), 'MembersPage'),
});

export const projectsRoute = createRoute({
  ...inOrganization,
  path: '/projects',
  validateSearch: projectSearch,
  loader: () => loadMessages('organizations'),
  component: lazyRouteComponent(
    () => import('#web/features/organizations/projects/page.tsx'),
    'ProjectsPage',
  ),
});

export const budgetsRoute = createRoute({
  ...inOrganization,
  path: '/budgets',
  loader: () => loadMessages('organizations'),
  component: lazyRouteComponent(() => import('#web/features/organizations/budgets/page.tsx'), 'BudgetsPage'),
});

export const organizationSettingRoute = createRoute({
  ...inOrganization,
  path: '/organization-settings',
  loader: () => loadMessages('organizations'),
  component: lazyRouteComponent(
    () => import('#web/features/organizations/settings/page.tsx'),
    'OrganizationSettingsPage',
  ),
});

export const adminKeysRoute = createRoute({
  ...inOrganization,
  path: '/admin-keys',
  loader: () => loadMessages('personal'),
  component: lazyRouteComponent(
    () => import('#web/features/personal/organization-keys.tsx'),
    'OrganizationKeysPage',
  ),
});

export const organizationAuditRoute = createRoute({
  ...inOrganization,
  path: '/organization-audit',
  validateSearch: auditSearch,
  loader: () => loadMessages('audit'),
  component: lazyRouteComponent(
    () => import('#web/features/audit/organization-page.tsx'),
    'OrganizationAuditPage',
  ),
});

export const organizationSignOnRoute = createRoute({
  ...inOrganization,
  path: '/organization-sign-on',
  loader: () => loadMessages('organizations'),
  component: lazyRouteComponent(
    () => import('#web/features/organizations/sign-on/page.tsx'),
    'OrganizationSignOnPage',
  ),
});

/** With the token of a mail for visitors, too; without it the invitations to the reader's account. */
export const invitationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/invitation',
  validateSearch: invitationSearch,
  loader: () => loadMessages('organizations'),
  component: lazyRouteComponent(
    () => import('#web/features/organizations/invitation/page.tsx'),
    'InvitationPage',
  ),
});

export const organizationsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/organizations',
  validateSearch: managedSearch,
  loader: () => loadMessages('organizations'),
  component: lazyRouteComponent(
    () => import('#web/features/organizations/managed/page.tsx'),
    'OrganizationsPage',
  ),
});
