/** The page's state lives in its address; this reads it and changes parts of it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { tokenSearch, type TokenSearch } from './search.ts';

export type ChangeSearch = (change: Partial<TokenSearch>, options?: { replace?: boolean }) => void;

/** What closes every drawer. */
export const NO_DRAWER = { edit: undefined, field: undefined, new: undefined, connect: undefined } as const;

export function useTokenSearch(): [TokenSearch, ChangeSearch] {
  const search = tokenSearch.parse(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback<ChangeSearch>(
    (next, options) => {
      void navigate({
        to: '/token',
        search: (before) => ({ ...tokenSearch.parse(before), ...next }),
        replace: options?.replace,
      });
    },
    [navigate],
  );
  return [search, change];
}
