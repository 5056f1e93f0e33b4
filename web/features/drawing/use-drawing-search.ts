/** The page's state lives in its address; this reads it and changes parts of it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { drawingSearch, type DrawingSearch } from './search.ts';

export type ChangeSearch = (change: Partial<DrawingSearch>, options?: { replace?: boolean }) => void;

/** A changed filter starts at its first page with no picture open. */
export const FROM_START = { page: undefined, picture: undefined } as const;

export const NO_FILTER = {
  ...FROM_START,
  from: undefined,
  to: undefined,
  range: undefined,
  id: undefined,
  action: undefined,
  status: undefined,
  channel: undefined,
} as const;

export function useDrawingSearch(): [DrawingSearch, ChangeSearch] {
  const search = drawingSearch.parse(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback<ChangeSearch>(
    (next, options) => {
      void navigate({
        to: '/midjourney',
        search: (before) => ({ ...drawingSearch.parse(before), ...next }),
        replace: options?.replace,
      });
    },
    [navigate],
  );
  return [search, change];
}
