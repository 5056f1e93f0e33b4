/** The pages that need no user, inside the shell. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pricingSearch } from '#web/features/pricing/search.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { rootRoute } from './root-route.tsx';
import { Shell } from './shell/shell.tsx';

export const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell });

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home-document.tsx'), 'HomeDocument'),
});

export const aboutRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/about',
  loader: () => loadMessages('site', 'announcements'),
  component: lazyRouteComponent(() => import('./public-pages.tsx'), 'AboutRoutePage'),
});

export const pricingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/pricing',
  validateSearch: pricingSearch,
  loader: () => loadMessages('pricing', 'site'),
  component: lazyRouteComponent(() => import('./public-pages.tsx'), 'PricingRoutePage'),
});

const docs = {
  getParentRoute: () => shellRoute,
  loader: () => loadMessages('docs'),
  component: lazyRouteComponent(() => import('#web/features/docs/page.tsx'), 'DocsPage'),
} as const;
export const docsRoute = createRoute({ ...docs, path: '/docs' });
export const docsPageRoute = createRoute({ ...docs, path: '/docs/$page' });
