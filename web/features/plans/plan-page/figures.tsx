/** What a plan sold and brought, what was used of it, and who bought it last. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { PlanPageView } from '#contract/admin/plan-page.ts';
import { usePlanWords } from '#web/features/plans/words.ts';
import { QuotaBar } from '#web/ui/badge/posts.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { Figures } from '#web/ui/thing/figures.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';

export function Sold({ data: { sold } }: { data: PlanPageView }) {
  const { t } = useTranslation('plans');
  const money = useMoneyText();
  const words = usePlanWords();
  const brought = [
    ...sold.revenue.map(money),
    ...(sold.revenue_quota > 0 ? [words.quotaOf(sold.revenue_quota)] : []),
  ];
  return (
    <ThingPanel title={t('page.sold')} hint={t('page.soldHint')} isFlush>
      <Figures
        figures={[
          {
            label: t('page.sold'),
            value: groupDigits(sold.orders + sold.balance),
            basis: t('page.ways', { orders: sold.orders, balance: sold.balance }),
          },
          {
            label: t('page.brought'),
            value: brought.length === 0 ? undefined : brought.join(' + '),
            basis: t('page.refunded', { count: sold.refunded }),
          },
          {
            label: t('page.active'),
            value: groupDigits(sold.active),
            basis: t('page.buyers', { count: sold.buyers }),
          },
          { label: t('page.grants'), value: groupDigits(sold.grants), basis: t('page.grantsHint') },
        ]}
      />
    </ThingPanel>
  );
}

export function Used({ use }: Pick<PlanPageView, 'use'>) {
  const { t } = useTranslation('plans');
  const display = useDisplay();
  const shown = (quota: number) => <b>{renderQuota(quota, display, 2)}</b>;
  if (use.granted === 0) return null;
  return (
    <ThingPanel
      title={t('page.used')}
      hint={t('page.usedHint')}
      more={
        <span className="small soft tabular">
          {t('page.granted')} {shown(use.granted)} − {t('page.usedWord')} {shown(use.used)} −{' '}
          {t('page.lapsed')} {shown(use.lapsed)} = {t('page.left')} {shown(use.left)}
        </span>
      }
    >
      <QuotaBar used={use.used} total={use.granted} label={t('page.used')} />
    </ThingPanel>
  );
}

const KINDS: Record<PlanPageView['subscriptions'][number]['state'], StatusKind> = {
  scheduled: 'queued',
  active: 'enabled',
  ended: 'disabled',
};

export function Subscribers({ data }: { data: PlanPageView }) {
  const { t } = useTranslation('plans');
  const { plan, subscriptions, subscription_count } = data;
  return (
    <ThingPanel
      title={t('page.subscribers')}
      more={
        <Link to="/plan" search={{ view: 'subscriptions', plan: plan.id }}>
          {t('page.all', { count: subscription_count })}
        </Link>
      }
      isFlush={subscriptions.length > 0}
    >
      {subscriptions.length === 0 ? <p className="caption">{t('page.nobody')}</p> : null}
      {subscriptions.length > 0 ? (
        <ThingTable
          label={t('page.subscribers')}
          rows={subscriptions}
          rowKey={({ id }) => id}
          columns={subscriberColumns(t)}
        />
      ) : null}
    </ThingPanel>
  );
}

function subscriberColumns(
  t: ReturnType<typeof useTranslation<'plans'>>['t'],
): ThingColumn<PlanPageView['subscriptions'][number]>[] {
  return [
    {
      key: 'user',
      head: t('page.user'),
      cell: ({ user_id, username }) => (
        <Link to="/user/$id" params={{ id: String(user_id) }}>
          {username}
        </Link>
      ),
    },
    {
      key: 'state',
      head: t('page.stateWord'),
      cell: ({ state }) => <StatusBadge kind={KINDS[state]}>{t(`page.subscription.${state}`)}</StatusBadge>,
    },
    {
      key: 'source',
      head: t('page.source'),
      cell: ({ source, order_id }) =>
        order_id > 0 ? (
          <Link to="/order/$id" params={{ id: String(order_id) }}>
            {t(`page.by.${source}`)}
          </Link>
        ) : (
          t(`page.by.${source}`)
        ),
    },
    {
      key: 'left',
      head: t('page.leftNow'),
      isNumber: true,
      cell: ({ left }) => <Quota quota={left} />,
    },
    {
      key: 'ends',
      head: t('page.ends'),
      isNumber: true,
      cell: ({ ends_at }) => <Moment timestamp={ends_at} />,
    },
  ];
}
