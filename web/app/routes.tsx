/** The pages. One line per page; each is its own chunk, and its words are loaded with it. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { isAdmin } from '#contract/access.ts';
import { queryClient } from '#web/api.ts';
import { attentionQuery } from '#web/api/queries.ts';
import { currentScope } from '#web/api/scope.ts';
import { storedUser } from '#web/api/session.ts';
import { overviewQueries } from '#web/features/overview/queries.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import {
  callbackRoute,
  loginRoute,
  registerRoute,
  resetConfirmRoute,
  resetRoute,
  signOnRoute,
  telegramBindRoute,
} from './account-routes.tsx';
import {
  aboutRoute,
  docsPageRoute,
  docsRoute,
  homeRoute,
  pricingRoute,
  shellRoute,
} from './public-routes.tsx';
import { rootRoute } from './root-route.tsx';
import { chatLinkRoute, chatOneRoute, chatRoute, playgroundRoute } from './chat-routes.tsx';
import { consoleRoute } from './console-route.tsx';
import {
  agentRoute,
  marginsRoute,
  orderPageRoute,
  orderRoute,
  planPageRoute,
  planRoute,
  priceBookRoute,
  receiptRoute,
  redemptionRoute,
  reratingRoute,
  statementRoute,
  walletRoute,
} from './money-routes.tsx';
import { modelRoute, shadowRoute, virtualModelRoute } from './model-routes.tsx';
import {
  adminKeysRoute,
  budgetsRoute,
  invitationRoute,
  membersRoute,
  organizationAuditRoute,
  organizationRoute,
  organizationSettingRoute,
  organizationSignOnRoute,
  organizationsRoute,
  projectsRoute,
} from './organization-routes.tsx';
import { supplierOneRoute, supplierReportRoute, supplierRoute } from './supplier-routes.tsx';
import { NotFound } from './shell/not-found-page.tsx';
import { auditSearch } from '#web/features/audit/search.ts';
import { dashboardSearch } from '#web/features/dashboard/search.ts';
import { overviewSearch } from '#web/features/overview/search.ts';
import { taskSearch } from '#web/features/tasks/search.ts';
import { jobSearch } from '#web/features/jobs/search.ts';
import { clusterSearch } from '#web/features/cluster/search.ts';
import { incidentSearch } from '#web/features/incidents/search.ts';
import { noticeSearch } from '#web/features/notices/search.ts';
import { channelSearch } from '#web/features/channels/search.ts';
import { logSearch } from '#web/features/logs/search.ts';
import { settingSearch } from '#web/features/settings/search.ts';
import { tokenSearch } from '#web/features/tokens/search.ts';
import { userSearch } from '#web/features/users/search.ts';

/** Unknown addresses keep the shell around them. */
const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound });

const tokenRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/token',
  validateSearch: tokenSearch,
  loader: () => loadMessages('tokens'),
  component: lazyRouteComponent(() => import('#web/features/tokens/route.tsx'), 'TokensRoute'),
});
const tokenPageRoute = createRoute({
  getParentRoute: () => tokenRoute,
  path: '$id',
  loader: () => loadMessages('thing', 'audit'),
});

const logRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/log',
  validateSearch: logSearch,
  loader: () => loadMessages('logs'),
  component: lazyRouteComponent(() => import('#web/features/logs/page.tsx'), 'LogsPage'),
});

/** The list, whose child routes select the open drawer, and the pages of channels. */
const channelRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/channel',
  validateSearch: channelSearch,
  loader: () => loadMessages('channels', 'thing', 'audit'),
  component: lazyRouteComponent(() => import('#web/features/channels/page.tsx'), 'ChannelsPage'),
});
const channelAddRoute = createRoute({ getParentRoute: () => channelRoute, path: 'add' });
const channelOneRoute = createRoute({ getParentRoute: () => channelRoute, path: '$id' });
const channelEditRoute = createRoute({ getParentRoute: () => channelRoute, path: 'edit/$id' });

const settingRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/setting',
  validateSearch: settingSearch,
  loader: () => loadMessages('settings', 'sheet'),
  component: lazyRouteComponent(() => import('./setting-page.tsx'), 'SettingPage'),
});

const userRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/user',
  validateSearch: userSearch,
  loader: () => loadMessages('users'),
  component: lazyRouteComponent(() => import('#web/features/users/route.tsx'), 'UsersRoute'),
});
const loadUserPage = () => loadMessages('thing', 'audit', 'wallet', 'orders', 'tokens');
const userPageRoute = createRoute({
  getParentRoute: () => userRoute,
  path: '$id',
  loader: loadUserPage,
});
const userAddRoute = createRoute({ getParentRoute: () => userRoute, path: 'edit' });
const userEditRoute = createRoute({
  getParentRoute: () => userRoute,
  path: 'edit/$id',
  loader: loadUserPage,
});

const auditRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/audit',
  validateSearch: auditSearch,
  loader: () => loadMessages('audit'),
  component: lazyRouteComponent(() => import('#web/features/audit/page.tsx'), 'AuditPage'),
});

const jobsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/jobs',
  validateSearch: jobSearch,
  loader: () => loadMessages('jobs'),
  component: lazyRouteComponent(() => import('#web/features/jobs/page.tsx'), 'JobsPage'),
});

const nodesRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/nodes',
  validateSearch: clusterSearch,
  loader: () => loadMessages('cluster'),
  component: lazyRouteComponent(() => import('#web/features/cluster/page.tsx'), 'ClusterPage'),
});

const noticesRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/notices',
  validateSearch: noticeSearch,
  loader: () => loadMessages('notices'),
  component: lazyRouteComponent(() => import('#web/features/notices/page.tsx'), 'NoticesPage'),
});

const incidentsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/incidents',
  validateSearch: incidentSearch,
  loader: () => loadMessages('incidents'),
  component: lazyRouteComponent(() => import('#web/features/incidents/page.tsx'), 'IncidentsPage'),
});

const overviewRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/overview',
  validateSearch: overviewSearch,
  loaderDeps: ({ search }) => search,
  // An organization has an overview of its own.
  beforeLoad: () => {
    if (currentScope() !== undefined) throw redirect({ to: '/organization' });
  },
  // The facts are asked for while the page's code is on its way.
  loader: ({ deps }) => {
    const user = storedUser();
    const isSite = user !== undefined && isAdmin(user.role) && deps.view !== 'own';
    void queryClient.prefetchQuery(attentionQuery);
    if (isSite) void queryClient.prefetchQuery(overviewQueries.operator(deps.day ?? 'yesterday'));
    else void queryClient.prefetchQuery(overviewQueries.self);
    return loadMessages('overview');
  },
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewRoutePage'),
});

const dashboardRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/detail',
  validateSearch: dashboardSearch,
  loader: () => loadMessages('dashboard'),
  component: lazyRouteComponent(() => import('#web/features/dashboard/page.tsx'), 'DashboardPage'),
});

const drawingRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/midjourney',
  validateSearch: taskSearch,
  loader: () => loadMessages('tasks'),
  component: lazyRouteComponent(() => import('#web/features/tasks/drawing-page.tsx'), 'DrawingPage'),
});

const taskRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/task',
  validateSearch: taskSearch,
  loader: () => loadMessages('tasks'),
  component: lazyRouteComponent(() => import('#web/features/tasks/route.tsx'), 'TasksRoute'),
});
const taskPageRoute = createRoute({
  getParentRoute: () => taskRoute,
  path: '$id',
  loader: () => loadMessages('thing'),
});

export const routeTree = rootRoute.addChildren([
  loginRoute,
  registerRoute,
  resetRoute,
  resetConfirmRoute,
  callbackRoute,
  signOnRoute,
  telegramBindRoute,
  shellRoute.addChildren([
    homeRoute,
    aboutRoute,
    pricingRoute,
    docsRoute,
    docsPageRoute,
    invitationRoute,
    unknownRoute,
    consoleRoute.addChildren([
      tokenRoute.addChildren([tokenPageRoute]),
      logRoute,
      playgroundRoute,
      chatRoute,
      chatOneRoute,
      chatLinkRoute,
      overviewRoute,
      dashboardRoute,
      drawingRoute,
      taskRoute.addChildren([taskPageRoute]),
      settingRoute,
      channelRoute.addChildren([channelAddRoute, channelOneRoute, channelEditRoute]),
      modelRoute,
      virtualModelRoute,
      shadowRoute,
      userRoute.addChildren([userPageRoute, userAddRoute, userEditRoute]),
      redemptionRoute,
      priceBookRoute,
      reratingRoute,
      orderRoute.addChildren([orderPageRoute]),
      supplierRoute,
      supplierReportRoute,
      supplierOneRoute,
      marginsRoute,
      planRoute.addChildren([planPageRoute]),
      walletRoute,
      agentRoute,
      statementRoute,
      receiptRoute,
      auditRoute,
      jobsRoute,
      nodesRoute,
      noticesRoute,
      incidentsRoute,
      budgetsRoute,
      organizationRoute,
      membersRoute,
      projectsRoute,
      organizationSettingRoute,
      organizationSignOnRoute,
      organizationAuditRoute,
      adminKeysRoute,
      organizationsRoute,
    ]),
  ]),
]);
