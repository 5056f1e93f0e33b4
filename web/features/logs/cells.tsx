/** The cells of a log row. Colour is never the only sign: a slow number also has a clock icon. */
import { Tooltip } from '@mantine/core';
import {
  IconAlertTriangleFilled,
  IconBolt,
  IconClockHour4,
  IconCoins,
  IconHandStop,
  IconPlugConnectedX,
  IconRepeat,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { CellButton } from '#web/ui/grid/cell-button.tsx';
import { durationText, retriesOf, secondsText } from './attempts.ts';
import type { LogDetails } from './other.ts';
import { durationTone, firstTokenTone, type SpeedTone } from './tones.ts';
import classes from './logs.module.css';

export function isCall({ type }: Pick<LogView, 'type'>): boolean {
  return type === LOG_TYPE.consumption || type === LOG_TYPE.error;
}

/** A failed call without tokens: its reason takes the place of their columns. */
export function hasNoTokens({ type, prompt_tokens, completion_tokens }: LogView): boolean {
  return type === LOG_TYPE.error && prompt_tokens + completion_tokens === 0;
}

export function ChannelCell({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (row.channel === 0) return <Empty />;
  const retries = retriesOf(details.attempts);
  return (
    <span className="flex6">
      <Tooltip label={`#${row.channel} ${row.channel_name}`.trimEnd()}>
        <Link
          to="/channel/$id"
          params={{ id: String(row.channel) }}
          className="ellipsis quiet-link"
          onClick={(event) => event.stopPropagation()}
        >
          {row.channel_name || `#${row.channel}`}
        </Link>
      </Tooltip>
      {retries > 0 ? (
        <Tooltip label={t('cell.retryPath', { path: details.channels?.join(' → ') })}>
          <span aria-label={t('cell.retries', { count: retries })} role="img">
            <Tag>
              <IconRepeat size={11} stroke={1.6} aria-hidden />
              &nbsp;{retries}
            </Tag>
          </span>
        </Tooltip>
      ) : null}
    </span>
  );
}

export function UserCell({ row, onUser }: { row: LogView; onUser: (row: LogView) => void }) {
  const { t } = useTranslation('logs');
  if (!row.username) return <Empty />;
  return (
    <CellButton label={t('action.userCard', { name: row.username })} onOpen={() => onUser(row)}>
      {row.username}
    </CellButton>
  );
}

const TYPE_NAMES = Object.entries(LOG_TYPE).filter(([name]) => name !== 'all') as [
  Exclude<keyof typeof LOG_TYPE, 'all'>,
  number,
][];

export function typeName(type: number): Exclude<keyof typeof LOG_TYPE, 'all'> | 'unknown' {
  return TYPE_NAMES.find(([, value]) => value === type)?.[0] ?? 'unknown';
}

export function TypeCell({ row }: { row: LogView }) {
  const { t } = useTranslation('logs');
  const name = typeName(row.type);
  const icon: Partial<Record<typeof name, ReactNode>> = {
    error: <IconAlertTriangleFilled size={13} aria-hidden />,
    refused: <IconHandStop size={13} stroke={1.6} aria-hidden />,
    topUp: <IconCoins size={13} stroke={1.6} aria-hidden />,
    refund: <IconCoins size={13} stroke={1.6} aria-hidden />,
  };
  return (
    <span className={classes.type} data-type={name}>
      {icon[name]}
      {t(`type.${name}`)}
    </span>
  );
}

export function ModelCell({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (!row.model_name && !details.refused) return <span className="soft">{row.content}</span>;
  const mapped = row.upstream_model && row.upstream_model !== row.model_name;
  return (
    <span className={`shrink flex6 ${classes.model}`}>
      {row.model_name ? <span>{row.model_name}</span> : null}
      {mapped ? (
        <Tooltip label={t('cell.mapped', { model: row.upstream_model })}>
          <span className="soft">→ {row.upstream_model}</span>
        </Tooltip>
      ) : null}
      {(details.refused?.count ?? 1) > 1 ? (
        <span data-count>
          <Tag>{t('refused.times', { count: groupDigits(details.refused?.count ?? 0) as never })}</Tag>
        </span>
      ) : null}
      {row.type === LOG_TYPE.error || row.type === LOG_TYPE.refused ? (
        <span className="soft">{row.content}</span>
      ) : null}
    </span>
  );
}

/** Endings for which the upstream is the reason. */
const BROKEN_ENDINGS: ReadonlySet<string> = new Set(['broken', 'timeout', 'error']);

export function isBrokenOff({ ending }: Pick<LogDetails, 'ending'>): boolean {
  return BROKEN_ENDINGS.has(ending);
}

export function StreamCell({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (!isCall(row)) return null;
  if (isBrokenOff(details)) {
    return (
      <Tooltip label={t('cell.brokenOff')}>
        <IconPlugConnectedX
          size={14}
          stroke={1.6}
          role="img"
          aria-label={t('cell.brokenOff')}
          className="danger"
        />
      </Tooltip>
    );
  }
  if (!row.is_stream) return <span className="hidden">{t('cell.notStream')}</span>;
  return (
    <Tooltip label={t('cell.stream')}>
      <IconBolt size={14} stroke={1.6} role="img" aria-label={t('cell.stream')} className="block muted" />
    </Tooltip>
  );
}

function Speed({ tone, text, label }: { tone: SpeedTone; text: string; label: string }) {
  const { t } = useTranslation('logs');
  const word = tone === 'green' ? '' : ` (${tone === 'orange' ? t('cell.slow') : t('cell.verySlow')})`;
  return (
    <Tooltip label={`${label}${word}`}>
      <span className={classes.speed} data-tone={tone}>
        {tone === 'green' ? (
          <i className={classes.post} aria-hidden />
        ) : (
          <IconClockHour4 size={13} stroke={1.8} role="img" aria-label={word.trim()} />
        )}
        {text}
        <span className={classes.unit}>s</span>
      </span>
    </Tooltip>
  );
}

export function DurationCell({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (!isCall(row)) return null;
  const seconds = durationText(row.use_time, details.durationMilliseconds);
  return <Speed tone={durationTone(row.use_time)} text={seconds} label={t('cell.duration', { seconds })} />;
}

export function FirstTokenCell({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (!isCall(row)) return null;
  const { firstTokenMilliseconds } = details;
  if (!row.is_stream || firstTokenMilliseconds === undefined) return <Empty />;
  const seconds = secondsText(firstTokenMilliseconds);
  return (
    <Speed
      tone={firstTokenTone(firstTokenMilliseconds / 1000)}
      text={seconds}
      label={t('cell.firstToken', { seconds })}
    />
  );
}

function Tokens({ count, note }: { count: number; note: string | undefined }) {
  const number = <span className={count === 0 ? 'muted' : undefined}>{groupDigits(count)}</span>;
  return note ? <Tooltip label={note}>{number}</Tooltip> : number;
}

export function PromptCell({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (!isCall(row)) return <Empty />;
  const cached = details.usage.cacheRead;
  return (
    <Tokens
      count={row.prompt_tokens}
      note={cached ? t('cell.cached', { count: groupDigits(cached) as never }) : undefined}
    />
  );
}

export function CompletionCell({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (!isCall(row)) return <Empty />;
  const { reasoning } = details.usage;
  return (
    <Tokens
      count={row.completion_tokens}
      note={reasoning ? t('cell.reasoning', { count: groupDigits(reasoning) as never }) : undefined}
    />
  );
}

const COST_DECIMALS = 6;

export function CostCell({ row }: { row: LogView }) {
  const { t } = useTranslation('logs');
  const display = useDisplay();
  if (row.type === LOG_TYPE.topUp || row.type === LOG_TYPE.refund) {
    if (row.quota === 0) return <Empty />;
    return <span className="success">{t('topUpAmount', { amount: renderQuota(row.quota, display) })}</span>;
  }
  if (!isCall(row)) return <Empty />;
  return <Quota quota={row.quota} decimals={COST_DECIMALS} />;
}
