/** The menu entries of this user on this installation; each address is a route. */
import { useQuery } from '@tanstack/react-query';
import { useRouter, type LinkProps } from '@tanstack/react-router';
import { selfQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { visibleItems, type NavigationItem } from './navigation.ts';

export type LinkedItem = Omit<NavigationItem, 'path'> & { path: NonNullable<LinkProps['to']> };

export function useNavigationItems(): LinkedItem[] {
  const router = useRouter();
  const user = useUser();
  const status = useStatus();
  const { data: self } = useQuery({ ...selfQuery, enabled: user !== undefined });
  const isRoute = (path: string) => Object.hasOwn(router.routesByPath, path);
  return visibleItems({ user, status, isAgent: self?.is_agent }, isRoute);
}
