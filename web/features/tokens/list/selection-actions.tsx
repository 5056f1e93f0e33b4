/** Actions on the selected tokens. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '#contract/admin/tokens.ts';
import type { GridSelection } from '#web/ui/grid/types.ts';
import { COPY_FORMATS } from '#web/features/tokens/copy-formats.ts';
import type { TokenActions } from '#web/features/tokens/use-token-actions.ts';

interface SelectionActionsProps {
  selection: GridSelection<TokenView>;
  actions: TokenActions;
  /** Reports the selection to the toolbar's copy button, which is outside the selection bar. */
  onSelected: (tokens: readonly TokenView[]) => void;
}

export function SelectionActions({ selection, actions, onSelected }: SelectionActionsProps) {
  const { t } = useTranslation('tokens');
  useEffect(() => {
    onSelected(selection.rows);
    return () => onSelected([]);
  });
  const run = (action: 'enable' | 'disable' | 'delete') => {
    actions.batch(selection.rows, action);
    selection.clear();
  };
  return (
    <>
      <Menu position="top-start">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={13} stroke={1.6} />}>
            {t('action.copy')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {COPY_FORMATS.map((format) => (
            <Menu.Item key={format} onClick={() => void actions.copy(selection.rows, format)}>
              {t(`copyFormat.${format}`)}
            </Menu.Item>
          ))}
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
