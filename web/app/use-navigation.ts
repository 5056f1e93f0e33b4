/** The menu entries of this user on this installation; each address is a route. */
import { useRouter, type LinkProps } from '@tanstack/react-router';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { visibleItems, type NavigationItem } from './navigation.ts';

export type LinkedItem = Omit<NavigationItem, 'path'> & { path: NonNullable<LinkProps['to']> };

export function useNavigationItems(): LinkedItem[] {
  const router = useRouter();
  const user = useUser();
  const status = useStatus();
  const isRoute = (path: string) => Object.hasOwn(router.routesByPath, path);
  // Every remaining entry is a route; the type of the table cannot express it.
  return visibleItems({ user, status }, isRoute) as LinkedItem[];
}
