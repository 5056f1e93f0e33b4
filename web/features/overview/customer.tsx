/** The customer's overview: the balance and how long it lasts, what needs them, how to connect, keys, changes, last calls. */
import { useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CustomerOverview } from '#contract/admin/overview.ts';
import { addDays, dayStart } from '#contract/site-day.ts';
import { errorMessage } from '#web/api/errors.ts';
import { attentionQuery } from '#web/api/queries.ts';
import type { Place } from '#web/ui/attention/place.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { sentenceGap } from '#web/ui/format/joined.ts';
import { Changes } from './changes.tsx';
import { customerSentence, type SayCustomer } from './customer-sentence.ts';
import { Keys } from './keys.tsx';
import { Needs } from './needs.tsx';
import { Sentence, Waiting } from './parts.tsx';
import { overviewQueries } from './queries.ts';
import { Balance } from './runway.tsx';
import type { Target } from './sentence.ts';
import classes from './overview.module.css';

export interface CustomerParts {
  /** Commands for the keys, of the feature of keys. */
  Connect: ComponentType<{ keys: CustomerOverview['keys'] }>;
  /** The newest rows of the log. */
  calls: ReactNode;
}

/** The rows of the log behind today's and yesterday's numbers, by the site's days. */
function logPlaces({ days, time_zone }: CustomerOverview): Partial<Record<Target, Place>> {
  const today = days.at(-1)?.day;
  if (today === undefined) return {};
  const start = dayStart(time_zone, today);
  const log = (from: number, to?: number) =>
    ({ to: '/log', search: to === undefined ? { from } : { from, to } }) as unknown as Place;
  const yesterday = log(dayStart(time_zone, addDays(today, -1)), start - 1);
  return { today: log(start), yesterday, calls: yesterday, success: yesterday };
}

export function Customer({ Connect, calls }: CustomerParts) {
  const { t, i18n } = useTranslation('overview');
  const display = useDisplay();
  const self = useQuery(overviewQueries.self);
  const attention = useQuery(attentionQuery);
  const { data } = self;
  if (!data)
    return self.error ? (
      <ErrorState message={errorMessage(self.error)} onRetry={() => void self.refetch()} />
    ) : (
      <Waiting />
    );
  const ending = attention.data?.items.filter((item) => !item.is_snoozed && item.menu === '/token') ?? [];
  const say: SayCustomer = (key, values) =>
    t(`sentence.${key}` as 'sentence.usedToday', values as { amount: string });
  const said = customerSentence(data, ending.length, say, display, {
    comma: t('join.comma'),
    semicolon: t('join.semicolon'),
    stop: t('join.stop'),
    space: sentenceGap(i18n.language),
  });
  return (
    <>
      <Sentence text={said} places={logPlaces(data)} />
      <div className={classes.halves}>
        <Balance data={data} />
        <Needs />
      </div>
      {data.keys.length === 0 ? null : <Connect keys={data.keys} />}
      <div className={classes.two}>
        <Keys data={data} />
        <Changes changes={data.changes} />
      </div>
      {calls}
    </>
  );
}
