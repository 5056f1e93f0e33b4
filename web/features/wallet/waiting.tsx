/** An order that was placed: waits for the payment and turns to paid without a reload. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconCircleCheckFilled, IconClockX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import layout from '#web/ui/input/form.module.css';
import { WALLET_KEY, walletQueries } from './queries.ts';
import classes from './top-up.module.css';

export function Waiting({ tradeNo, onClose }: { tradeNo: string; onClose: () => void }) {
  const { t } = useTranslation('wallet');
  const client = useQueryClient();
  const money = useMoneyText();
  const display = useDisplay();
  const { data: order, error, refetch } = useQuery(walletQueries.order(tradeNo));
  const isPaid = order?.status === 'paid' || order?.status === 'refunded';
  useEffect(() => {
    if (!isPaid) return;
    void client.invalidateQueries({ queryKey: WALLET_KEY });
    void client.invalidateQueries({ queryKey: ['plans'] });
    void client.invalidateQueries({ queryKey: selfQuery.queryKey });
  }, [isPaid, client]);
  if (error instanceof ApiError && error.status === 404)
    return <Ended words={t('online.waiting.unknown')} onClose={onClose} />;
  if (!order)
    return error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : <Loading />;
  const plan = order.plan_name;
  const amount = plan || renderQuota(order.quota, display);
  const paidWords = plan ? t('online.waiting.paidPlan', { plan }) : t('online.waiting.paid', { amount });
  if (order.status === 'expired') return <Ended words={t('online.waiting.expired')} onClose={onClose} />;
  return (
    <div className={classes.waiting} role="status" data-paid={isPaid || undefined}>
      <span className={classes.sign} aria-hidden>
        {isPaid ? <IconCircleCheckFilled size={18} /> : <PostLoader />}
      </span>
      <div>
        <b>{isPaid ? paidWords : t('online.waiting.title')}</b>
        <p>
          {money(order)} · {amount} · <code>{order.trade_no}</code>
          <CopyButton text={order.trade_no} />
        </p>
        {isPaid ? (
          <p>
            <Link to="/receipt" search={{ order: order.trade_no }} className={layout.link}>
              {t('receipt.title')}
            </Link>
          </p>
        ) : (
          <p>
            {t('online.waiting.until')} <Moment timestamp={order.expires_at} />
          </p>
        )}
      </div>
      <Button variant="default" size="compact-sm" onClick={onClose}>
        {isPaid ? t('online.waiting.done') : t('online.waiting.another')}
      </Button>
    </div>
  );
}

function Ended({ words, onClose }: { words: string; onClose: () => void }) {
  const { t } = useTranslation('wallet');
  return (
    <div className={classes.waiting} role="status">
      <span className={classes.sign} aria-hidden>
        <IconClockX size={18} stroke={1.6} />
      </span>
      <b>{words}</b>
      <Button variant="default" size="compact-sm" onClick={onClose}>
        {t('online.waiting.again')}
      </Button>
    </div>
  );
}
