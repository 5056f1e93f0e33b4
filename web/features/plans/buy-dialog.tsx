/** Buys or renews a plan: from the balance at once, or on the provider's page. */
import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { PaymentMethodName } from '#contract/money/orders.ts';
import type { PlanOffer } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { useBalance } from '#web/api/balance.ts';
import { selfQuery } from '#web/api/queries.ts';
import { openTab, showProvider } from '#web/ui/address/provider-page.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { nameOf } from './plan-text.ts';
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
  const { balance: self } = useBalance();
  const ways: Way[] = [...(plan.price_quota > 0 ? (['balance'] as const) : []), ...plan.methods];
  const form = useBuyForm(plan, { way: ways[0] ?? 'balance', renews: renews?.id }, onClose);
  const { way } = form.values;
  const isShort = way === 'balance' && self !== undefined && self.quota < plan.price_quota;
  const price = way === 'balance' ? words.quotaOf(plan.price_quota) : words.moneyOf(plan);
  return (
    <FormDialog
      title={t(renews ? 'buy.renewTitle' : 'buy.title', { name: nameOf(plan) })}
      submitLabel={t(way === 'balance' ? 'buy.go' : 'buy.toProvider')}
      startsAtSubmit
      disabled={isShort}
      className={`stack12 ${classes.form}`}
      buttons="buttons"
      form={form}
      onClose={onClose}
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
          {...form.choice('way')}
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
      {isShort ? (
        <p role="alert" className="danger">
          {t('buy.short')}
        </p>
      ) : null}
    </FormDialog>
  );
}

function useBuyForm(plan: PlanOffer, begin: { way: Way; renews: number | undefined }, onClose: () => void) {
  const { t } = useTranslation('plans');
  const navigate = useNavigate();
  const { renews } = begin;
  const params = { id: plan.id };
  const tab = useRef<Window | null>(null);
  return useForm({
    begin: () => ({ way: begin.way }),
    mayCall: ({ way }) => {
      tab.current = way === 'balance' ? null : openTab();
      return true;
    },
    send: async ({ way }, { requestId }) => {
      if (way === 'balance') {
        const { price_quota } = plan;
        await api.plans.buy({ params, body: { request_id: requestId(), price_quota, renews } });
        toast.success(t(renews ? 'buy.renewed' : 'buy.done'));
        return;
      }
      try {
        const { price_minor } = plan;
        const order = await api.plans.order({ params, body: { payment_method: way, price_minor, renews } });
        // The wallet waits for the payment.
        await navigate({ to: '/topup', search: { order: order.trade_no } });
        showProvider(tab.current, { url: order.url, fields: order.data });
      } catch (error) {
        tab.current?.close();
        throw error;
      }
    },
    onSent: onClose,
    refresh: [PLANS_KEY, ['wallet'], selfQuery.queryKey],
  });
}
