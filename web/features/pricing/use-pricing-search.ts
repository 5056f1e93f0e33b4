/** The state of the page is in its URL; this reads it and changes parts of it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { pricingSearch, type PricingSearch } from './search.ts';

export type ChangeSearch = (change: Partial<PricingSearch>, options?: { replace?: boolean }) => void;

export function usePricingSearch(): [PricingSearch, ChangeSearch] {
  const search = pricingSearch.parse(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback<ChangeSearch>(
    (next, options) => {
      void navigate({
        to: '/pricing',
        search: (before) => ({ ...pricingSearch.parse(before), ...next }),
        replace: options?.replace,
      });
    },
    [navigate],
  );
  return [search, change];
}
