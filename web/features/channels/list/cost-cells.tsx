/** Optional columns: what the upstream charges, and the margin of the last seven days. Their queries run when they are shown. */
import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { channelQueries } from '#web/features/channels/queries.ts';
import { fieldsOf } from '#web/features/channels/form/buy-price.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { formatMoney } from '#web/ui/format/number.ts';

export function useBuyPriceText(): (text: string) => string | undefined {
  const { t } = useTranslation('channels');
  return (text) => {
    const price = fieldsOf(text);
    if (price === undefined) return undefined;
    // What a dollar at the list price costs in the end.
    const multiplier = Number((price.multiplier * price.recharge_rate).toPrecision(6));
    if (price.kind === 'list') return t('costs.short.list', { multiplier });
    if (price.kind === 'table') return t('costs.short.table');
    return t('costs.short.plan', { fee: formatMoney(price.monthly_fee * price.recharge_rate) });
  };
}

export function BuyPriceCell({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const { data: suppliers } = useQuery(channelQueries.suppliers());
  const textOf = useBuyPriceText();
  const supplier = suppliers?.find(({ id }) => id === channel.supplier_id);
  const own = textOf(channel.buy_price);
  if (own !== undefined) return <span className="muted">{own}</span>;
  const inherited = textOf(supplier?.buy_price ?? '');
  if (supplier === undefined || inherited === undefined) return <Empty />;
  return (
    <Tooltip label={t('costs.inherited', { name: supplier.name })}>
      <span className="muted">{inherited}</span>
    </Tooltip>
  );
}

export function MarginCell({ channel }: { channel: ChannelView }) {
  const { data } = useQuery(channelQueries.weekMargins());
  const row = data?.rows.find(({ key }) => key === String(channel.id));
  return row === undefined || row.calls === row.unknown_calls ? <Empty /> : <Quota quota={row.margin} />;
}
