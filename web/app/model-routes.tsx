/** The operator's models: the list, and a page for each. Names may contain slashes, so a page takes the rest of the path. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { modelSearch } from '#web/features/models/search.ts';
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
