/** In the wallet: a bar for each running subscription. Nothing for a user who has none and can buy none. */
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import layout from '#web/ui/input/form.module.css';
import { useMayBuy } from './may-buy.ts';
import { Preference, SubscriptionBar } from './own.tsx';
import { planQueries } from './queries.ts';

export function usePlanBars(): boolean {
  const own = useQuery(planQueries.own()).data?.subscriptions.some(({ state }) => state !== 'ended');
  const offers = useQuery(planQueries.offers()).data?.length ?? 0;
  return own === true || offers > 0;
}

export function PlanBars() {
  const { t } = useTranslation('plans');
  const mayBuy = useMayBuy();
  const { data, error, refetch } = useQuery(planQueries.own());
  if (!data)
    return error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : <Loading />;
  const running = data.subscriptions.filter(({ state }) => state !== 'ended');
  return (
    <div className="stack14">
      {running.length === 0 ? <p className="caption">{t('own.none')}</p> : null}
      {running.map((subscription) => (
        <SubscriptionBar key={subscription.id} subscription={subscription} />
      ))}
      {running.length > 0 ? <Preference isWalletFirst={data.wallet_first} /> : null}
      {mayBuy ? (
        <Link to="/plan" className={layout.link}>
          {t('own.buy')}
        </Link>
      ) : null}
    </div>
  );
}
