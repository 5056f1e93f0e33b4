/** Whether the token was called: its newest row in the log, polled while the panel is open. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconCircleCheckFilled, IconCircleXFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '#contract/language.ts';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useNow } from '#web/ui/format/moment.tsx';
import { relativeTime } from '#web/ui/format/time.ts';
import classes from './connect.module.css';

export const WAITING_MILLISECONDS = 2000;

/** Token names are not unique, so a few rows are read and filtered by id. */
const ROWS = 10;

/** Rows of other programs have whole seconds only. */
function secondsOf({ use_time, other }: Pick<LogView, 'use_time' | 'other'>): string {
  const milliseconds = /"use_ms":(\d+)/.exec(other)?.[1];
  return milliseconds === undefined ? String(use_time) : (Number(milliseconds) / 1000).toFixed(2);
}

export function FirstCall({ token }: { token: TokenView }) {
  const { t, i18n } = useTranslation('tokens');
  const now = useNow();
  const { data: row } = useQuery({
    queryKey: ['tokens', 'newest-call', token.id, token.name],
    queryFn: async ({ signal }) => {
      const query = { token_name: token.name, page_size: ROWS };
      const { items } = await api.logs.listSelf({ query, signal });
      const isCall = (type: number) => type === LOG_TYPE.consumption || type === LOG_TYPE.error;
      return items.find(({ token_id, type }) => token_id === token.id && isCall(type)) ?? null;
    },
    refetchInterval: WAITING_MILLISECONDS,
  });
  // The operator may have disabled the log; the token row also has the time of its last use.
  const seconds = row?.created_at ?? token.accessed_time;
  if (seconds === 0) {
    return (
      <p className={`row8 soft ${classes.first}`} role="status">
        <PostLoader />
        {t('connect.waiting')}
      </p>
    );
  }
  const when = relativeTime(seconds, Math.max(now, seconds), languageOf(i18n.language));
  const hasFailed = row?.type === LOG_TYPE.error;
  const Icon = hasFailed ? IconCircleXFilled : IconCircleCheckFilled;
  return (
    <div className={`row8 soft ${classes.first}`} data-received={hasFailed ? 'failed' : 'yes'}>
      <Icon size={16} aria-hidden />
      <p role="status">{t(hasFailed ? 'connect.failed' : 'connect.received', { when })}</p>
      {row ? (
        <>
          <span className={classes.facts}>
            {row.model_name}
            <span>{t('connect.seconds', { seconds: secondsOf(row) })}</span>
            {hasFailed ? null : <Quota quota={row.quota} plain />}
          </span>
          <Link to="/log" search={{ token: token.name, open: row.id }}>
            {t('connect.openLog')}
          </Link>
        </>
      ) : null}
    </div>
  );
}
