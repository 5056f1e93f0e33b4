/** The facts of a supplier, each with what follows from it. */
import { useTranslation } from 'react-i18next';
import type { BuyPrice } from '#contract/money/channel-costs.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { SupplierChannel, SupplierPage } from '#contract/suppliers/supplier-page.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import { FactList, type Fact } from '#web/ui/thing/facts.tsx';
import { Score } from '#web/features/suppliers/cells.tsx';
import { ENOUGH_DAYS } from './money.tsx';

type Translate = ReturnType<typeof useTranslation<'suppliers'>>['t'];

/** The server has checked it; schemas are no part of the console. */
function priceOf(text: string): BuyPrice | undefined {
  return text === '' ? undefined : (JSON.parse(text) as BuyPrice);
}

function priceText(t: Translate, price: BuyPrice | undefined): string {
  if (price === undefined) return t('page.unknown');
  const rate = price.recharge_rate ?? 1;
  if (price.kind === 'list') return `×${Number((price.multiplier * rate).toPrecision(6))}`;
  return price.kind === 'plan'
    ? t('page.buy.plan', { fee: formatMoney(price.monthly_fee * rate) })
    : t('page.buy.table', { count: Object.keys(price.models).length });
}

/** In each currency. */
function balancesText(channels: readonly SupplierChannel[]): string {
  const byCurrency = Map.groupBy(
    channels.filter(({ balance }) => balance !== null),
    ({ currency }) => currency,
  );
  return [...byCurrency]
    .map(([currency, of]) => {
      const sum = of.reduce((total, { balance }) => total + (balance ?? 0), 0);
      return `${currency === 'CNY' ? '¥' : '$'}${sum.toFixed(2)}`;
    })
    .join(' + ');
}

function lastsText(t: Translate, days: number | undefined): string | undefined {
  if (days === undefined) return undefined;
  return days < 1 ? t('page.derived.lastsLess') : t('page.derived.lasts', { count: Math.floor(days) });
}

export function SupplierFacts({ page }: { page: SupplierPage }) {
  const { t } = useTranslation('suppliers');
  const present = page.channels.filter(({ status }) => status > 0);
  const on = present.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;
  const own = present.filter(({ has_own_price }) => has_own_price).length;
  const scores = present.flatMap(({ score }) => (score === null ? [] : [score]));
  const days = present.flatMap(({ balance_days }) => (balance_days === null ? [] : [balance_days]));
  const shortest = days.length === 0 ? undefined : Math.min(...days);
  const price = priceOf(page.buy_price);
  const balances = balancesText(present);
  const bill = page.events.find((event) => event.kind === 'bill');
  const facts: (Fact | false)[] = [
    { label: t('page.fact.channels'), value: present.length, derived: t('page.derived.on', { on }) },
    {
      label: t('page.fact.bought'),
      value: priceText(t, price),
      tone: price === undefined ? 'warning' : undefined,
      derived: own > 0 ? t('page.derived.own', { count: own }) : undefined,
    },
    scores.length > 0 && {
      label: t('page.fact.score'),
      value: <Score supplier={{ score: Math.min(...scores) }} />,
    },
    balances !== '' && {
      label: t('page.fact.balance'),
      value: balances,
      tone: shortest !== undefined && shortest < ENOUGH_DAYS ? 'warning' : undefined,
      derived: lastsText(t, shortest),
    },
    bill?.kind === 'bill' &&
      bill.has_cost && {
        label: t('page.fact.billed'),
        value: formatMoney(bill.billed),
        derived: t('page.derived.counted', { amount: formatMoney(bill.recorded) }),
      },
    page.created_at > 0 && {
      label: t('page.fact.made'),
      value: <Moment timestamp={page.created_at} absolute />,
    },
  ];
  return <FactList facts={facts} />;
}
