/** The daily check-in: the days of this month, and the button of today. Absent while the operator has it switched off. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconCheck } from '@tabler/icons-react';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import type { CheckInCalendar } from '#contract/money/check-in.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { useStatus } from '#web/api/status.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import layout from '#web/ui/input/form.module.css';
import { Block } from './block.tsx';
import { CountUp } from './count-up.tsx';
import { WALLET_KEY, walletQueries } from './queries.ts';
import classes from './check-in.module.css';
import wallet from './wallet.module.css';

/** Drawn by the account feature. */
export type HumanCheckPart = ComponentType<{
  siteKey: string;
  token: string;
  onToken: (token: string) => void;
}>;

export function CheckIn({ HumanCheck }: { HumanCheck: HumanCheckPart }) {
  const { t } = useTranslation('wallet');
  const isEnabled = useStatus()?.check_in_enabled ?? false;
  const calendar = useQuery({ ...walletQueries.checkIn(), enabled: isEnabled });
  const { data, error } = calendar;
  const display = useDisplay();
  if (!isEnabled) return null;
  const sum = data?.days.reduce((total, { quota }) => total + quota, 0) ?? 0;
  return (
    <Block
      title={t('checkIn.title')}
      fact={
        data && sum > 0
          ? t('checkIn.month', { count: data.days.length, amount: renderQuota(sum, display) })
          : undefined
      }
    >
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void calendar.refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      {data ? (
        <>
          <Claim calendar={data} HumanCheck={HumanCheck} />
          <details className={classes.calendar}>
            <summary className="note">{t('checkIn.show')}</summary>
            <MonthGrid calendar={data} />
          </details>
        </>
      ) : null}
    </Block>
  );
}

function Claim({ calendar, HumanCheck }: { calendar: CheckInCalendar; HumanCheck: HumanCheckPart }) {
  const { t } = useTranslation('wallet');
  const display = useDisplay();
  const status = useStatus();
  const client = useQueryClient();
  const [human, setHuman] = useState('');
  const claim = useMutation({
    meta: { silent: true },
    mutationFn: () => api.checkIn.claim({ query: { turnstile: human || undefined } }),
    onSettled: async () => {
      // A token of the human check is valid for one call.
      setHuman('');
      await Promise.all([
        client.invalidateQueries({ queryKey: WALLET_KEY }),
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
      ]);
    },
  });
  const { min_quota, max_quota, is_done_today: isDone } = calendar;
  const [least, most] = [renderQuota(min_quota, display), renderQuota(max_quota, display)];
  const reward =
    least === most ? t('checkIn.reward', { amount: least }) : t('checkIn.range', { least, most });
  if (calendar.needs_email && !isDone)
    return (
      <p className={`row6 top4 caption ${wallet.hint}`}>
        {t('checkIn.email')}
        <Link to="/setting" search={{ tab: 'personal' }} className={layout.link}>
          {t('checkIn.bind')}
        </Link>
      </p>
    );
  const isHumanNeeded = status?.turnstile_check === true && !isDone;
  return (
    <>
      {isHumanNeeded ? (
        <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
      ) : null}
      <div className={classes.claim}>
        <Button
          variant="default"
          disabled={isDone || (isHumanNeeded && human === '')}
          loading={claim.isPending}
          onClick={() => claim.mutate()}
        >
          {isDone ? t('checkIn.done') : t('checkIn.submit')}
        </Button>
        <span className={`row6 top4 caption ${wallet.hint}`}>
          {isDone ? t('checkIn.tomorrow', { zone: calendar.time_zone }) : reward}
        </span>
      </div>
      <div role="status">
        {claim.isSuccess ? (
          <p className={wallet.added}>
            <CountUp key={claim.submittedAt} quota={claim.data.quota} />
            <span>{t('redeem.added', { amount: renderQuota(claim.data.quota, display) })}</span>
          </p>
        ) : null}
      </div>
      {claim.error ? (
        <p role="alert" className="top8 danger">
          {errorMessage(claim.error)}
        </p>
      ) : null}
    </>
  );
}

const WEEK_DAYS = 7;
/** A Monday. */
const SOME_MONDAY_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** Weeks begin on Monday. Days are those of the calendar's time zone, so they are counted without one. */
function MonthGrid({ calendar: { month, today, days } }: { calendar: CheckInCalendar }) {
  const { t, i18n } = useTranslation('wallet');
  const display = useDisplay();
  const [year = 0, number = 0] = month.split('-').map(Number);
  const first = new Date(Date.UTC(year, number - 1, 1));
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const blanks = (first.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  const rewards = new Map(days.map(({ day, quota }) => [day, quota]));
  const weekday = new Intl.DateTimeFormat(i18n.language, { weekday: 'narrow', timeZone: 'UTC' });
  return (
    <div className={classes.month} role="group" aria-label={t('checkIn.calendar', { month })}>
      {Array.from({ length: WEEK_DAYS }, (_, index) => (
        <span key={`w${index}`} className={classes.weekday} aria-hidden>
          {weekday.format(SOME_MONDAY_MS + index * DAY_MS)}
        </span>
      ))}
      {Array.from({ length: blanks }, (_, index) => (
        <span key={`b${index}`} aria-hidden />
      ))}
      {Array.from({ length: count }, (_, index) => {
        const day = `${month}-${String(index + 1).padStart(2, '0')}`;
        const quota = rewards.get(day);
        const words = quota === undefined ? day : `${day} +${renderQuota(quota, display)}`;
        return (
          <span
            key={day}
            className={classes.day}
            data-checked={quota !== undefined || undefined}
            data-today={day === today || undefined}
            title={words}
            role="img"
            aria-label={words}
          >
            {index + 1}
            {quota === undefined ? null : <IconCheck size={10} stroke={3} aria-hidden />}
          </span>
        );
      })}
    </div>
  );
}
