/** The attempts of a call on one time axis: solid red refused, hatched no answer, outline waiting, green receiving. */
import { IconCircleCheckFilled, IconCircleX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { retriesOf, secondsText, waterfallOf, type AttemptBar, type Waterfall } from './attempts.ts';
import type { LogDetails } from './other.ts';
import detailClasses from './detail.module.css';
import classes from './waterfall.module.css';

interface WaterfallProps {
  details: LogDetails;
  useTimeSeconds: number;
  channelName: (id: number) => string | undefined;
}

function useResult() {
  const { t } = useTranslation('logs');
  return (bar: AttemptBar) =>
    bar.kind === 'silent' ? t('attempts.silent') : t(`attempts.${bar.kind}`, { status: bar.status });
}

const percent = (part: number, total: number) => `${(part / total) * 100}%`;

function Track({ bar, waterfall }: { bar: AttemptBar; waterfall: Waterfall }) {
  const { total, firstToken } = waterfall;
  return (
    <span className={classes.track}>
      <span
        className={classes.segment}
        data-kind={bar.kind === 'answered' ? 'waiting' : bar.kind}
        style={{ left: percent(bar.start, total), width: percent(bar.answered - bar.start, total) }}
      />
      {bar.kind === 'answered' ? (
        <span
          className={classes.segment}
          data-kind="answered"
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
  const result = useResult();
  const attempts = details.attempts ?? [];
  const waterfall = waterfallOf(attempts, useTimeSeconds, details.firstTokenMilliseconds);
  const retries = retriesOf(attempts);
  const seconds = secondsText(waterfall.total);
  return (
    <section>
      <p className={detailClasses.head}>
        <b>{t('attempts.title')}</b>
        {retries > 0 ? t('attempts.retries', { count: retries, seconds }) : t('attempts.once', { seconds })}
      </p>
      <ol className={classes.attempts} aria-label={t('attempts.path')}>
        {waterfall.bars.map((bar, index) => (
          <li key={`${index} ${bar.channel}`} data-kind={bar.kind}>
            {bar.kind === 'answered' ? (
              <IconCircleCheckFilled size={14} aria-hidden />
            ) : (
              <IconCircleX size={14} stroke={1.6} aria-hidden />
            )}
            <span className={classes.attemptName}>
              <span>#{bar.channel}</span> {channelName(bar.channel)}
            </span>
            <Track bar={bar} waterfall={waterfall} />
            <span className={classes.attemptResult}>{result(bar)}</span>
            <span className={classes.attemptTime}>{secondsText(bar.end - bar.start)} s</span>
          </li>
        ))}
      </ol>
      {details.firstTokenMilliseconds === undefined ? null : (
        <p className={classes.axisNote}>
          {t('attempts.firstToken', { seconds: secondsText(details.firstTokenMilliseconds) })}
        </p>
      )}
    </section>
  );
}

/** The same as one strip with its legend, for the phone and for users, who do not see channels. */
export function AttemptStrip({ details, useTimeSeconds }: Omit<WaterfallProps, 'channelName'>) {
  const { t } = useTranslation('logs');
  const result = useResult();
  const attempts = details.attempts ?? [{ channel: 0, status: 200, milliseconds: 0 }];
  const waterfall = waterfallOf(attempts, useTimeSeconds, details.firstTokenMilliseconds);
  const retries = retriesOf(details.attempts);
  const total = t('attempts.total', { seconds: secondsText(waterfall.total) });
  return (
    <section className={classes.strip}>
      <p className={classes.stripHead}>
        <span>{retries > 0 ? t('cell.retries', { count: retries }) : t('column.duration')}</span>
        <span>{total}</span>
      </p>
      <div className={classes.stripBar} role="img" aria-label={total}>
        {waterfall.bars.map((bar, index) => (
          <span key={`${index} ${bar.channel}`} style={{ display: 'contents' }}>
            <span
              data-kind={bar.kind === 'answered' ? 'waiting' : bar.kind}
              style={{ flexGrow: (bar.answered - bar.start) / waterfall.total }}
            />
            {bar.kind === 'answered' ? (
              <span data-kind="answered" style={{ flexGrow: (bar.end - bar.answered) / waterfall.total }} />
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
