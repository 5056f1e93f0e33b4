/** The page of a supplier: what its channels brought and cost, how they answer, how long their balances last. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { IconPencil, IconReceipt, IconShieldCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { SupplierPage } from '#contract/suppliers/supplier-page.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { namesJoined, sentenceGap } from '#web/ui/format/joined.ts';
import { CallsPanel } from '#web/ui/thing/calls-panel.tsx';
import { EventList } from '#web/ui/thing/event-list.tsx';
import { FailuresPanel } from '#web/ui/thing/failures-panel.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage } from '#web/ui/thing/thing-page.tsx';
import { supplierQueries } from '#web/features/suppliers/queries.ts';
import { supplierPageSearch } from '#web/features/suppliers/search.ts';
import { SupplierFacts } from './facts.tsx';
import { SupplierMoney } from './money.tsx';

export function SupplierOfOne() {
  const { t } = useTranslation('suppliers');
  const { t: thing } = useTranslation('thing');
  const { id: raw = '' } = useParams({ strict: false });
  const id = Number(raw);
  const [search, change] = useAddress(supplierPageSearch);
  const { data, error, refetch } = useQuery(supplierQueries.page(id, search.window ?? '24h'));
  const back = <Link to="/suppliers">{t('page.back')}</Link>;
  if (data?.id !== id) {
    const isMissing = error instanceof ApiError && (error.status === 404 || error.status === 400);
    return (
      <ThingPage back={back} name={`#${raw}`}>
        {isMissing ? (
          <EmptyState
            title={t('page.notFound')}
            action={
              <Button variant="default" renderRoot={(props) => <Link {...props} to="/suppliers" />}>
                {t('page.toList')}
              </Button>
            }
          />
        ) : error ? (
          <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />
        ) : (
          <Loading shape="thing" />
        )}
      </ThingPage>
    );
  }
  const present = data.channels.filter(({ status }) => status > 0);
  const on = present.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;
  const isOff = data.alert?.kind === 'off';
  return (
    <ThingPage
      back={back}
      name={data.name}
      mark={<VendorMark vendor={data.name} />}
      tag={`#${data.id}`}
      state={
        <StatusBadge kind={isOff ? 'auto-disabled' : on > 0 ? 'enabled' : 'disabled'}>
          {present.length === 0 ? t('page.state.none') : t('page.state.on', { on, all: present.length })}
        </StatusBadge>
      }
      actions={[
        {
          label: t('page.scores'),
          icon: IconShieldCheck,
          renderRoot: (props) => <Link {...props} to="/suppliers" />,
        },
        {
          label: t('page.bills'),
          icon: IconReceipt,
          renderRoot: (props) => <Link {...props} to="/suppliers" search={{ view: 'bills' }} />,
        },
        {
          label: t('page.edit'),
          icon: IconPencil,
          renderRoot: (props) => <Link {...props} to="/channel" search={{ suppliers: true }} />,
        },
      ]}
      alert={<Alert page={data} />}
    >
      <ThingColumns kind="facts">
        <ThingPanel title={thing('facts')} isFlush>
          <SupplierFacts page={data} />
        </ThingPanel>
        <CallsPanel
          calls={data.calls}
          window={data.window}
          step={data.step}
          onWindow={(window) => change({ window: window === '24h' ? undefined : window }, { replace: true })}
        />
      </ThingColumns>
      <SupplierMoney page={data} />
      <ThingColumns kind="events">
        <FailuresPanel
          failures={data.failures}
          window={data.window}
          placeOf={(from, to) => ({ to: '/log' as const, search: { from, to, type: LOG_TYPE.error } })}
          isOfMany
        />
        <EventList events={data.events} namesChannel />
      </ThingColumns>
    </ThingPage>
  );
}

function Alert({ page: { alert } }: { page: SupplierPage }) {
  const { t, i18n } = useTranslation('suppliers');
  const [first] = alert?.channels ?? [];
  if (alert === null || first === undefined) return null;
  return (
    <ThingAlert
      tone={alert.kind === 'off' ? 'danger' : 'warning'}
      action={
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/channel/$id" params={{ id: String(first.id) }} />}
        >
          {t('page.alert.open')}
        </Button>
      }
    >
      <b>
        {alert.kind === 'off'
          ? t('page.alert.off')
          : alert.days < 1
            ? t('page.alert.balanceLess')
            : t('page.alert.balance', { count: Math.floor(alert.days) })}
      </b>
      {sentenceGap(i18n.language)}
      {namesJoined(
        alert.channels.map(({ name }) => name),
        i18n.language,
      )}
    </ThingAlert>
  );
}
