/** The actions of one channel and of one tag, behind their ⋯. */
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconCircleCheck,
  IconCircleMinus,
  IconCopy,
  IconDots,
  IconEye,
  IconListCheck,
  IconListDetails,
  IconPencil,
  IconPlayerPlay,
  IconRefresh,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import { splitList, type TagRow } from './rows.ts';
import type { ChannelActions } from '#web/features/channels/use-channel-actions.tsx';
import classes from '#web/features/channels/channels.module.css';

const SIZE = { size: 15, stroke: 1.6 };
/** With more models than this the menu offers the dialog instead. */
const MENU_MODELS = 12;

interface ChannelMenuProps {
  channel: ChannelView;
  type: ChannelType | undefined;
  actions: ChannelActions;
  onEdit: () => void;
  onTestModels: () => void;
  onReveal: () => void;
}

export function ChannelMenu({ channel, type, actions, onEdit, onTestModels, onReveal }: ChannelMenuProps) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  const navigate = useNavigate();
  const enabled = channel.status === CHANNEL_STATUS.enabled;
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={common('grid.rowActions', { name: channel.name })}>
          <IconDots {...SIZE} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlayerPlay {...SIZE} />} onClick={() => actions.test(channel)}>
          {t('action.test')}
        </Menu.Item>
        <Menu.Sub>
          <Menu.Sub.Target>
            <Menu.Sub.Item leftSection={<IconListCheck {...SIZE} />}>{t('action.testModel')}</Menu.Sub.Item>
          </Menu.Sub.Target>
          <Menu.Sub.Dropdown className={classes.modelMenu}>
            {splitList(channel.models)
              .slice(0, MENU_MODELS)
              .map((model) => (
                <Menu.Item key={model} onClick={() => actions.test(channel, model)}>
                  {model}
                </Menu.Item>
              ))}
            <Menu.Divider />
            <Menu.Item onClick={onTestModels}>{t('action.testAllModels')}</Menu.Item>
          </Menu.Sub.Dropdown>
        </Menu.Sub>
        <Menu.Item
          leftSection={<IconListDetails {...SIZE} />}
          onClick={() => void navigate({ to: '/log', search: { channel: channel.id } })}
        >
          {t('action.logs')}
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil {...SIZE} />} onClick={onEdit}>
          {t('action.edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={enabled ? <IconCircleMinus {...SIZE} /> : <IconCircleCheck {...SIZE} />}
          onClick={() =>
            void actions.setStatus([channel], enabled ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled)
          }
        >
          {enabled ? t('action.disable') : t('action.enable')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy {...SIZE} />} onClick={() => actions.copy(channel)}>
          {t('action.copy')}
        </Menu.Item>
        {type?.can_read_balance ? (
          <Menu.Item leftSection={<IconRefresh {...SIZE} />} onClick={() => actions.updateBalance(channel)}>
            {t('action.updateBalance')}
          </Menu.Item>
        ) : null}
        <Menu.Item leftSection={<IconEye {...SIZE} />} onClick={onReveal}>
          {t('action.revealKey')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          data-danger
          leftSection={<IconTrash {...SIZE} />}
          onClick={() => void actions.remove([channel])}
        >
          {t('action.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface TagMenuProps {
  row: TagRow;
  actions: ChannelActions;
  onEdit: () => void;
  onTest: () => void;
}

export function TagMenu({ row, actions, onEdit, onTest }: TagMenuProps) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  const set = (status: 1 | 2) => void actions.setTagStatus(row.tag, row.channels, status);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={common('grid.rowActions', { name: row.tag })}>
          <IconDots {...SIZE} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconTag {...SIZE} />} onClick={onEdit}>
          {t('action.editTag')}
        </Menu.Item>
        <Menu.Item leftSection={<IconPlayerPlay {...SIZE} />} onClick={onTest}>
          {t('action.testTag')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCircleCheck {...SIZE} />} onClick={() => set(CHANNEL_STATUS.enabled)}>
          {t('action.enableAll')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCircleMinus {...SIZE} />} onClick={() => set(CHANNEL_STATUS.disabled)}>
          {t('action.disableAll')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
