/** The state of a page is in its URL; this reads it and changes parts of it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type ChangeAddress<Search> = (change: Partial<Search>, options?: { replace?: boolean }) => void;

interface SearchParams<Search> {
  parse: (raw: Record<string, unknown>) => Search;
}

/** `params` are those of the page that is open, made once with `searchParams`. `replaces`: no change is a step back. */
export function useAddress<Search extends object>(
  params: SearchParams<Search>,
  { replaces = false }: { replaces?: boolean } = {},
): [Search, ChangeAddress<Search>] {
  const search = params.parse(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback<ChangeAddress<Search>>(
    (next, options) => {
      void navigate({
        to: '.',
        search: (before) => ({ ...params.parse(before), ...next }),
        replace: options?.replace ?? replaces,
      });
    },
    [navigate, params, replaces],
  );
  return [search, change];
}
