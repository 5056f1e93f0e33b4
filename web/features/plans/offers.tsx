/** The plans on sale as cards: price, what they buy of a chosen model, resets, group. */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PlanOffer } from '#contract/money/plans.ts';
import { errorMessage } from '#web/api/errors.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { GroupTag, Tag } from '#web/ui/badge/tag.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderNumber } from '#web/ui/format/number.ts';
import { descriptionOf, nameOf } from './plan-text.ts';
import { BuyDialog } from './buy-dialog.tsx';
import { estimateOf } from './estimate.ts';
import { useMayBuy } from './may-buy.ts';
import { planQueries } from './queries.ts';
import { usePlanWords } from './words.ts';
import classes from './plans.module.css';

export function Offers() {
  const { t } = useTranslation('plans');
  const offers = useQuery(planQueries.offers());
  const prices = useQuery(planQueries.prices());
  const own = useQuery(planQueries.own());
  const [wanted, setWanted] = useState<string>();
  const [bought, setBought] = useState<PlanOffer>();
  if (offers.error && !offers.data)
    return <ErrorState message={errorMessage(offers.error)} onRetry={() => void offers.refetch()} />;
  if (!offers.data) return <Loading shape="cards" />;
  if (offers.data.length === 0) return <EmptyState title={t('offers.empty')} text={t('offers.emptyText')} />;
  const running = new Set(
    own.data?.subscriptions.filter(({ state }) => state === 'active').map(({ plan_id }) => plan_id),
  );
  const entries = prices.data?.data ?? [];
  const names = entries.map(({ model_name }) => model_name);
  const model = entries.find(({ model_name }) => model_name === (wanted ?? names[0]));
  return (
    <>
      {names.length > 0 ? (
        <Select
          className={classes.model}
          label={t('offers.model')}
          data={names}
          value={model?.model_name ?? null}
          searchable
          allowDeselect={false}
          limit={100}
          onChange={(value) => setWanted(value ?? undefined)}
        />
      ) : null}
      <ul className={classes.cards}>
        {offers.data.map((plan) => (
          <li key={plan.id}>
            <Card plan={plan} model={model} isOwn={running.has(plan.id)} onBuy={() => setBought(plan)} />
          </li>
        ))}
      </ul>
      {bought ? <BuyDialog plan={bought} onClose={() => setBought(undefined)} /> : null}
    </>
  );
}

type Model = Parameters<typeof estimateOf>[1] | undefined;

interface CardProps {
  plan: PlanOffer;
  model: Model;
  /** The buyer has a subscription of it that runs. */
  isOwn: boolean;
  onBuy: () => void;
}

function Card({ plan, model, isOwn, onBuy }: CardProps) {
  const { t } = useTranslation('plans');
  const mayBuy = useMayBuy();
  const words = usePlanWords();
  const worth = words.worth(plan);
  const description = descriptionOf(plan);
  const isFull = plan.limit_per_user > 0 && plan.bought >= plan.limit_per_user;
  const isSold = plan.price_quota > 0 || plan.methods.length > 0;
  const isOnline = plan.methods.length > 0;
  const [price, other] = words.prices(plan);
  const isOfBalance = plan.price_quota > 0 && (!isOnline || plan.price_minor === 0);
  return (
    <article className={`stack8 ${classes.card}`} aria-label={nameOf(plan)}>
      <div className="row8">
        <h2>{nameOf(plan)}</h2>
        {isOwn ? <StatusBadge kind="enabled">{t('page.have')}</StatusBadge> : null}
      </div>
      {description ? <p className={classes.description}>{description}</p> : null}
      <p className={classes.price}>
        <b>{isOfBalance ? words.quotaOf(plan.price_quota) : price}</b>
        {isOfBalance ? <span>{t('price.fromBalance')}</span> : null}
        {other && !isOfBalance ? (
          <span>
            {t('price.or')} {other}
          </span>
        ) : null}
        <span>/ {words.duration(plan)}</span>
      </p>
      <p className="strong">
        {words.quota(plan)}
        {worth === undefined ? null : <span className="note"> · {worth}</span>}
      </p>
      <EstimateLine plan={plan} model={model} />
      <p className={`flow6 ${classes.tags}`}>
        <Tag>
          {plan.models.length === 0
            ? t('offers.allModels')
            : t('offers.models', { count: plan.models.length })}
        </Tag>
        {plan.group ? <GroupTag group={plan.group} /> : null}
        {plan.limit_per_user > 0 ? (
          <Tag>{t('offers.bought', { bought: plan.bought, limit: plan.limit_per_user })}</Tag>
        ) : null}
      </p>
      {mayBuy ? (
        <Button disabled={isFull || !isSold} onClick={onBuy}>
          {isFull ? t('offers.limitReached') : isSold ? t('offers.buy') : t('offers.unavailable')}
        </Button>
      ) : null}
    </article>
  );
}

function EstimateLine({ plan, model }: { plan: PlanOffer; model: Model }) {
  const { t } = useTranslation('plans');
  const { quotaPerUnit } = useDisplay();
  const estimate = model && estimateOf(plan, model, quotaPerUnit);
  if (!model || !estimate) return null;
  const name = model.model_name;
  return (
    <p className="caption">
      {estimate.kind === 'excluded'
        ? t('offers.excluded', { model: name })
        : t(`offers.${estimate.kind}`, { model: name, count: renderNumber(estimate.count) })}
    </p>
  );
}
