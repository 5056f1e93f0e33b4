/** The icons on the right of a list's toolbar: columns, export, refresh. */
import { ActionIcon, Checkbox, Menu, Tooltip } from '@mantine/core';
import { IconCheck, IconColumns3, IconDownload, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '#web/ui/badge/tag.tsx';
import { chooseDensity, DENSITIES, readDensity } from '#web/ui/preferences/density.ts';
import { isChosen, type ColumnChoice } from './fit.ts';
import type { GridColumn } from './types.ts';
import classes from './grid.module.css';

interface ColumnMenuProps<Row> {
  columns: readonly GridColumn<Row>[];
  choice: ColumnChoice;
  onChange: (choice: ColumnChoice) => void;
  onHelp: () => void;
}

function DensityItems() {
  const { t } = useTranslation('ui');
  const [density, setDensity] = useState(readDensity);
  return DENSITIES.map((option) => (
    <Menu.RadioItem
      key={option}
      value={option}
      checked={option === density}
      rightSection={option === density ? <IconCheck size={14} stroke={2} /> : undefined}
      onChange={() => {
        chooseDensity(option);
        setDensity(option);
      }}
    >
      {t(`density.${option}`)}
    </Menu.RadioItem>
  ));
}

export function ColumnMenu<Row>({ columns, choice, onChange, onHelp }: ColumnMenuProps<Row>) {
  const { t } = useTranslation('ui');
  const [opened, setOpened] = useState(false);
  const choosable = columns.filter((column) => !column.fixed);
  return (
    <Menu closeOnItemClick={false} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Tooltip label={t('grid.columns')} disabled={opened}>
          <ActionIcon aria-label={t('grid.columns')}>
            <IconColumns3 size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('grid.columns')}</Menu.Label>
        {choosable.map((column) => {
          const chosen = isChosen(column, choice);
          return (
            <Menu.CheckboxItem
              key={column.id}
              checked={chosen}
              onChange={(next) => onChange({ ...choice, [column.id]: next })}
            >
              <span className="inline8">
                <Checkbox.Indicator checked={chosen} size="14px" radius={3} aria-hidden />
                {column.header}
              </span>
            </Menu.CheckboxItem>
          );
        })}
        <Menu.Item onClick={() => onChange({})}>{t('grid.resetColumns')}</Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('density.label')}</Menu.Label>
        <DensityItems />
        <Menu.Divider />
        <Menu.Item closeMenuOnClick onClick={onHelp} rightSection={<KeyHint>?</KeyHint>}>
          {t('grid.help')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function ExportButton({ onExport }: { onExport: () => Promise<void> }) {
  const { t } = useTranslation('ui');
  const [busy, setBusy] = useState(false);
  return (
    <Tooltip label={t('grid.export')}>
      <ActionIcon
        aria-label={t('grid.export')}
        loading={busy}
        onClick={() => {
          setBusy(true);
          void onExport().finally(() => setBusy(false));
        }}
      >
        <IconDownload size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

export function RefreshButton({ refreshing, onRefresh }: { refreshing: boolean; onRefresh: () => void }) {
  const { t } = useTranslation('ui');
  return (
    <Tooltip label={t('action.refresh')}>
      <ActionIcon
        aria-label={t('action.refresh')}
        onClick={onRefresh}
        data-spinning={refreshing || undefined}
      >
        <IconRefresh size={16} stroke={1.6} className={classes.refreshIcon} />
      </ActionIcon>
    </Tooltip>
  );
}
