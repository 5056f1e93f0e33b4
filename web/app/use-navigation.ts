/** The menu entries of this user on this installation, each address a route; the space that one is in. */
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useRouterState, type LinkProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isAdmin } from '#contract/access.ts';
import type { SessionUser } from '#contract/admin/session.ts';
import { selfQuery } from '#web/api/queries.ts';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import {
  isDocument,
  visibleItems,
  type DocumentItem,
  type NavigationContext,
  type NavigationItem,
  type PageItem,
} from './navigation.ts';
import { menuOf, SPACES, spaceOf, spacesOf, type MenuEntry, type Space } from './spaces.ts';

const isPage = (item: NavigationItem): item is PageItem => !isDocument(item);

export type LinkedItem = Omit<PageItem, 'path'> & {
  path: NonNullable<LinkProps['to']>;
  search?: LinkProps['search'];
};

/**
 * What an entry opens where it has several views. In Use people with rights are customers: their own calls and figures.
 * In Run they have the whole site and all settings (their own are under their name), in Money the management of plans.
 */
function viewOf(space: Space, name: string, user: SessionUser | undefined): LinkProps['search'] {
  if (space === 'run') return name === 'setting' ? { tab: 'all' } : undefined;
  if (space === 'money') return name === 'plan' ? { view: 'manage' } : undefined;
  if (user === undefined || !isAdmin(user.role)) return undefined;
  return name === 'log' ? { user: user.username } : name === 'dashboard' ? { scope: 'self' } : undefined;
}

function inSpace(space: Space, item: LinkedItem, user: SessionUser | undefined): LinkedItem {
  const search = viewOf(space, item.name, user);
  return search === undefined ? item : { ...item, search };
}

export function useNavigationContext(): NavigationContext {
  const user = useUser();
  const status = useStatus();
  const organization = useScope();
  const { data: self } = useQuery({ ...selfQuery, enabled: user !== undefined });
  return { user, status, isAgent: self?.is_agent, organization };
}

export function useNavigationItems(): LinkedItem[] {
  const router = useRouter();
  const isRoute = (path: string) => Object.hasOwn(router.routesByPath, path);
  return visibleItems(useNavigationContext(), isRoute).filter(isPage);
}

/** The links of the top bar in their order, and the site's pages outside the console among them. */
export function useTopItems(): (LinkedItem | DocumentItem)[] {
  return visibleItems(useNavigationContext(), () => true, 'top');
}

export interface OpenSpace {
  name: Space;
  menu: MenuEntry<LinkedItem>[];
}

/** The spaces that this user has, and the one that one is in. */
export function useSpaces(): { spaces: OpenSpace[]; current: Space; enter: (space: Space) => void } {
  const context = useNavigationContext();
  const user = useUser();
  const items = useNavigationItems();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const [kept, keep] = useLocalStorage<Space>({
    key: 'space',
    defaultValue: 'use',
    getInitialValueInEffect: false,
    serialize: (space) => space,
    deserialize: (text) => SPACES.find((space) => space === text) ?? 'use',
  });
  const current = spaceOf(pathname, kept, items, context);
  useEffect(() => {
    if (current !== kept && context.user !== undefined) keep(current);
  }, [current, kept, keep, context.user]);
  const spaces = spacesOf(context).map((name) => ({
    name,
    menu: menuOf(
      name,
      items.map((item) => inSpace(name, item, user)),
      context,
    ),
  }));
  return { spaces, current, enter: keep };
}
