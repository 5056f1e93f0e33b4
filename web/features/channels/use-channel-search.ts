/** The state of the page is in its URL: the filter as parameters, the drawer as the path. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { channelSearch, type ChannelSearch } from './search.ts';

export type ChangeSearch = ChangeAddress<ChannelSearch>;
export type OpenDrawer = 'add' | number | undefined;

export interface ChannelAddress {
  search: ChannelSearch;
  change: ChangeSearch;
  /** `add`, the id of the edited channel, or undefined. */
  drawer: OpenDrawer;
  open: (drawer: OpenDrawer) => void;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The form was opened from the list and stands beside it. */
    besideList?: boolean;
  }
}

const EDIT_PATH = /^\/channel\/edit\/(\d{1,15})\/?$/;

export function drawerOfPath(pathname: string): OpenDrawer {
  if (/^\/channel\/add\/?$/.test(pathname)) return 'add';
  const id = EDIT_PATH.exec(pathname)?.[1];
  return id === undefined ? undefined : Number(id);
}

const PAGE_PATH = /^\/channel\/(?:edit\/)?(\d{1,15})\/?$/;

/** The channel whose page is shown; undefined for the list. A form that was opened from the list leaves the list where it is. */
export function pageOfPath(pathname: string, isBesideList: boolean): number | undefined {
  const id = PAGE_PATH.exec(pathname)?.[1];
  return id === undefined || (isBesideList && EDIT_PATH.test(pathname)) ? undefined : Number(id);
}

export function usePageOfPath(): number | undefined {
  return useLocation({ select: ({ pathname, state }) => pageOfPath(pathname, state.besideList === true) });
}

export function useChannelAddress(): ChannelAddress {
  const [search, change] = useAddress(channelSearch);
  const drawer = drawerOfPath(useLocation({ select: (location) => location.pathname }));
  const navigate = useNavigate();
  const open = useCallback(
    (next: OpenDrawer) => {
      const kept = (before: Record<string, unknown>) => ({
        ...channelSearch.parse(before),
        simulate: undefined,
        quick: undefined,
        suppliers: undefined,
      });
      if (next === undefined) void navigate({ to: '/channel', search: kept });
      else if (next === 'add') void navigate({ to: '/channel/add', search: kept });
      else
        void navigate({
          to: '/channel/edit/$id',
          params: { id: String(next) },
          search: kept,
          state: { besideList: true },
        });
    },
    [navigate],
  );
  return { search, change, drawer, open };
}
