/** The ⋯ menu of a row. */
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconCircleCheck,
  IconCircleMinus,
  IconCopy,
  IconDots,
  IconEye,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS, type RedemptionView } from '#contract/money/redemptions.ts';
import type { CodeActions } from './use-code-actions.ts';

interface RowMenuProps {
  code: RedemptionView;
  actions: CodeActions;
  onView: (code: RedemptionView) => void;
  onEdit: (code: RedemptionView) => void;
}

const SIZE = { size: 15, stroke: 1.6 };

export function RowMenu({ code, actions, onView, onEdit }: RowMenuProps) {
  const { t } = useTranslation('redemptions');
  const { t: ui } = useTranslation('ui');
  const isUnused = code.status === REDEMPTION_STATUS.unused;
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={ui('grid.rowActions', { name: `#${code.id}` })}>
          <IconDots size={15} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconEye {...SIZE} />} onClick={() => onView(code)}>
          {t('action.view')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy {...SIZE} />} onClick={() => void actions.copy([code])}>
          {t('action.copyOne')}
        </Menu.Item>
        <Menu.Item disabled={!isUnused} leftSection={<IconPencil {...SIZE} />} onClick={() => onEdit(code)}>
          {t('action.edit')}
        </Menu.Item>
        {isUnused ? (
          <Menu.Item
            leftSection={<IconCircleMinus {...SIZE} />}
            onClick={() => actions.setEnabled(code, false)}
          >
            {t('action.disable')}
          </Menu.Item>
        ) : (
          <Menu.Item
            disabled={code.status === REDEMPTION_STATUS.used}
            leftSection={<IconCircleCheck {...SIZE} />}
            onClick={() => actions.setEnabled(code, true)}
          >
            {t('action.enable')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          data-danger
          leftSection={<IconTrash {...SIZE} />}
          onClick={() => void actions.batch([code], 'delete')}
        >
          {t('action.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
