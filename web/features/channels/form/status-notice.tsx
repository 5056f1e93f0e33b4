/** Above the form of a channel that gets no calls: since when and why, and the way back. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelView } from '#contract/channel-fields.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { AutoDisabledWhy, statusKind } from '#web/features/channels/list/health-cells.tsx';
import { useChannelActions } from '#web/features/channels/use-channel-actions.tsx';
import classes from './form.module.css';

export function StatusNotice({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const { setStatus } = useChannelActions();
  const kind = statusKind(channel.status);
  if (kind === 'enabled') return null;
  return (
    <NoticeBox tone={kind === 'disabled' ? 'info' : 'warning'}>
      <div className={classes.statusNotice}>
        <div>
          {t(kind === 'disabled' ? 'form.isDisabled' : 'form.isAutoDisabled')}
          {kind === 'disabled' ? null : <AutoDisabledWhy channel={channel} />}
        </div>
        <Button size="xs" variant="default" onClick={() => void setStatus([channel], CHANNEL_STATUS.enabled)}>
          {t('action.enable')}
        </Button>
      </div>
    </NoticeBox>
  );
}
