/** The customer's overview: the balance and how long it lasts, what needs them, the keys in use. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CustomerOverview } from '#contract/admin/overview.ts';
import { errorMessage } from '#web/api/errors.ts';
import { attentionQuery } from '#web/api/queries.ts';
import { QuotaBar, Sparkbars } from '#web/ui/badge/posts.tsx';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Quota, StatAmount } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { renderQuota } from '#web/ui/format/number.ts';
import { Needs } from './needs.tsx';
import { Head, Panel, Sentence, Waiting } from './parts.tsx';
import { Posts } from './posts.tsx';
import { overviewQueries } from './queries.ts';
import classes from './overview.module.css';

export function Customer() {
  const { t } = useTranslation('overview');
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
  const own = attention.data?.items.filter((item) => !item.is_snoozed && item.menu === '/token') ?? [];
  const amount = renderQuota(data.balance.quota + data.balance.plans, display, 2);
  const days = data.pace.days_left;
  const said =
    days === null
      ? t('sentence.balanceOnly', { amount })
      : t('sentence.balance', { amount, count: Math.floor(days) });
  return (
    <>
      <Head now={data.now} zone={data.time_zone} />
      <Sentence text={(own.length > 0 ? t('sentence.needs', { count: own.length }) : '') + said} />
      <div className={classes.two}>
        <Panel title={t('balance.title')}>
          <StatAmount quota={data.balance.quota + data.balance.plans} />
          <p className="caption">
            {t('balance.perDay', { amount: renderQuota(data.pace.per_day, display, 2) })}
            {data.pace.ends_on === null ? '' : ` · ${t('balance.ends', { day: data.pace.ends_on })}`}
          </p>
          <Sparkbars values={data.days.map(({ quota }) => quota)} label={t('balance.posts')} height={40} />
        </Panel>
        <Needs />
      </div>
      <Keys data={data} />
    </>
  );
}

function Keys({ data }: { data: CustomerOverview }) {
  const { t } = useTranslation('overview');
  const display = useDisplay();
  return (
    <Panel
      title={t('keys.title')}
      hint={t('channels.hint')}
      more={<Link to="/token">{t('keys.all', { count: data.key_count })}</Link>}
    >
      {data.keys.length === 0 ? (
        <p className="row8 caption">
          {t('keys.none')}
          <Button renderRoot={(props) => <Link {...props} to="/token" search={{ new: 1 }} />}>
            {t('keys.create')}
          </Button>
        </p>
      ) : (
        <ul className={classes.rows}>
          {data.keys.map((key) => (
            <li key={key.id}>
              <span className="grow anywhere">
                <Link to="/token/$id" params={{ id: String(key.id) }}>
                  {key.name}
                </Link>{' '}
                {key.group ? <GroupTag group={key.group} /> : null}
              </span>
              <Posts posts={key.posts} />
              <span className={`note tabular nowrap ${classes.facts}`}>
                {t('keys.today')} <Quota quota={key.today} plain /> · {t('keys.week')}{' '}
                <Quota quota={key.week} plain /> · <Moment timestamp={key.last_used_at} />
              </span>
              <span className={`row8 note ${classes.limit}`}>
                <QuotaBar
                  used={key.limit?.used ?? 0}
                  total={key.limit?.total}
                  label={`${t('keys.limit')} ${key.name}`}
                />
                {key.limit
                  ? t('keys.limitOf', {
                      used: renderQuota(key.limit.used, display),
                      total: renderQuota(key.limit.total, display),
                    })
                  : t('keys.unlimited')}
              </span>
              <Link
                to="/token"
                search={{ connect: key.id }}
                aria-label={t('keys.connectOf', { name: key.name })}
              >
                {t('keys.connect')}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
