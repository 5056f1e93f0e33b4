/** The user's subscriptions: a bar for each, its reset and end, renewal, and what pays first. */
import { Button, SegmentedControl, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PlanOffer, SubscriptionView } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { QuotaBar } from '#web/ui/badge/posts.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { boughtNameOf } from './plan-text.ts';
import { BuyDialog } from './buy-dialog.tsx';
import { PLANS_KEY, planQueries } from './queries.ts';
import { usePlanWords } from './words.ts';
import classes from './plans.module.css';

const KINDS: Record<SubscriptionView['state'], StatusKind> = {
  scheduled: 'queued',
  active: 'enabled',
  ended: 'expired',
};

export function SubscriptionBadge({ state }: { state: SubscriptionView['state'] }) {
  const { t } = useTranslation('plans');
  return <StatusBadge kind={KINDS[state]}>{t(`own.state.${state}`)}</StatusBadge>;
}

export function Own() {
  const { t } = useTranslation('plans');
  const { data } = useQuery(planQueries.own());
  const { data: offers } = useQuery(planQueries.offers());
  const [renewed, setRenewed] = useState<SubscriptionView>();
  if (!data || data.subscriptions.length === 0) return null;
  const running = data.subscriptions.filter(({ state }) => state !== 'ended');
  const ended = data.subscriptions.filter(({ state }) => state === 'ended');
  const plan = offers?.find(({ id }) => id === renewed?.plan_id);
  return (
    <section className={`stack12 ${classes.own}`} aria-label={t('own.title')}>
      <h2>{t('own.title')}</h2>
      <ul>
        {running.map((subscription) => (
          <li key={subscription.id} className="stack10">
            <SubscriptionBar subscription={subscription} />
            <Renewal
              subscription={subscription}
              offer={offers?.find(({ id }) => id === subscription.plan_id)}
              onRenew={() => setRenewed(subscription)}
            />
          </li>
        ))}
      </ul>
      {running.length > 0 ? <Preference isWalletFirst={data.wallet_first} /> : null}
      {ended.length > 0 ? (
        <details>
          <summary>{t('own.history')}</summary>
          <ul>
            {ended.map((subscription) => (
              <li key={subscription.id} className={`flex note ${classes.past}`}>
                <span>{boughtNameOf(subscription)}</span>
                <EndWords subscription={subscription} />
                <Moment timestamp={subscription.ended_at || subscription.ends_at} absolute />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
      {renewed && plan ? (
        <BuyDialog plan={plan} renews={renewed} onClose={() => setRenewed(undefined)} />
      ) : null}
    </section>
  );
}

const END_WORDS = { refund: 'refunded', dispute: 'disputed', admin: 'admin' } as const;

function EndWords({ subscription: { end_reason } }: { subscription: SubscriptionView }) {
  const { t } = useTranslation('plans');
  const known = (['refund', 'dispute', 'admin'] as const).find((name) => name === end_reason);
  const words = known === undefined ? '' : t(`own.${END_WORDS[known]}`);
  return <span>{words || t('own.ended')}</span>;
}

/** Used of the period's quota, and when it resets or ends. */
export function SubscriptionBar({ subscription }: { subscription: SubscriptionView }) {
  const { t } = useTranslation('plans');
  const { quotaOf } = usePlanWords();
  const { state, period_quota, left, resets, period_ends_at, ends_at, started_at } = subscription;
  const name = boughtNameOf(subscription);
  const used = Math.max(0, period_quota - left);
  const words = t('own.used', { used: quotaOf(used), quota: quotaOf(period_quota) });
  return (
    <div className={`stack4 ${classes.bar}`}>
      <p>
        <b>{name}</b>
        {state === 'active' ? <span>{words}</span> : <SubscriptionBadge state={state} />}
      </p>
      {state === 'active' ? (
        <div className="flex">
          <QuotaBar used={used} total={period_quota} label={`${name}: ${words}`} />
        </div>
      ) : null}
      <p className={classes.times}>
        {state === 'scheduled' ? (
          <span>
            {t('own.starts')} <Moment timestamp={started_at} />
          </span>
        ) : null}
        {resets ? (
          <span>
            {t('own.resets')} <Moment timestamp={period_ends_at} />
          </span>
        ) : null}
        <span>
          {t('own.ends')} <Moment timestamp={ends_at} />
        </span>
      </p>
    </div>
  );
}

interface RenewalProps {
  subscription: SubscriptionView;
  offer: PlanOffer | undefined;
  onRenew: () => void;
}

function Renewal({ subscription, offer, onRenew }: RenewalProps) {
  const { t } = useTranslation('plans');
  const { quotaOf } = usePlanWords();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (auto_renew: boolean) =>
      api.plans.autoRenew({ params: { id: subscription.id }, body: { auto_renew } }),
    onSettled: () => client.invalidateQueries({ queryKey: PLANS_KEY }),
  });
  const { renewable, renew_price, renewal_quota } = subscription;
  if (!renewable && renew_price === 0) return null;
  const canPay = offer !== undefined && (offer.price_quota > 0 || offer.methods.length > 0);
  return (
    <div className={classes.renewal}>
      {renewal_quota > 0 || renew_price > 0 ? (
        <Switch
          checked={renew_price > 0}
          disabled={change.isPending}
          label={t('own.autoRenew', { amount: quotaOf(renew_price || renewal_quota) })}
          description={t('own.autoRenewHint')}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      ) : (
        <span />
      )}
      {renewable && canPay ? (
        <Button variant="default" size="compact-sm" onClick={onRenew}>
          {t('own.renew')}
        </Button>
      ) : null}
    </div>
  );
}

export function Preference({ isWalletFirst }: { isWalletFirst: boolean }) {
  const { t } = useTranslation('plans');
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (wallet_first: boolean) => api.plans.preference({ body: { wallet_first } }),
    onSettled: () => client.invalidateQueries({ queryKey: PLANS_KEY }),
  });
  const isWallet = change.isPending ? change.variables : isWalletFirst;
  return (
    <div className={`row caption ${classes.preference}`}>
      <span>{t('own.preference')}</span>
      <SegmentedControl
        size="xs"
        aria-label={t('own.preference')}
        value={isWallet ? 'wallet' : 'plan'}
        onChange={(value) => change.mutate(value === 'wallet')}
        data={[
          { value: 'plan', label: t('own.planFirst') },
          { value: 'wallet', label: t('own.walletFirst') },
        ]}
      />
      <small>{t(isWallet ? 'own.walletFirstHint' : 'own.planFirstHint')}</small>
    </div>
  );
}
