/** Actions on the selected codes. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { RedemptionView } from '#contract/money/redemptions.ts';
import type { GridSelection } from '#web/ui/grid/types.ts';
import type { CodeActions } from './use-code-actions.ts';

interface SelectionActionsProps {
  selection: GridSelection<RedemptionView>;
  actions: CodeActions;
  /** Reports the selection to the toolbar's copy button, which is outside the selection bar. */
  onSelected: (codes: readonly RedemptionView[]) => void;
}

export function SelectionActions({ selection, actions, onSelected }: SelectionActionsProps) {
  const { t } = useTranslation('redemptions');
  useEffect(() => {
    onSelected(selection.rows);
    return () => onSelected([]);
  });
  const run = (action: 'enable' | 'disable' | 'delete') => {
    void actions.batch(selection.rows, action);
    selection.clear();
  };
  return (
    <>
      <Button variant="default" onClick={() => void actions.copy(selection.rows)}>
        {t('action.copy')}
      </Button>
      <Menu position="top-start">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={13} stroke={1.6} />}>
            {t('action.download')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => actions.download(selection.rows, 'txt')}>{t('action.txt')}</Menu.Item>
          <Menu.Item onClick={() => actions.download(selection.rows, 'csv')}>{t('action.csv')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" onClick={() => run('enable')}>
        {t('action.enable')}
      </Button>
      <Button variant="default" onClick={() => run('disable')}>
        {t('action.disable')}
      </Button>
      <Button variant="default" color="red" onClick={() => run('delete')}>
        {t('action.remove')}
      </Button>
    </>
  );
}
