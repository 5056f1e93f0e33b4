/** The pages of money: what users pay and spend, and the operator's prices and margins. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { resellerSearch } from '#web/features/resellers/search.ts';
import { marginSearch } from '#web/features/margins/search.ts';
import { orderSearch } from '#web/features/orders/search.ts';
import { planSearch } from '#web/features/plans/search.ts';
import { priceSearch } from '#web/features/price-book/search.ts';
import { redemptionSearch } from '#web/features/redemptions/search.ts';
import { reratingSearch } from '#web/features/rerating/search.ts';
import { receiptSearch, statementSearch, walletSearch } from '#web/features/wallet/search.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { consoleRoute } from './console-route.tsx';

export const redemptionRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/redemption',
  validateSearch: redemptionSearch,
  loader: () => loadMessages('redemptions'),
  component: lazyRouteComponent(() => import('#web/features/redemptions/page.tsx'), 'RedemptionsPage'),
});

export const orderRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/order',
  validateSearch: orderSearch,
  loader: () => loadMessages('orders'),
  component: lazyRouteComponent(() => import('#web/features/orders/route.tsx'), 'OrdersRoute'),
});
export const orderPageRoute = createRoute({
  getParentRoute: () => orderRoute,
  path: '$id',
  loader: () => loadMessages('thing'),
});

export const planRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/plan',
  validateSearch: planSearch,
  loader: () => loadMessages('plans'),
  component: lazyRouteComponent(() => import('#web/features/plans/route.tsx'), 'PlansRoute'),
});
export const planPageRoute = createRoute({
  getParentRoute: () => planRoute,
  path: '$id',
  loader: () => loadMessages('thing', 'audit'),
});

export const agentRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/agent',
  validateSearch: resellerSearch,
  loader: () => loadMessages('resellers'),
  component: lazyRouteComponent(() => import('#web/features/resellers/page.tsx'), 'ResellersPage'),
});

export const walletRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/topup',
  validateSearch: walletSearch,
  loader: () => loadMessages('wallet'),
  component: lazyRouteComponent(() => import('./wallet-page.tsx'), 'WalletRoutePage'),
});

export const statementRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/statement',
  validateSearch: statementSearch,
  loader: () => loadMessages('wallet'),
  component: lazyRouteComponent(() => import('#web/features/wallet/statement-page.tsx'), 'StatementPage'),
});

export const receiptRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/receipt',
  validateSearch: receiptSearch,
  loader: () => loadMessages('wallet'),
  component: lazyRouteComponent(() => import('#web/features/wallet/receipt-page.tsx'), 'ReceiptPage'),
});

export const priceBookRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/prices',
  validateSearch: priceSearch,
  loader: () => loadMessages('price-book', 'sheet'),
  component: lazyRouteComponent(() => import('#web/features/price-book/page.tsx'), 'PriceBookPage'),
});

export const reratingRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/rerating',
  validateSearch: reratingSearch,
  loader: () => loadMessages('rerating'),
  component: lazyRouteComponent(() => import('#web/features/rerating/page.tsx'), 'ReratingPage'),
});

export const marginsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/margins',
  validateSearch: marginSearch,
  loader: () => loadMessages('margins', 'thing'),
  component: lazyRouteComponent(() => import('#web/features/margins/page.tsx'), 'MarginsPage'),
});
