/** The pages on which people talk to models: the playground and the chat apps. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { playgroundSearch } from '#web/features/playground/search.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { consoleRoute } from './console-route.tsx';

export const playgroundRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/playground',
  validateSearch: playgroundSearch,
  loader: () => loadMessages('playground'),
  component: lazyRouteComponent(
    () => import('#web/features/playground/playground-page.tsx'),
    'PlaygroundPage',
  ),
});

export const chatRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/chat',
  loader: () => loadMessages('chat'),
  component: lazyRouteComponent(() => import('#web/features/chat/page.tsx'), 'ChatPage'),
});

export const chatOneRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/chat/$id',
  loader: () => loadMessages('chat'),
  component: lazyRouteComponent(() => import('#web/features/chat/page.tsx'), 'ChatPage'),
});

export const chatLinkRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/chat2link',
  loader: () => loadMessages('chat'),
  component: lazyRouteComponent(() => import('#web/features/chat/link-page.tsx'), 'ChatLinkPage'),
});
