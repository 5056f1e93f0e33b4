/** The attempts of a call on one time axis: solid red refused, hatched no answer, outline waiting, green receiving. */
import { IconCircleCheckFilled, IconCircleX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import {
  callSeconds,
  hasSucceeded,
  retriesOf,
  secondsText,
  waterfallOf,
  type AttemptBar,
  type Waterfall,
} from './attempts.ts';
import { ChannelLink } from './channel-link.tsx';
import type { LogDetails } from './other.ts';
import detailClasses from './detail.module.css';
import classes from './waterfall.module.css';
import { useFacts } from '#web/ui/facts/use-facts.ts';

interface WaterfallProps {
  details: LogDetails;
  useTimeSeconds: number;
  channelName: (id: number) => string | undefined;
}

function useResult() {
  const { t } = useTranslation('logs');
  return (bar: AttemptBar) =>
    bar.kind === 'silent' || bar.kind === 'lost'
      ? t(`attempts.${bar.kind}`)
      : t(`attempts.${bar.kind}`, { status: bar.status });
}

const percent = (part: number, total: number) => `${(part / total) * 100}%`;

/** A part of the answer came. */
const hasReceived = ({ kind, answered, end }: AttemptBar) =>
  kind === 'answered' || (kind === 'cut' && end > answered);

function Track({ bar, waterfall }: { bar: AttemptBar; waterfall: Waterfall }) {
  const { total, firstToken } = waterfall;
  return (
    <span className={classes.track}>
      <span
        className={classes.segment}
        data-kind={hasReceived(bar) ? 'waiting' : bar.kind}
        style={{ left: percent(bar.start, total), width: percent(bar.answered - bar.start, total) }}
      />
      {hasReceived(bar) ? (
        <span
          className={classes.segment}
          data-kind={bar.kind}
          style={{ left: percent(bar.answered, total), width: percent(bar.end - bar.answered, total) }}
        />
      ) : null}
      {firstToken === undefined ? null : (
        <span className={classes.firstToken} style={{ left: percent(Math.min(firstToken, total), total) }} />
      )}
    </span>
  );
}

export function AttemptWaterfall({ details, useTimeSeconds, channelName }: WaterfallProps) {
  const { t } = useTranslation('logs');
  const facts = useFacts();
  const result = useResult();
  const attempts = details.attempts ?? [];
  const waterfall = waterfallOf(
    attempts,
    callSeconds(useTimeSeconds, details.durationMilliseconds),
    details.firstTokenMilliseconds,
    details.hedge,
  );
  const retries = retriesOf(attempts);
  const seconds = secondsText(waterfall.total);
  return (
    <section>
      <p className={detailClasses.head}>
        <b>{t('attempts.title')}</b>
        {hasSucceeded(waterfall)
          ? retries > 0
            ? t('attempts.retries', { count: retries, seconds })
            : t('attempts.once', { seconds })
          : t('attempts.failed', { count: attempts.length, seconds })}
      </p>
      <ol className={classes.attempts} aria-label={t('attempts.path')}>
        {waterfall.bars.map((bar, index) => (
          <li key={`${index} ${bar.channel}`} data-kind={bar.kind}>
            {bar.kind === 'answered' ? (
              <IconCircleCheckFilled size={14} aria-hidden />
            ) : (
              <IconCircleX size={14} stroke={1.6} aria-hidden />
            )}
            <span className={`cut ${classes.attemptName}`}>
              <ChannelLink id={bar.channel} name={channelName(bar.channel)} />
            </span>
            <Track bar={bar} waterfall={waterfall} />
            <span className={classes.attemptResult}>{result(bar)}</span>
            <span className="nowrap number">{secondsText(bar.end - bar.start)} s</span>
            {bar.error === '' ? null : (
              <code className={classes.attemptError}>{facts.attempt(bar.error)}</code>
            )}
          </li>
        ))}
      </ol>
      {details.firstTokenMilliseconds === undefined ? null : (
        <p className={`top2 tiny number`}>
          {t('attempts.firstToken', { seconds: secondsText(details.firstTokenMilliseconds) })}
        </p>
      )}
    </section>
  );
}

/** The same as one strip with its legend, for the phone and for users, who do not see channels. */
export function AttemptStrip({
  details,
  useTimeSeconds,
  isFailed,
}: Omit<WaterfallProps, 'channelName'> & { isFailed: boolean }) {
  const { t } = useTranslation('logs');
  const result = useResult();
  // Users see no attempts: one bar, which says how the call ended.
  const attempts = details.attempts ?? [
    {
      channel: 0,
      status: isFailed ? 0 : 200,
      milliseconds: 0,
      error: details.ending === '' ? '' : details.ending,
    },
  ];
  const waterfall = waterfallOf(
    attempts,
    callSeconds(useTimeSeconds, details.durationMilliseconds),
    details.firstTokenMilliseconds,
    details.hedge,
  );
  const retries = retriesOf(details.attempts);
  const total = t('attempts.total', { seconds: secondsText(waterfall.total) });
  return (
    <section className="top6">
      <p className={classes.stripHead}>
        <span>{retries > 0 ? t('cell.retries', { count: retries }) : t('column.duration')}</span>
        <span>{total}</span>
      </p>
      <div className={classes.stripBar} role="img" aria-label={total}>
        {waterfall.bars.map((bar, index) => (
          <span key={`${index} ${bar.channel}`} style={{ display: 'contents' }}>
            <span
              data-kind={hasReceived(bar) ? 'waiting' : bar.kind}
              style={{ flexGrow: (bar.answered - bar.start) / waterfall.total }}
            />
            {hasReceived(bar) ? (
              <span data-kind={bar.kind} style={{ flexGrow: (bar.end - bar.answered) / waterfall.total }} />
            ) : null}
          </span>
        ))}
      </div>
      <p className={classes.stripLegend}>
        {waterfall.bars
          .filter((bar) => bar.kind !== 'answered')
          .map((bar, index) => (
            <span key={`${index} ${bar.channel}`} data-kind={bar.kind}>
              <IconCircleX size={13} stroke={1.6} aria-hidden />
              {result(bar)}
            </span>
          ))}
        {details.firstTokenMilliseconds === undefined ? null : (
          <span data-kind="answered">
            <IconCircleCheckFilled size={13} aria-hidden />
            {t('attempts.firstToken', { seconds: secondsText(details.firstTokenMilliseconds) })}
          </span>
        )}
      </p>
    </section>
  );
}
