/** The phone's filters: every facet as a list, and the tools of the list. */
import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FacetList, type Facet } from './facet.tsx';
import { SearchBox, type SearchField } from './search-box.tsx';
import classes from './filter.module.css';

interface FilterSheetProps {
  search?: SearchField;
  facets: readonly Facet[];
  onClear?: () => void;
  onClose: () => void;
  tools?: ReactNode;
}

export default function FilterSheet({ search, facets, onClear, onClose, tools }: FilterSheetProps) {
  const { t } = useTranslation('ui');
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
      <div className={classes.sheetFoot}>
        {onClear ? (
          <Button variant="default" onClick={onClear}>
            {t('filter.clearAll')}
          </Button>
        ) : null}
        <div className={classes.tools}>{tools}</div>
      </div>
    </Modal>
  );
}
