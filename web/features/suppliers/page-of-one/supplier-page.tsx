/** The page of a supplier: what its channels brought and cost, how they answer, how long their balances last. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { IconPencil, IconReceipt, IconShieldCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { readBuyPrice } from '#contract/money/channel-costs.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { SupplierPage } from '#contract/suppliers/supplier-page.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import { CallsPanel } from '#web/ui/thing/calls-panel.tsx';
import { EventList } from '#web/ui/thing/event-list.tsx';
import { FactList, type Fact } from '#web/ui/thing/facts.tsx';
import { FailuresPanel } from '#web/ui/thing/failures-panel.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage } from '#web/ui/thing/thing-page.tsx';
import { Score } from '#web/features/suppliers/cells.tsx';
import { supplierQueries } from '#web/features/suppliers/queries.ts';
import { supplierPageSearch } from '#web/features/suppliers/search.ts';
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
          <Loading page />
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
          <Facts page={data} />
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
  const { t } = useTranslation('suppliers');
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
          : t('page.alert.balance', { count: Math.max(1, alert.days) })}
      </b>{' '}
      {alert.channels.map(({ name }) => name).join(', ')}
    </ThingAlert>
  );
}

function Facts({ page }: { page: SupplierPage }) {
  const { t } = useTranslation('suppliers');
  const present = page.channels.filter(({ status }) => status > 0);
  const on = present.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;
  const own = present.filter(({ has_own_price }) => has_own_price).length;
  const scores = present.flatMap(({ score }) => (score === null ? [] : [score]));
  const days = present.flatMap(({ balance_days }) => (balance_days === null ? [] : [balance_days]));
  const shortest = days.length === 0 ? undefined : Math.min(...days);
  const price = readBuyPrice(page.buy_price);
  const bill = page.events.find((event) => event.kind === 'bill');
  const priceText =
    price === undefined
      ? t('page.unknown')
      : price.kind === 'list'
        ? `×${Number((price.multiplier * price.recharge_rate).toPrecision(6))}`
        : price.kind === 'plan'
          ? formatMoney(price.monthly_fee * price.recharge_rate)
          : Object.keys(price.models).length;
  const balances = present.flatMap(({ balance, currency }) =>
    balance === null ? [] : [`${currency === 'CNY' ? '¥' : '$'}${balance.toFixed(2)}`],
  );
  const facts: (Fact | false)[] = [
    { label: t('page.fact.channels'), value: present.length, derived: t('page.derived.on', { on }) },
    {
      label: t('page.fact.bought'),
      value: priceText,
      tone: price === undefined ? 'warning' : undefined,
      derived: own > 0 ? t('page.derived.own', { count: own }) : undefined,
    },
    scores.length > 0 && {
      label: t('page.fact.score'),
      value: <Score supplier={{ score: Math.min(...scores) }} />,
    },
    balances.length > 0 && {
      label: t('page.fact.balance'),
      value: balances.join(' + '),
      tone: shortest !== undefined && shortest < 4 ? 'warning' : undefined,
      derived:
        shortest === undefined
          ? undefined
          : shortest < 1
            ? t('page.derived.lastsLess')
            : t('page.derived.lasts', { count: Math.floor(shortest) }),
    },
    bill?.kind === 'bill' &&
      bill.has_cost && {
        label: t('page.fact.billed'),
        value: formatMoney(bill.billed),
        derived: t('page.derived.counted', { amount: formatMoney(bill.recorded) }),
      },
    { label: t('page.fact.made'), value: <Moment timestamp={page.created_at} absolute /> },
  ];
  return <FactList facts={facts} />;
}
