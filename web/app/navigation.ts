/**
 * Which entries of the menus are shown. An entry appears once its page is a route (app/routes.tsx) and its rule holds for this
 * user and installation; it is absent otherwise, never greyed.
 */
import { NAVIGATION } from './navigation-entries.ts';
import type { NavigationContext } from './navigation-rules.ts';

export { NAVIGATION };
export type { NavigationContext };

export type NavigationItem = (typeof NAVIGATION)[number];
/** Pages that the server renders and the console has no route for: a link to one of them loads a document. */
export type DocumentItem = Extract<NavigationItem, { name: 'models' | 'plans' | 'status' }>;
export type PageItem = Exclude<NavigationItem, DocumentItem>;
export const isDocument = (item: { name: NavigationItem['name'] }): item is DocumentItem =>
  item.name === 'models' || item.name === 'plans' || item.name === 'status';
export type NavigationPlace = NavigationItem['place'];

export function visibleItems(
  context: NavigationContext,
  isRoute: (path: string) => boolean,
  place?: NavigationPlace,
): NavigationItem[] {
  return NAVIGATION.filter(
    (item) => (place === undefined || item.place === place) && isRoute(item.path) && item.rule(context),
  );
}

/** The page of a path: the entry itself or the longest one above it. */
export function isCurrent(item: { path: string }, pathname: string): boolean {
  if (item.path === '/') return pathname === '/';
  return pathname === item.path || pathname.startsWith(`${item.path}/`);
}
