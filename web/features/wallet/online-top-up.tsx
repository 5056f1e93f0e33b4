/** Online top-up: the form, or the order that waits for its payment. Without a provider there is only the message. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { useStatus } from '#web/api/status.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Block } from './block.tsx';
import { MissingSetting } from './missing-setting.tsx';
import { walletQueries } from './queries.ts';
import { walletSearch } from './search.ts';
import { TopUpForm } from './top-up-form.tsx';
import { Waiting } from './waiting.tsx';

export function OnlineTopUp() {
  const { t } = useTranslation('wallet');
  const status = useStatus();
  if (!status) return null;
  return (
    <Block title={t('online.title')}>
      {status.enable_online_topup ? (
        <TopUp />
      ) : (
        <MissingSetting message={t('online.disabled')} setUp={t('online.setUp')} tab="system" />
      )}
    </Block>
  );
}

function TopUp() {
  const navigate = useNavigate();
  const { order } = walletSearch.parse(useSearch({ strict: false }));
  const info = useQuery(walletQueries.topUpInfo());
  const show = (tradeNo: string | undefined) =>
    void navigate({ to: '/topup', search: { order: tradeNo }, replace: true });
  if (order) return <Waiting tradeNo={order} onClose={() => show(undefined)} />;
  if (info.error && !info.data)
    return <ErrorState message={errorMessage(info.error)} onRetry={() => void info.refetch()} />;
  if (!info.data) return <Loading />;
  return <TopUpForm info={info.data} onPlaced={show} />;
}
