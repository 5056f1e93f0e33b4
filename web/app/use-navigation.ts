/** The menu entries of this user on this installation, each address a route; the space that one is in. */
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useRouterState, type LinkProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { selfQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { visibleItems, type NavigationContext, type NavigationItem } from './navigation.ts';
import { menuOf, SPACES, spaceOf, spacesOf, type MenuEntry, type Space } from './spaces.ts';

export type LinkedItem = Omit<NavigationItem, 'path'> & {
  path: NonNullable<LinkProps['to']>;
  search?: LinkProps['search'];
};

/** What an entry opens where it has several views: operators all settings (their own are under their name), in Money the management of plans. */
const VIEWS: Partial<Record<Space, Record<string, NonNullable<LinkProps['search']>>>> = {
  run: { setting: { tab: 'all' } },
  money: { plan: { view: 'manage' } },
};

function inSpace(space: Space, item: LinkedItem): LinkedItem {
  const search = VIEWS[space]?.[item.name];
  return search === undefined ? item : { ...item, search };
}

export function useNavigationContext(): NavigationContext {
  const user = useUser();
  const status = useStatus();
  const { data: self } = useQuery({ ...selfQuery, enabled: user !== undefined });
  return { user, status, isAgent: self?.is_agent };
}

export function useNavigationItems(): LinkedItem[] {
  const router = useRouter();
  const isRoute = (path: string) => Object.hasOwn(router.routesByPath, path);
  return visibleItems(useNavigationContext(), isRoute);
}

export interface OpenSpace {
  name: Space;
  menu: MenuEntry<LinkedItem>[];
}

/** The spaces that this user has, and the one that one is in. */
export function useSpaces(): { spaces: OpenSpace[]; current: Space; enter: (space: Space) => void } {
  const context = useNavigationContext();
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
      items.map((item) => inSpace(name, item)),
      context,
    ),
  }));
  return { spaces, current, enter: keep };
}
