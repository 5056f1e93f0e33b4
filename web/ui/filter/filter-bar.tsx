/** Search first, then facets; on the phone the facets move into a sheet behind one button. */
import { Button, UnstyledButton } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { lazy, Suspense, useState, type ReactNode, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { FacetMenu, type Facet } from './facet.tsx';
import type { Order } from './order.ts';
import { SearchBox, type SearchField } from './search-box.tsx';
import classes from './filter.module.css';

export type { Facet } from './facet.tsx';
export type { SearchField } from './search-box.tsx';

const FilterSheet = lazy(() => import('./filter-sheet.tsx'));

interface FilterBarProps {
  search?: SearchField;
  searchRef?: RefObject<HTMLInputElement | null>;
  /** A second search field; on the phone it is in the sheet. */
  secondSearch?: SearchField;
  facets: readonly Facet[];
  /** The order of the rows, where there are no column heads to choose it. */
  order?: Order | undefined;
  onClear?: () => void;
  tools?: ReactNode;
}

export function FilterBar({
  search,
  searchRef,
  secondSearch,
  facets,
  order,
  onClear,
  tools,
}: FilterBarProps) {
  const { t } = useTranslation('ui');
  const phone = usePhone();
  const [sheet, setSheet] = useState(false);
  const set = facets.filter((facet) => facet.value.length > 0).length;
  const hasSheet = phone && (order !== undefined || facets.length > 0);
  if (phone && !search && !hasSheet) return null;
  return (
    <div className={classes.bar} role="search">
      {search ? <SearchBox {...search} ref={searchRef} /> : null}
      {secondSearch && !phone ? <SearchBox {...secondSearch} second /> : null}
      {hasSheet ? (
        <Button
          variant={set > 0 ? 'light' : 'default'}
          leftSection={<IconAdjustmentsHorizontal size={16} stroke={1.6} />}
          onClick={() => setSheet(true)}
        >
          {t('filter.filters')}
          {set > 0 ? ` ${set}` : ''}
        </Button>
      ) : null}
      {phone ? null : (
        <div className={`wrap8 shrink ${classes.facets}`}>
          {facets.map((facet) => (
            <FacetMenu key={facet.id} facet={facet} />
          ))}
          {onClear ? (
            <UnstyledButton className={classes.clear} onClick={onClear}>
              {t('filter.clear')}
            </UnstyledButton>
          ) : null}
        </div>
      )}
      {phone ? null : <div className={`row4 fixed push-right ${classes.tools}`}>{tools}</div>}
      {sheet ? (
        <Suspense>
          <FilterSheet
            search={secondSearch}
            facets={facets}
            order={order}
            onClear={onClear}
            onClose={() => setSheet(false)}
            tools={tools}
          />
        </Suspense>
      ) : null}
    </div>
  );
}
