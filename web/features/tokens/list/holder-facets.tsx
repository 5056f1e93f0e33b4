/** Hands the filters of an organization's keys to the page; loaded only where there is an organization. */
import { useEffect } from 'react';
import { useHolderFacets } from '#web/api/holder-facets.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import type { TokenSearch } from '#web/features/tokens/search.ts';
import type { ChangeSearch } from '#web/features/tokens/use-token-search.ts';

interface HolderFacetsProps {
  search: TokenSearch;
  change: ChangeSearch;
  onFacets: (facets: Facet[]) => void;
}

export function HolderFacets({ search, change, onFacets }: HolderFacetsProps) {
  const facets = useHolderFacets(search, 'tokens.read_all', (next) => change({ ...next, page: undefined }));
  const shown = JSON.stringify(facets.map(({ options, value }) => [options, value]));
  useEffect(() => {
    onFacets(facets);
    // oxlint-disable-next-line react/exhaustive-deps -- made anew at each render; what is shown decides
  }, [shown, onFacets]);
  return null;
}
