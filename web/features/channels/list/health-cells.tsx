/** The cells that say how a channel is: its status and why, its attempts of the last day, its time to the first token. */
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { channelReason } from '#contract/relay/channel-reasons.ts';
import { CHANNEL_STATUS, channelOtherInfo, type ChannelView } from '#contract/relay/channel-fields.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { HealthStrip } from '#web/ui/badge/health-strip.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { useNow } from '#web/ui/format/moment.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { healthOf, healthTotals, responseText } from './grades.ts';
import classes from './cells.module.css';

export function statusKind(status: number): Extract<StatusKind, 'enabled' | 'disabled' | 'auto-disabled'> {
  if (status === CHANNEL_STATUS.enabled) return 'enabled';
  return status === CHANNEL_STATUS.autoDisabled ? 'auto-disabled' : 'disabled';
}

export function StatusCell({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const kind = statusKind(channel.status);
  const badge = <StatusBadge kind={kind}>{t(`status.${kind}`)}</StatusBadge>;
  const info = channelOtherInfo(channel.other_info);
  if (kind === 'enabled' && channel.problem !== '') {
    return (
      <Tooltip label={t('unusable.hint', { problem: channel.problem })}>
        <span tabIndex={0}>
          <StatusBadge kind="auto-disabled">{t('unusable.status')}</StatusBadge>
        </span>
      </Tooltip>
    );
  }
  if (kind === 'enabled' && channel.cooling_until > 0) return <Cooling until={channel.cooling_until} />;
  if (kind === 'enabled' && channel.paused_models > 0) return <PausedModels count={channel.paused_models} />;
  if (kind !== 'auto-disabled' || (!info.status_reason && !info.status_time)) return badge;
  return (
    <Tooltip label={<AutoDisabledWhy channel={channel} />}>
      <span tabIndex={0}>{badge}</span>
    </Tooltip>
  );
}

/** The gateway leaves the channel alone after failures in a row, or because the upstream asked for it. */
function Cooling({ until }: { until: number }) {
  const { t } = useTranslation('channels');
  const seconds = Math.max(1, until - useNow());
  return (
    <Tooltip label={t('cooling.hint', { time: absoluteTime(until).slice(11) })}>
      <span tabIndex={0}>
        <StatusBadge kind="disabled">{t('cooling.status', { seconds })}</StatusBadge>
      </span>
    </Tooltip>
  );
}

/** The upstream limits some of its models; the others are served. */
function PausedModels({ count }: { count: number }) {
  const { t } = useTranslation('channels');
  return (
    <Tooltip label={t('cooling.modelsHint')}>
      <span tabIndex={0}>
        <StatusBadge kind="enabled">{t('cooling.models', { count })}</StatusBadge>
      </span>
    </Tooltip>
  );
}

/** When and why a channel was disabled automatically. */
export function AutoDisabledWhy({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const { status_reason, status_time, status_words } = channelOtherInfo(channel.other_info);
  const { language } = useFacts();
  return (
    <>
      {status_time ? (
        <b className="block strong">{t('autoDisabledAt', { time: absoluteTime(status_time) })}</b>
      ) : null}
      {status_reason ? <span>{channelReason(language, status_reason)}</span> : null}
      {status_words ? <span className="block anywhere">{status_words}</span> : null}
    </>
  );
}

interface HealthCellProps {
  health: ChannelView['health'];
  /** The channel, where the row is one: its broken streams and last error are shown too. */
  channel?: ChannelView;
}

export function HealthCell({ health, channel }: HealthCellProps) {
  const { t } = useTranslation('channels');
  const facts = useFacts();
  const totals = healthTotals(health);
  const error = channel?.last_error;
  if (totals.calls === 0) return <span className="muted">{t('health.none')}</span>;
  const percent = ((1 - totals.errors / totals.calls) * 100).toFixed(1);
  const label = t('health.label', { ...totals, percent });
  return (
    <Tooltip
      label={
        <span className={classes.lines}>
          <span>{label}</span>
          {channel && channel.broken_streams > 0 ? (
            <span>{t('health.broken', { count: channel.broken_streams })}</span>
          ) : null}
          {error ? (
            <span className="block anywhere">
              {t('health.lastError', { time: absoluteTime(error.at), words: facts.attempt(error.words) })}
            </span>
          ) : null}
        </span>
      }
    >
      <span>
        <HealthStrip hours={health.map(healthOf)} label={label} />
      </span>
    </Tooltip>
  );
}

/** The median time to the first token, and the time that 95 of 100 streams do not exceed. */
export function FirstTokenCell({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const { first_token_p50: median, first_token_p95: late } = channel;
  if (median === 0) return <Empty />;
  const { digits, unit } = responseText(median);
  const slow = responseText(late);
  return (
    <Tooltip label={t('firstToken.hint', { median: digits + unit, late: slow.digits + slow.unit })}>
      <span>
        {digits}
        <span className={classes.unit}>{unit}</span>
        <span className="muted"> / {slow.digits}</span>
        <span className={classes.unit}>{slow.unit}</span>
      </span>
    </Tooltip>
  );
}
