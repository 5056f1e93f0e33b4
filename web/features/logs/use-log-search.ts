/** The page's state lives in its address; this reads it and changes parts of it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { logSearch, type LogSearch } from './search.ts';

export type ChangeSearch = (change: Partial<LogSearch>, options?: { replace?: boolean }) => void;

/** A changed filter starts at its first page with every row closed. */
export const FROM_START = { page: undefined, open: undefined } as const;

export const NO_FILTER = {
  ...FROM_START,
  from: undefined,
  to: undefined,
  range: undefined,
  type: undefined,
  model: undefined,
  token: undefined,
  group: undefined,
  request: undefined,
  user: undefined,
  channel: undefined,
  cause: undefined,
} as const;

export function useLogSearch(): [LogSearch, ChangeSearch] {
  const search = logSearch.parse(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback<ChangeSearch>(
    (next, options) => {
      void navigate({
        to: '/log',
        search: (before) => ({ ...logSearch.parse(before), ...next }),
        replace: options?.replace,
      });
    },
    [navigate],
  );
  return [search, change];
}
