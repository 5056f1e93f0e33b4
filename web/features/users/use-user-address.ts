/** The state of the page is in its URL: the filter and the card as parameters, the forms as paths. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { userSearch, type UserSearch } from './search.ts';

export type ChangeSearch = ChangeAddress<UserSearch>;
export type OpenForm = 'add' | number | undefined;

export interface UserAddress {
  search: UserSearch;
  change: ChangeSearch;
  /** `add`, the id of the edited user, or undefined. */
  form: OpenForm;
  open: (form: OpenForm) => void;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** A form that was opened from a list leaves the list behind it; by its address the page of the thing is behind it. */
    overList?: boolean;
  }
}

const PAGE_PATH = /^\/user\/(?:edit\/)?(\d{1,15})\/?$/;

/** The user whose page or form the address names. */
export function userOfPath(pathname: string): number | undefined {
  const match = PAGE_PATH.exec(pathname);
  return match ? Number(match[1]) : undefined;
}

const EDIT_PATH = /^\/user\/edit(?:\/(\d{1,15}))?\/?$/;

export function formOfPath(pathname: string): OpenForm {
  const match = EDIT_PATH.exec(pathname);
  if (!match) return undefined;
  return match[1] === undefined ? 'add' : Number(match[1]);
}

export function useUserAddress(): UserAddress {
  const [search, change] = useAddress(userSearch);
  const form = formOfPath(useLocation({ select: (location) => location.pathname }));
  const navigate = useNavigate();
  const open = useCallback(
    (next: OpenForm) => {
      const kept = (before: Record<string, unknown>) => ({
        ...userSearch.parse(before),
        card: undefined,
        find_key: undefined,
      });
      if (next === undefined) void navigate({ to: '/user', search: kept });
      else if (next === 'add') void navigate({ to: '/user/edit', search: kept });
      else
        void navigate({
          to: '/user/edit/$id',
          params: { id: String(next) },
          search: kept,
          state: (before) => ({ ...before, overList: true }),
        });
    },
    [navigate],
  );
  return { search, change, form, open };
}
