/** The keys that were used last: their last 24 hours, what they used, and what is left of their limits. */
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CustomerOverview } from '#contract/admin/overview.ts';
import { QuotaBar, quotaTone } from '#web/ui/badge/posts.tsx';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { renderQuota } from '#web/ui/format/number.ts';
import { Panel } from './parts.tsx';
import { Posts } from './posts.tsx';
import classes from './tables.module.css';

export function Keys({ data }: { data: CustomerOverview }) {
  const { t } = useTranslation('overview');
  const sum = (of: 'today' | 'week') => data.keys.reduce((total, key) => total + key[of], 0);
  return (
    <Panel
      title={t('keys.title')}
      hint={t('channels.hint')}
      more={data.key_count === 0 ? null : <Link to="/token">{t('keys.all', { count: data.key_count })}</Link>}
    >
      {data.keys.length === 0 ? (
        <p className="row8 caption">
          {t('keys.none')}
          <Button renderRoot={(props) => <Link {...props} to="/token" search={{ new: 1 }} />}>
            {t('keys.create')}
          </Button>
        </p>
      ) : (
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{t('keys.name')}</th>
              <th scope="col" data-wide>
                {t('keys.health')}
              </th>
              <th scope="col" data-wide>
                {t('keys.used')}
              </th>
              <th scope="col" className="number">
                {t('keys.today')}
              </th>
              <th scope="col" className="number">
                {t('keys.week')}
              </th>
              <th scope="col" data-wide>
                {t('keys.limit')}
              </th>
              <th scope="col">
                <span className="hidden">{t('keys.connect')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.keys.map((key) => (
              <KeyRow key={key.id} owned={key} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('keys.total')}</th>
              <td data-wide />
              <td data-wide />
              <td className="number">
                <Quota quota={sum('today')} decimals={2} />
              </td>
              <td className="number">
                <Quota quota={sum('week')} decimals={2} />
              </td>
              <td data-wide />
              <td />
            </tr>
          </tfoot>
        </table>
      )}
    </Panel>
  );
}

function KeyRow({ owned: key }: { owned: CustomerOverview['keys'][number] }) {
  const { t } = useTranslation('overview');
  const display = useDisplay();
  const isNear =
    key.limit !== null &&
    ['near', 'spent'].includes(quotaTone({ used: key.limit.used, total: key.limit.total }));
  return (
    <tr>
      <th scope="row">
        <span className="inline8">
          <Link to="/token/$id" params={{ id: String(key.id) }} className="anywhere">
            {key.name}
          </Link>
          {key.group ? <GroupTag group={key.group} /> : null}
        </span>
      </th>
      <td data-wide>
        <Posts posts={key.posts} />
      </td>
      <td data-wide className="soft nowrap">
        <Moment timestamp={key.last_used_at} />
      </td>
      <td className="number">
        <Quota quota={key.today} decimals={2} />
      </td>
      <td className="number">
        <Quota quota={key.week} decimals={2} />
      </td>
      <td data-wide>
        <span className={`row8 ${classes.limit}`}>
          <QuotaBar
            used={key.limit?.used ?? 0}
            total={key.limit?.total}
            label={`${t('keys.limit')} ${key.name}`}
          />
          <span className={isNear ? 'nowrap warning strong' : 'nowrap soft'}>
            {key.limit
              ? t('keys.limitOf', {
                  used: renderQuota(key.limit.used, display, 2),
                  total: renderQuota(key.limit.total, display),
                })
              : t('keys.unlimited')}
          </span>
        </span>
      </td>
      <td className="number">
        <Link to="/token" search={{ connect: key.id }} aria-label={t('keys.connectOf', { name: key.name })}>
          {t('keys.connect')}
        </Link>
      </td>
    </tr>
  );
}
