/** The operator's models, virtual models and comparisons: lists, and a page for each. Names may contain slashes, so a page takes the rest of the path. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { modelSearch } from '#web/features/models/search.ts';
import { shadowSearch } from '#web/features/shadow-calls/search.ts';
import { virtualModelSearch } from '#web/features/virtual-models/search.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { consoleRoute } from './console-route.tsx';

const listRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/model',
  validateSearch: modelSearch,
  loader: () => loadMessages('models', 'thing', 'audit'),
  component: lazyRouteComponent(() => import('#web/features/models/page.tsx'), 'ModelsPage'),
});
const oneRoute = createRoute({ getParentRoute: () => listRoute, path: '$' });

export const modelRoute = listRoute.addChildren([oneRoute]);

const virtualListRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/virtual-model',
  validateSearch: virtualModelSearch,
  // The log has the words why a target did not answer.
  loader: () => loadMessages('virtual-models', 'thing', 'audit', 'logs'),
  component: lazyRouteComponent(() => import('#web/features/virtual-models/page.tsx'), 'VirtualModelsPage'),
});
const virtualOneRoute = createRoute({ getParentRoute: () => virtualListRoute, path: '$' });

export const virtualModelRoute = virtualListRoute.addChildren([virtualOneRoute]);

const shadowListRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/shadow-calls',
  validateSearch: shadowSearch,
  loader: () => loadMessages('shadow-calls', 'thing'),
  component: lazyRouteComponent(() => import('#web/features/shadow-calls/page.tsx'), 'ShadowCallsPage'),
});
const shadowOneRoute = createRoute({ getParentRoute: () => shadowListRoute, path: '$' });

export const shadowRoute = shadowListRoute.addChildren([shadowOneRoute]);
