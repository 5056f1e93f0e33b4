/** A row on the phone: two lines, and opened the charge as a receipt with its attempts as one strip. */
import { IconAlertTriangleFilled, IconClockHour4, IconRepeat } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { durationText, retriesOf, secondsText } from './attempts.ts';
import { useAttribution } from './attribution.tsx';
import { causeOf } from './cause.ts';
import { ChannelLink } from './channel-link.tsx';
import { CostCell, isBrokenOff, isCall, typeName } from './cells.tsx';
import { chargeOf } from './charge.ts';
import { Receipt } from './price-equation.tsx';
import type { LogDetails } from './other.ts';
import { durationTone, firstTokenTone } from './tones.ts';
import { AttemptStrip } from './waterfall.tsx';
import classes from './card.module.css';

interface LogCardProps {
  row: LogView;
  details: LogDetails;
  open: boolean;
  /** Of the channel, for administrators. */
  channelName?: (id: number) => string | undefined;
  admin: boolean;
}

export function LogCard({ row, details, open, admin, channelName }: LogCardProps) {
  const { t } = useTranslation('logs');
  const retries = retriesOf(details.attempts);
  const isError = row.type === LOG_TYPE.error;
  return (
    <>
      <div className="row8 between shrink">
        <span className={`inline6 shrink ${classes.name}`}>
          {row.model_name || t(`type.${typeName(row.type)}`)}
          {retries > 0 ? (
            <Tag>
              <IconRepeat size={11} stroke={1.6} aria-hidden />
              &nbsp;{retries}
            </Tag>
          ) : null}
          {isError || isBrokenOff(details) ? (
            <span className={classes.failed}>
              <IconAlertTriangleFilled size={13} aria-hidden />
              {t(isError ? 'type.error' : 'cell.brokenOff')}
            </span>
          ) : null}
        </span>
        <span className="fixed">
          <CostCell row={row} />
        </span>
      </div>
      <div className={`row8 between ${classes.second}`}>
        <span className="grow ellipsis">
          {absoluteTime(row.created_at).slice(11)}{' '}
          {row.token_name || (isCall(row) || details.refused ? '' : row.content)}
        </span>
        {isCall(row) ? (
          <>
            <span>
              {groupDigits(row.prompt_tokens)} → {groupDigits(row.completion_tokens)}
            </span>
            <Times row={row} details={details} />
          </>
        ) : null}
      </div>
      {admin && (row.username !== '' || row.channel > 0) ? (
        <div className={`row8 between ${classes.second}`}>
          <span className="grow ellipsis">
            {[
              row.username,
              row.channel > 0 ? row.channel_name || channelName?.(row.channel) || `#${row.channel}` : '',
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      ) : null}
      {details.refused ? (
        <p className="small danger">
          {row.content} {t('refused.times', { count: groupDigits(details.refused.count) as never })}
        </p>
      ) : null}
      {isError ? <p className="small danger">{t(`cause.${causeOf(row, details)}.what`)}</p> : null}
      {open ? <OpenedCard row={row} details={details} admin={admin} channelName={channelName} /> : null}
    </>
  );
}

function Times({ row, details }: Pick<LogCardProps, 'row' | 'details'>) {
  const { t } = useTranslation('logs');
  const first = row.is_stream ? details.firstTokenMilliseconds : undefined;
  const tone =
    first === undefined
      ? durationTone(row.use_time)
      : durationTone(row.use_time) === 'green'
        ? firstTokenTone(first / 1000)
        : durationTone(row.use_time);
  return (
    <span className={classes.times} data-tone={tone}>
      {tone === 'green' ? null : <IconClockHour4 size={12} stroke={1.8} aria-hidden />}
      {first === undefined ? '' : `${t('column.firstToken')} ${secondsText(first)} · `}
      {durationText(row.use_time, details.durationMilliseconds)} s
    </span>
  );
}

function OpenedCard({ row, details, admin, channelName }: Omit<LogCardProps, 'open'>) {
  const { t } = useTranslation('logs');
  const facts = useFacts();
  const attribution = useAttribution(row);
  const { quotaPerUnit } = useDisplay();
  const charge = chargeOf(row, details, quotaPerUnit);
  return (
    <div className={`stack6 ${classes.opened}`}>
      {charge ? <Receipt charge={charge} row={row} /> : null}
      {isCall(row) ? (
        <AttemptStrip
          details={details}
          useTimeSeconds={row.use_time}
          isFailed={row.type === LOG_TYPE.error}
        />
      ) : null}
      {attribution.map(([name, value]) => (
        <p key={name} className="row8 caption">
          {name} {value}
        </p>
      ))}
      {details.refused ? (
        <p className="caption">
          {t('refused.count', {
            count: details.refused.count,
            calls: groupDigits(details.refused.count),
          })}
        </p>
      ) : null}
      {row.type === LOG_TYPE.error ? (
        <p className="caption">{t(`cause.${causeOf(row, details)}.fix`)}</p>
      ) : null}
      {admin && row.type === LOG_TYPE.error
        ? details.attempts?.map(({ channel, error }, index) => (
            <p key={`${index} ${channel}`} className={`note ${classes.attempt}`}>
              <ChannelLink id={channel} name={channelName?.(channel)} />
              <code>{facts.attempt(error)}</code>
            </p>
          ))
        : null}
      {row.request_id ? (
        <p className={`row8 between ${classes.request}`}>
          <code>{row.request_id}</code>
          <CopyButton text={row.request_id} label={t('action.copyId')} size={32} />
        </p>
      ) : null}
    </div>
  );
}
