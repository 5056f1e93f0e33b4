/** The cells of a channel, shared by rows and cards. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconAlertTriangleFilled, IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import {
  CHANNEL_STATUS,
  channelOtherInfo,
  type ChannelType,
  type ChannelView,
} from '#contract/channel-fields.ts';
import { languageOf } from '#contract/language.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { HealthStrip } from '#web/ui/badge/posts.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { useNow } from '#web/ui/format/moment.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import { absoluteTime, relativeTime } from '#web/ui/format/time.ts';
import {
  disableReason,
  errorStatus,
  healthOf,
  healthTotals,
  isLowBalance,
  responseGrade,
  responseText,
} from './grades.ts';
import { formatName } from '#web/features/channels/formats.ts';
import { ProviderMark } from './provider-mark.tsx';
import { splitList } from './rows.ts';
import classes from './cells.module.css';

export function statusKind(status: number): Extract<StatusKind, 'enabled' | 'disabled' | 'auto-disabled'> {
  if (status === CHANNEL_STATUS.enabled) return 'enabled';
  return status === CHANNEL_STATUS.autoDisabled ? 'auto-disabled' : 'disabled';
}

interface NameCellProps {
  channel: ChannelView;
  type: ChannelType | undefined;
  place?: 'middle' | 'last';
}

/** Formats that the upstream does not have: calls in them are converted. */
function ConvertedMark({ formats }: { formats: readonly string[] }) {
  const { t } = useTranslation('channels');
  const names = formats.map((format) => formatName(format)).join(', ');
  return (
    <Tooltip label={t('refusedFormatsHint', { formats: names })}>
      <span className={classes.mark} role="note" aria-label={t('refusedFormatsHint', { formats: names })}>
        <Tag>{t('refusedFormats', { formats: names })}</Tag>
      </span>
    </Tooltip>
  );
}

export function NameCell({ channel, type, place }: NameCellProps) {
  const { t } = useTranslation('channels');
  return (
    <span className={classes.name} data-place={place}>
      <ProviderMark type={channel.type} mark={type?.mark ?? '?'} />
      <span className={classes.nameText} title={channel.name}>
        {channel.name}
      </span>
      {channel.refused_formats === '' ? null : <ConvertedMark formats={splitList(channel.refused_formats)} />}
      {type && !type.is_ready ? (
        <Tooltip label={t('notReady', { name: type.name })}>
          <IconAlertTriangle
            size={13}
            stroke={1.6}
            className={classes.warn}
            aria-label={t('notReadyShort')}
          />
        </Tooltip>
      ) : null}
    </span>
  );
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

/** When and why a channel was disabled automatically. */
export function AutoDisabledWhy({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const { status_reason, status_time, status_words } = channelOtherInfo(channel.other_info);
  const reason = disableReason(status_reason ?? '');
  return (
    <>
      {status_time ? (
        <b className={classes.whyTime}>{t('autoDisabledAt', { time: absoluteTime(status_time) })}</b>
      ) : null}
      {status_reason ? <span>{t(`reason.${reason.key}`, { value: reason.value })}</span> : null}
      {status_words ? <span className={classes.words}>{status_words}</span> : null}
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
  const totals = healthTotals(health);
  const error = channel?.last_error;
  if (totals.calls === 0) return <span className={classes.dim}>{t('health.none')}</span>;
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
            <span className={classes.words}>
              {t('health.lastError', { time: absoluteTime(error.at), words: error.words })}
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

export function ModelsCell({ models }: { models: string }) {
  const list = splitList(models);
  const [first] = list;
  if (first === undefined) return <Empty />;
  return (
    <Tooltip label={<ModelLines models={list} />}>
      <span className={classes.models}>
        <span>{first}</span>
        {list.length > 1 ? <span className={classes.more}>+{list.length - 1}</span> : null}
      </span>
    </Tooltip>
  );
}

const LISTED = 14;

export function ModelLines({ models }: { models: readonly string[] }) {
  return (
    <ul className={classes.lines}>
      {models.slice(0, LISTED).map((model) => (
        <li key={model}>{model}</li>
      ))}
      {models.length > LISTED ? <li>+{models.length - LISTED}</li> : null}
    </ul>
  );
}

const LEVELS = { untested: 0, red: 1, yellow: 2, lime: 3, green: 4 } as const;

/** Four rising bars: colour and height show the same grade. */
function Signal({ grade }: { grade: keyof typeof LEVELS }) {
  return (
    <svg width={14} height={12} className={classes.signal} data-grade={grade} aria-hidden>
      {[0, 1, 2, 3].map((post) => (
        <rect
          key={post}
          x={post * 3.5}
          y={9 - post * 3}
          width={2}
          height={3 + post * 3}
          data-on={post < LEVELS[grade] || undefined}
        />
      ))}
    </svg>
  );
}

export function ResponseCell({ channel }: { channel: ChannelView }) {
  const { t, i18n } = useTranslation('channels');
  const now = useNow();
  const { test_error: error } = channelOtherInfo(channel.other_info);
  const when =
    channel.test_time > 0
      ? t('response.tested', { when: relativeTime(channel.test_time, now, languageOf(i18n.language)) })
      : '';
  if (error) {
    return (
      <Tooltip label={`${error} · ${when}`}>
        <span className={classes.response} data-grade="red">
          <Signal grade="untested" />
          <span className={classes.failed}>{errorStatus(error) ?? t('response.failed')}</span>
          <ShortAgo timestamp={channel.test_time} />
        </span>
      </Tooltip>
    );
  }
  const grade = responseGrade(channel.response_time);
  if (grade === 'untested') return <span className={classes.dim}>{t('response.untested')}</span>;
  const { digits, unit } = responseText(channel.response_time);
  return (
    <Tooltip label={`${t(`response.${grade}`)} · ${when}`}>
      <span className={classes.response} data-grade={grade}>
        <Signal grade={grade} />
        <span>
          {digits}
          <span className={classes.unit}>{unit}</span>
        </span>
        <ShortAgo timestamp={channel.test_time} />
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
        <span className={classes.dim}> / {slow.digits}</span>
        <span className={classes.unit}>{slow.unit}</span>
      </span>
    </Tooltip>
  );
}

/** The mean of a tag's channels. */
export function MeanResponse({ milliseconds }: { milliseconds: number }) {
  const { t } = useTranslation('channels');
  const grade = responseGrade(milliseconds);
  if (grade === 'untested') return null;
  const { digits, unit } = responseText(milliseconds);
  return (
    <Tooltip label={t('response.mean')}>
      <span className={classes.response} data-grade={grade}>
        <Signal grade={grade} />
        <span>
          {digits}
          <span className={classes.unit}>{unit}</span>
        </span>
        <span className={classes.ago} />
      </span>
    </Tooltip>
  );
}

const STEPS = [
  { seconds: 86_400, key: 'ago.days' },
  { seconds: 3600, key: 'ago.hours' },
  { seconds: 60, key: 'ago.minutes' },
] as const;

function ShortAgo({ timestamp }: { timestamp: number }) {
  const { t } = useTranslation('channels');
  const passed = useNow() - timestamp;
  const step = STEPS.find(({ seconds }) => passed >= seconds);
  return (
    <span className={classes.ago}>
      {step ? t(step.key, { value: Math.floor(passed / step.seconds) }) : t('ago.now')}
    </span>
  );
}

const SIGNS = { USD: '$', CNY: '¥' } as const;

interface BalanceCellProps {
  channel: ChannelView;
  type: ChannelType | undefined;
  onRefresh: () => void;
}

/** A click reads the balance from the upstream again. */
export function BalanceCell({ channel, type, onRefresh }: BalanceCellProps) {
  const { t } = useTranslation('channels');
  if (!type?.can_read_balance) return <Empty />;
  const known = channel.balance_updated_time > 0;
  const text = formatMoney(channel.balance).replace('$', SIGNS[type.balance_currency]);
  const isLow = known && isLowBalance(channel.balance);
  const label = known
    ? t('balance.known', { time: absoluteTime(channel.balance_updated_time) })
    : t('balance.unknown');
  return (
    <Tooltip label={label}>
      <UnstyledButton
        className={classes.balance}
        data-low={isLow || undefined}
        aria-label={t('balance.refresh', { name: channel.name, balance: known ? text : t('balance.read') })}
        onClick={onRefresh}
      >
        {isLow ? <IconAlertTriangleFilled size={12} aria-hidden /> : null}
        {known ? text : t('balance.read')}
      </UnstyledButton>
    </Tooltip>
  );
}
