/** The phone's filters: every facet as a list, and the tools of the list. */
import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FacetList, type Facet } from './facet.tsx';
import { orderFacet, type Order } from './order.ts';
import { SearchBox, type SearchField } from './search-box.tsx';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';
import classes from './filter.module.css';

interface FilterSheetProps {
  search?: SearchField;
  facets: readonly Facet[];
  order?: Order | undefined;
  onClear?: () => void;
  onClose: () => void;
  tools?: ReactNode;
}

export default function FilterSheet({ search, facets, order, onClear, onClose, tools }: FilterSheetProps) {
  const { t } = useTranslation('ui');
  useReturnFocus();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('filter.filters')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {search ? (
        <div className={classes.sheetSearch}>
          <SearchBox {...search} />
        </div>
      ) : null}
      {facets.map((facet) => (
        <FacetList key={facet.id} facet={facet} />
      ))}
      {order ? <FacetList facet={orderFacet(t('grid.order'), order)} /> : null}
      <div className="row8">
        {onClear ? (
          <Button variant="default" onClick={onClear}>
            {t('filter.clearAll')}
          </Button>
        ) : null}
        <div className={`row4 fixed push-right ${classes.tools}`}>{tools}</div>
      </div>
    </Modal>
  );
}
