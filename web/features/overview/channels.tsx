/** Every channel of the last 24 hours: those that are off first, then the busiest, in two columns. */
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OperatorOverview, OverviewChannel } from '#contract/admin/overview.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { Count } from '#web/ui/format/amount.tsx';
import { Panel } from './parts.tsx';
import { Posts } from './posts.tsx';
import tables from './tables.module.css';
import classes from './channels.module.css';

/** Below it a share of answered calls is a problem. */
const LOW_PERCENT = 95;

export function Channels({ data }: { data: OperatorOverview }) {
  const { t } = useTranslation('overview');
  const half = Math.ceil(data.channels.length / 2);
  const columns = [data.channels.slice(0, half), data.channels.slice(half)].filter(
    ({ length }) => length > 0,
  );
  return (
    <Panel
      title={t('channels.title')}
      hint={t('channels.hint')}
      more={<Link to="/channel">{t('channels.all', { count: data.channel_count })}</Link>}
    >
      {columns.length === 0 ? <p className="caption">{t('channels.none')}</p> : null}
      <div className={classes.columns} data-count={columns.length}>
        {columns.map((column, at) => (
          <table key={at} className={tables.table}>
            <thead>
              <tr>
                <th scope="col">{t('channels.name')}</th>
                <th scope="col">{t('channels.health')}</th>
                <th scope="col" className="number">
                  {t('channels.success')}
                </th>
                <th scope="col" className="number" data-wide>
                  {t('channels.firstToken')}
                </th>
                <th scope="col" className="number">
                  {t('channels.calls')}
                </th>
              </tr>
            </thead>
            <tbody>
              {column.map((channel) => (
                <Row key={channel.id} channel={channel} />
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </Panel>
  );
}

function Row({ channel }: { channel: OverviewChannel }) {
  const { t } = useTranslation('overview');
  const { id, name, posts, calls, failures, first_token_p50, off_since } = channel;
  const tried = calls + failures;
  const percent = tried === 0 ? undefined : (calls / tried) * 100;
  return (
    <tr>
      <th scope="row" className={classes.name}>
        <span className="row8">
          <Link to="/channel/$id" params={{ id: String(id) }} className="cut">
            {name}
          </Link>
          {off_since > 0 ? (
            <span className="inline4 nowrap size12 danger">
              <IconAlertTriangleFilled size={13} role="img" aria-label={t('channels.isOff')} />
              <span data-wide>{t('channels.off', { time: absoluteTime(off_since).slice(5, 16) })}</span>
            </span>
          ) : null}
        </span>
      </th>
      <td>
        <Posts posts={posts} />
      </td>
      <td className={percent !== undefined && percent < LOW_PERCENT ? 'number danger strong' : 'number'}>
        {percent === undefined ? <Empty /> : `${percent.toFixed(1)}%`}
      </td>
      <td className="number" data-wide>
        {first_token_p50 > 0 ? `${(first_token_p50 / 1000).toFixed(2)} s` : <Empty />}
      </td>
      <td className="number">
        <Count value={tried} />
      </td>
    </tr>
  );
}
