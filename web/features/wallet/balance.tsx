/** The balance in money and quota, how long it lasts, and what was spent in thirty days. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { WalletView } from '#contract/money/wallet.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Sparkbars } from '#web/ui/badge/posts.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { StatAmount } from '#web/ui/format/page-amounts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import layout from '#web/ui/input/form.module.css';
import { Block } from './block.tsx';
import { walletQueries } from './queries.ts';
import classes from './wallet.module.css';

const YEAR_DAYS = 365;
/** Fewer days than this are marked: there is little time to top up. */
const SOON_DAYS = 3;

export function Balance() {
  const { t } = useTranslation('wallet');
  const { data, error, refetch } = useQuery(walletQueries.overview());
  return (
    <Block title={t('balance.title')}>
      {data ? <Figures wallet={data} /> : null}
      {error && !data ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {data || error ? null : (
        <div className={classes.figuresBone}>
          <Loading />
        </div>
      )}
    </Block>
  );
}

function Figures({ wallet }: { wallet: WalletView }) {
  const { t } = useTranslation('wallet');
  const display = useDisplay();
  const { quota, held_quota, plan_quota, burn } = wallet;
  const spent = burn.reduce((sum, day) => sum + day, 0);
  const label = t('balance.burn', {
    total: renderQuota(spent, display),
    today: renderQuota(burn.at(-1) ?? 0, display),
  });
  return (
    <>
      <div className={`flex amount ${classes.amounts}`}>
        <StatAmount quota={quota} />
        {display.displayInCurrency ? (
          <span className={classes.quota}>{t('balance.quota', { quota: groupDigits(quota) })}</span>
        ) : null}
      </div>
      <Runway wallet={wallet} />
      {plan_quota > 0 ? (
        <p className={`row6 top4 caption ${classes.hint}`}>
          {t('balance.plans', { amount: renderQuota(plan_quota, display, 2) })}
        </p>
      ) : null}
      {held_quota > 0 ? (
        <p className={`row6 top4 caption ${classes.hint}`}>
          {t('balance.held', { amount: renderQuota(held_quota, display) })}
        </p>
      ) : null}
      {spent > 0 ? (
        <figure className={classes.burn}>
          <Sparkbars values={burn} label={label} height={36} />
          <figcaption>
            {label}
            <Link to="/log" className={layout.link}>
              {t('balance.log')}
            </Link>
          </figcaption>
        </figure>
      ) : null}
    </>
  );
}

function Runway({ wallet }: { wallet: WalletView }) {
  const { t } = useTranslation('wallet');
  const { runway_days: days } = wallet;
  const quota = wallet.quota + wallet.plan_quota;
  if (quota > 0 && days === null)
    return <p className={`row6 top4 caption ${classes.hint}`}>{t('balance.idle')}</p>;
  const isSoon = quota === 0 || (days !== null && days < SOON_DAYS);
  const sentence = () => {
    if (quota === 0) return t('balance.empty');
    if (days === null || days > YEAR_DAYS) return t('balance.lastsLong');
    return days === 0 ? t('balance.lastsLess') : t('balance.lasts', { count: days });
  };
  return (
    <p className={`row6 top4 caption ${classes.hint}`} data-soon={isSoon || undefined}>
      {isSoon ? <IconAlertTriangleFilled size={14} aria-hidden /> : null}
      {sentence()}
    </p>
  );
}
