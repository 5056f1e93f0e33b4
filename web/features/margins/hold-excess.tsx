/** What calls of the span cost beyond their holds: how much users paid, how much was not paid, and the newest calls. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { HoldExcess } from '#contract/money/margins.ts';
import { NoticeBox, NoticeLine } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import classes from './margins.module.css';

export function HoldExcessLine({ excess }: { excess: HoldExcess }) {
  const { t } = useTranslation('margins');
  const display = useDisplay();
  const money = (quota: number) => renderQuota(quota, display);
  if (excess.calls === 0) return <NoticeLine>{t('excess.none')}</NoticeLine>;
  const amounts = { paid: money(excess.paid), unpaid: money(excess.unpaid) };
  return (
    <NoticeBox tone={excess.unpaid > 0 ? 'danger' : 'warning'}>
      <p className={classes.excess}>{t('excess.sum', { count: excess.calls, ...amounts })}</p>
      <p className={classes.excess}>{t('excess.meaning')}</p>
      <ul className={classes.excessCalls} aria-label={t('excess.newest')}>
        {excess.newest.map((call) => (
          <li key={call.request_id}>
            <Anchor
              size="xs"
              renderRoot={(props) => <Link {...props} to="/log" search={{ request: call.request_id }} />}
            >
              {call.request_id}
            </Anchor>{' '}
            {t('excess.call', {
              user: call.username === '' ? t('gone', { id: call.user_id }) : call.username,
              paid: money(call.paid),
              unpaid: money(call.unpaid),
            })}
          </li>
        ))}
      </ul>
    </NoticeBox>
  );
}
