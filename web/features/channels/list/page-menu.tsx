/** The ⋯ menu of the page: actions on many channels at once. */
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconCoins,
  IconDots,
  IconDatabaseCog,
  IconFileImport,
  IconPlayerPlay,
  IconPlugConnected,
  IconRefresh,
  IconRoute,
  IconBuildingStore,
  IconTag,
  IconTrash,
  IconTrashX,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '#web/ui/page/breakpoints.ts';

const SIZE = { size: 15, stroke: 1.6 };

interface PageMenuProps {
  onTestAll: () => void;
  onUpdateBalances: () => void;
  onRemoveDisabled: () => void;
  onFix: () => void;
  onRefresh: () => void;
  onRemoveSelected: () => void;
  onTagSelected: () => void;
  onConnect: () => void;
  onSimulate: () => void;
  onSuppliers: () => void;
  onImport: () => void;
}

export function PageMenu(props: PageMenuProps) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  const phone = usePhone();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" size={phone ? 36 : undefined} aria-label={common('action.more')}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {phone ? (
          <Menu.Item leftSection={<IconPlayerPlay {...SIZE} />} onClick={props.onTestAll}>
            {t('action.testAll')}
          </Menu.Item>
        ) : null}
        <Menu.Item leftSection={<IconPlugConnected {...SIZE} />} onClick={props.onConnect}>
          {t('quick.title')}
        </Menu.Item>
        <Menu.Item leftSection={<IconRoute {...SIZE} />} onClick={props.onSimulate}>
          {t('action.simulate')}
        </Menu.Item>
        <Menu.Item leftSection={<IconBuildingStore {...SIZE} />} onClick={props.onSuppliers}>
          {t('action.suppliers')}
        </Menu.Item>
        <Menu.Item leftSection={<IconFileImport {...SIZE} />} onClick={props.onImport}>
          {t('action.import')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCoins {...SIZE} />} onClick={props.onUpdateBalances}>
          {t('action.updateBalances')}
        </Menu.Item>
        <Menu.Item leftSection={<IconDatabaseCog {...SIZE} />} onClick={props.onFix}>
          {t('action.fix')}
        </Menu.Item>
        <Menu.Item leftSection={<IconRefresh {...SIZE} />} onClick={props.onRefresh}>
          {common('action.refresh')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconTag {...SIZE} />} onClick={props.onTagSelected}>
          {t('action.tagSelected')}
        </Menu.Item>
        <Menu.Item data-danger leftSection={<IconTrash {...SIZE} />} onClick={props.onRemoveSelected}>
          {t('action.removeSelected')}
        </Menu.Item>
        <Menu.Item data-danger leftSection={<IconTrashX {...SIZE} />} onClick={props.onRemoveDisabled}>
          {t('action.removeDisabled')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
