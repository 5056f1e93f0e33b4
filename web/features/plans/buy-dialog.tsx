/** Buys or renews a plan: from the balance at once, or on the provider's page. */
import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PaymentMethodName } from '#contract/money/orders.ts';
import type { PlanOffer } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { openTab, showProvider } from '#web/ui/address/provider-page.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { PLANS_KEY } from './queries.ts';
import { usePlanWords } from './words.ts';
import classes from './plans.module.css';

interface BuyDialogProps {
  plan: PlanOffer;
  /** The subscription that is renewed. */
  renews?: { id: number; ends_at: number };
  onClose: () => void;
}

type Way = 'balance' | PaymentMethodName;

export function BuyDialog({ plan, renews, onClose }: BuyDialogProps) {
  const { t } = useTranslation('plans');
  const words = usePlanWords();
  const { data: self } = useQuery(selfQuery);
  const ways: Way[] = [...(plan.price_quota > 0 ? (['balance'] as const) : []), ...plan.methods];
  const [way, setWay] = useState<Way>(ways[0] ?? 'balance');
  const buy = useBuy(plan, renews?.id, onClose);
  const isShort = way === 'balance' && self !== undefined && self.quota < plan.price_quota;
  const price = way === 'balance' ? words.quotaOf(plan.price_quota) : words.moneyOf(plan);
  return (
    <DialogFrame title={t(renews ? 'buy.renewTitle' : 'buy.title', { name: plan.name })} onClose={onClose}>
      <form
        noValidate
        className={`stack12 ${classes.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          buy.mutate({ way, tab: way === 'balance' ? null : openTab() });
        }}
      >
        <p className="caption">
          {words.quota(plan)} ·{' '}
          {renews
            ? t('buy.later', { time: absoluteTime(renews.ends_at) })
            : t('buy.now', { duration: words.duration(plan) })}
        </p>
        {ways.length > 1 ? (
          <SegmentedControl
            aria-label={t('buy.with')}
            value={way}
            onChange={setWay}
            data={ways.map((value) => ({
              value,
              label: value === 'balance' ? t('buy.balance') : t(`buy.methods.${value}`),
            }))}
          />
        ) : null}
        <p className={classes.offer}>
          <b>{t('buy.pay', { price })}</b>
          {way === 'balance' && self ? (
            <span>{t('buy.have', { amount: words.quotaOf(self.quota) })}</span>
          ) : null}
        </p>
        {isShort || buy.error ? (
          <p role="alert" className="danger">
            {buy.error ? errorMessage(buy.error) : t('buy.short')}
          </p>
        ) : null}
        <div className="buttons">
          <CancelButton />
          <Button type="submit" data-autofocus disabled={isShort} loading={buy.isPending}>
            {t(way === 'balance' ? 'buy.go' : 'buy.toProvider')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

function useBuy(plan: PlanOffer, renews: number | undefined, onClose: () => void) {
  const { t } = useTranslation('plans');
  const client = useQueryClient();
  const navigate = useNavigate();
  // The same attempt, sent twice, is one purchase.
  const [requestId] = useState(() => crypto.randomUUID());
  return useMutation({
    meta: { silent: true },
    mutationFn: async ({ way, tab }: { way: Way; tab: Window | null }) => {
      const params = { id: plan.id };
      if (way === 'balance') {
        const { price_quota } = plan;
        await api.plans.buy({ params, body: { request_id: requestId, price_quota, renews } });
        toast.success(t(renews ? 'buy.renewed' : 'buy.done'));
        return;
      }
      try {
        const { price_minor } = plan;
        const order = await api.plans.order({ params, body: { payment_method: way, price_minor, renews } });
        // The wallet waits for the payment.
        await navigate({ to: '/topup', search: { order: order.trade_no } });
        showProvider(tab, { url: order.url, fields: order.data });
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
    onSuccess: onClose,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: PLANS_KEY }),
        client.invalidateQueries({ queryKey: ['wallet'] }),
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
      ]),
  });
}
