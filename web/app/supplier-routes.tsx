/** The pages of suppliers. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { supplierPageSearch, supplierReportSearch, supplierSearch } from '#web/features/suppliers/search.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { consoleRoute } from './console-route.tsx';

export const supplierRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/suppliers',
  validateSearch: supplierSearch,
  loader: () => loadMessages('suppliers'),
  component: lazyRouteComponent(() => import('#web/features/suppliers/page.tsx'), 'SuppliersPage'),
});

export const supplierReportRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/suppliers/report',
  validateSearch: supplierReportSearch,
  loader: () => loadMessages('suppliers'),
  component: lazyRouteComponent(
    () => import('#web/features/suppliers/report-page.tsx'),
    'SupplierReportPage',
  ),
});

export const supplierOneRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/suppliers/$id',
  validateSearch: supplierPageSearch,
  loader: () => loadMessages('suppliers', 'thing', 'audit'),
  component: lazyRouteComponent(
    () => import('#web/features/suppliers/page-of-one/supplier-page.tsx'),
    'SupplierOfOne',
  ),
});
