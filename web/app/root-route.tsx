/** The root of all pages. */
import { createRootRoute } from '@tanstack/react-router';
import { Crash } from './shell/crash.tsx';
import { NotFound } from './shell/not-found-page.tsx';
import { Root } from './shell/root.tsx';

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: Crash,
});
