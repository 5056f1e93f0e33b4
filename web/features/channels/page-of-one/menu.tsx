/** The further actions of a channel's page, behind its ⋯. */
import { Menu } from '@mantine/core';
import {
  IconCircleCheck,
  IconCircleMinus,
  IconCopy,
  IconEye,
  IconListCheck,
  IconListDetails,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import type { ChannelActions } from '#web/features/channels/use-channel-actions.tsx';

const SIZE = { size: 15, stroke: 1.6 };

interface MenuProps {
  channel: ChannelView;
  type: ChannelType | undefined;
  actions: ChannelActions;
  onTestModels: () => void;
  onReveal: () => void;
}

export function ThingMenu({ channel, type, actions, onTestModels, onReveal }: MenuProps) {
  const { t } = useTranslation('channels');
  const navigate = useNavigate();
  const isEnabled = channel.status === CHANNEL_STATUS.enabled;
  return (
    <>
      <Menu.Item leftSection={<IconListCheck {...SIZE} />} onClick={onTestModels}>
        {t('action.testAllModels')}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconListDetails {...SIZE} />}
        onClick={() => void navigate({ to: '/log', search: { channel: channel.id } })}
      >
        {t('action.logs')}
      </Menu.Item>
      <Menu.Item
        leftSection={isEnabled ? <IconCircleMinus {...SIZE} /> : <IconCircleCheck {...SIZE} />}
        onClick={() =>
          void actions.setStatus([channel], isEnabled ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled)
        }
      >
        {t(isEnabled ? 'action.disable' : 'action.enable')}
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
    </>
  );
}
