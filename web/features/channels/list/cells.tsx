/** The cells of a channel, shared by rows and cards. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconAlertTriangleFilled, IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { channelOtherInfo, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import { languageOf } from '#contract/language.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { useNow } from '#web/ui/format/moment.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import { absoluteTime, relativeTime } from '#web/ui/format/time.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { errorStatus, isLowBalance, responseGrade, responseText } from './grades.ts';
import { formatName } from '#web/features/channels/formats.ts';
import { ProviderMark } from './provider-mark.tsx';
import { splitList } from './rows.ts';
import classes from './cells.module.css';

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
    <span className={`row8 relative shrink ${classes.name}`} data-place={place}>
      <ProviderMark type={channel.type} mark={type?.mark ?? '?'} />
      <span
        className="ellipsis"
        title={channel.key_hint ? `${channel.name} · …${channel.key_hint}` : channel.name}
      >
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

export function ModelsCell({ models }: { models: string }) {
  const list = splitList(models);
  const [first] = list;
  if (first === undefined) return <Empty />;
  return (
    <Tooltip label={<ModelLines models={list} />}>
      <span className={classes.models}>
        <span>{first}</span>
        {list.length > 1 ? <span className="fixed muted size11">+{list.length - 1}</span> : null}
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
  const facts = useFacts();
  const { test_error: error } = channelOtherInfo(channel.other_info);
  const when =
    channel.test_time > 0
      ? t('response.tested', { when: relativeTime(channel.test_time, now, languageOf(i18n.language)) })
      : '';
  if (error) {
    return (
      <Tooltip label={`${facts.words(error)} · ${when}`}>
        <span className={`inline6 ${classes.response}`} data-grade="red">
          <Signal grade="untested" />
          <span className="danger">{errorStatus(error) ?? t('response.failed')}</span>
          <ShortAgo timestamp={channel.test_time} />
        </span>
      </Tooltip>
    );
  }
  const grade = responseGrade(channel.response_time);
  if (grade === 'untested') return <span className="muted">{t('response.untested')}</span>;
  const { digits, unit } = responseText(channel.response_time);
  return (
    <Tooltip label={`${t(`response.${grade}`)} · ${when}`}>
      <span className={`inline6 ${classes.response}`} data-grade={grade}>
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

/** The mean of a tag's channels. */
export function MeanResponse({ milliseconds }: { milliseconds: number }) {
  const { t } = useTranslation('channels');
  const grade = responseGrade(milliseconds);
  if (grade === 'untested') return null;
  const { digits, unit } = responseText(milliseconds);
  return (
    <Tooltip label={t('response.mean')}>
      <span className={`inline6 ${classes.response}`} data-grade={grade}>
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
        className={`inline4 ${classes.balance}`}
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
