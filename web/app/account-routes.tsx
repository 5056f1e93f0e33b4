/** The pages of signing in, registering and resetting a password, and the callbacks of outside logins. */
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { entrySearch } from '#web/api/entry-address.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { flag, pattern, searchParams, text } from '#web/ui/address/search-params.ts';
import { rootRoute } from './root-route.tsx';

/** The page the visitor wanted before. */
const next = pattern(/^\/.{0,2000}$/);

const loginSearch = searchParams({
  expired: flag,
  next,
  /** The name of an account that was just registered. */
  username: text(64),
});

const registerSearch = searchParams({ aff: text(64), next });

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: loginSearch,
  loader: () => loadMessages('account'),
  component: lazyRouteComponent(() => import('#web/features/account/login/login-page.tsx'), 'LoginPage'),
});

export const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  validateSearch: registerSearch,
  loader: () => loadMessages('account'),
  component: lazyRouteComponent(
    () => import('#web/features/account/register/register-page.tsx'),
    'RegisterPage',
  ),
});

export const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset',
  validateSearch: searchParams({ email: text(320) }),
  loader: () => loadMessages('account'),
  component: lazyRouteComponent(() => import('#web/features/account/reset/reset-page.tsx'), 'ResetPage'),
});

/** One-time codes and links are read from the raw query; the router would convert their values. */
const onceOnly = {
  getParentRoute: () => rootRoute,
  validateSearch: searchParams({}),
  loader: async () => {
    await loadMessages('account');
    return entrySearch;
  },
} as const;

export const resetConfirmRoute = createRoute({
  ...onceOnly,
  path: '/user/reset',
  component: lazyRouteComponent(
    () => import('#web/features/account/reset/reset-confirm-page.tsx'),
    'ResetConfirmPage',
  ),
});

const loginCallback = {
  ...onceOnly,
  component: lazyRouteComponent(
    () => import('#web/features/account/outside/callback-page.tsx'),
    'CallbackPage',
  ),
} as const;
export const callbackRoute = createRoute({
  ...loginCallback,
  path: '/oauth/$provider',
  beforeLoad: ({ params }) => {
    if (!/^(github|linuxdo|oidc|telegram)$/.test(params.provider)) throw notFound();
  },
});
export const signOnRoute = createRoute({
  ...onceOnly,
  path: '/oauth/organization/$id',
  component: lazyRouteComponent(
    () => import('#web/features/account/outside/callback-page.tsx'),
    'SignOnPage',
  ),
});
export const telegramBindRoute = createRoute({ ...loginCallback, path: '/oauth/telegram/bind' });
