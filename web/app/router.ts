/** The router: typed addresses, pages preloaded when the pointer rests on their link. */
import { createRouter } from '@tanstack/react-router';
import { queryClient } from '#web/api.ts';
import { currentScope, startScope } from '#web/api/scope.ts';
import { clearUser, storedAccount } from '#web/api/session.ts';
import { onSignedOut } from '#web/api/transport.ts';
import { keepDraftsOf } from '#web/ui/input/draft.ts';
import { isOperatorPage } from './operator-pages.ts';
import { routeTree } from './routes.tsx';
import { scopeRewrite } from './scope-address.ts';

// Before the router reads the first address.
const account = storedAccount();
startScope(window.location.search, account?.id, isOperatorPage(window.location.pathname));
if (account !== undefined) keepDraftsOf(account.id, currentScope()?.id);

export const router = createRouter({
  routeTree,
  rewrite: scopeRewrite,
  defaultPreload: 'intent',
  defaultPreloadDelay: 80,
  defaultPendingMs: 300,
  scrollRestoration: true,
  trailingSlash: 'never',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const SIGN_IN_PAGES = ['/login', '/register'];

onSignedOut(() => {
  clearUser();
  queryClient.removeQueries({
    predicate: (query) => query.queryKey[0] !== 'status' && query.queryKey[0] !== 'site',
  });
  const { pathname, publicHref } = router.state.location;
  if (SIGN_IN_PAGES.includes(pathname)) return;
  const next = publicHref === '/' ? undefined : publicHref;
  void router.navigate({ to: '/login', search: { expired: true, next } });
});
