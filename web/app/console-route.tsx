/** The frame of the pages that need a user. */
import { createRoute, redirect } from '@tanstack/react-router';
import { storedUser } from '#web/api/session.ts';
import { shellRoute } from './public-routes.tsx';
import { ConsoleLayout } from './shell/console-layout.tsx';

/** Every route below needs a user; after the login the user returns to the requested page. */
export const consoleRoute = createRoute({
  getParentRoute: () => shellRoute,
  id: 'console',
  component: ConsoleLayout,
  beforeLoad: ({ location }) => {
    if (!storedUser()) throw redirect({ to: '/login', search: { next: location.publicHref } });
  },
});
