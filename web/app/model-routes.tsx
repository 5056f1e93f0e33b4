/** The operator's pages of models. Names of models may contain slashes, so a page takes the rest of the path. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { modelSearch } from '#web/features/models/search.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { consoleRoute } from './console-route.tsx';

export const modelRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/model',
  validateSearch: modelSearch,
  loader: () => loadMessages('models', 'thing'),
  component: lazyRouteComponent(() => import('#web/features/models/list.tsx'), 'ModelList'),
});

export const modelOneRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/model/$',
  validateSearch: modelSearch,
  loader: () => loadMessages('models', 'thing', 'audit'),
  component: lazyRouteComponent(() => import('#web/features/models/page.tsx'), 'ModelOfPath'),
});
