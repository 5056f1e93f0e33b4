/** Above the form of a channel that gets no calls: since when and why, and the way back. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, channelOtherInfo, type ChannelView } from '#contract/relay/channel-fields.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { AutoDisabledWhy } from '#web/features/channels/list/health-cells.tsx';
import { useChannelActions } from '#web/features/channels/use-channel-actions.tsx';
import classes from './form.module.css';

export function StatusNotice({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const { setStatus } = useChannelActions();
  if (channel.status === CHANNEL_STATUS.enabled) return null;
  const isAutomatic = channel.status === CHANNEL_STATUS.autoDisabled;
  const isDated = isAutomatic && channelOtherInfo(channel.other_info).status_time !== undefined;
  return (
    <div className={classes.status}>
      <NoticeBox tone={isAutomatic ? 'warning' : 'info'}>
        <div className={classes.statusWords}>
          <div>
            {isDated ? null : t('form.isDisabled')}
            {isAutomatic ? <AutoDisabledWhy channel={channel} /> : null}
          </div>
          <Button
            size="xs"
            variant="default"
            onClick={() => void setStatus([channel], CHANNEL_STATUS.enabled)}
          >
            {t('action.enable')}
          </Button>
        </div>
      </NoticeBox>
    </div>
  );
}
