/** The router: typed addresses, pages preloaded when the pointer rests on their link. */
import { createRouter } from '@tanstack/react-router';
import { queryClient } from '#web/api.ts';
import { clearUser } from '#web/api/session.ts';
import { onSignedOut } from '#web/api/transport.ts';
import { routeTree } from './routes.tsx';

export const router = createRouter({
  routeTree,
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
  const { pathname, href } = router.state.location;
  if (SIGN_IN_PAGES.includes(pathname)) return;
  void router.navigate({ to: '/login', search: { expired: true, next: href === '/' ? undefined : href } });
});
