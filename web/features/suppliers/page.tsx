/** Suppliers: scores of channels with their evidence, and bills compared with the log. */
import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Bills } from './bills.tsx';
import { Scores } from './scores.tsx';
import { useSupplierSearch } from './search.ts';
import classes from './suppliers.module.css';

export function SuppliersPage() {
  const { t } = useTranslation('suppliers');
  const [search, change] = useSupplierSearch();
  const tabs = (
    <SegmentedControl
      size="xs"
      className={classes.views}
      aria-label={t('view.label')}
      value={search.view ?? 'channels'}
      onChange={(value) =>
        change({
          view: value === 'bills' ? 'bills' : undefined,
          page: undefined,
          open: undefined,
          add: undefined,
        })
      }
      data={(['channels', 'bills'] as const).map((value) => ({ value, label: t(`view.${value}`) }))}
    />
  );
  return search.view === 'bills' ? (
    <Bills search={search} change={change} tabs={tabs} />
  ) : (
    <Scores search={search} change={change} tabs={tabs} />
  );
}
