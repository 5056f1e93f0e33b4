/** The state of the top-up form: the amount, its price, and placing the order. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PaymentMethodName, TopUpInfo } from '#contract/money/orders.ts';
import { api } from '#web/api.ts';
import { openTab, showProvider } from '#web/ui/address/provider-page.ts';
import { walletQueries } from './queries.ts';

const PAUSE_MILLISECONDS = 300;

export function useTopUp(info: TopUpInfo, onPlaced: (tradeNo: string) => void) {
  const [amount, setAmount] = useState(() => info.presets[0]?.amount ?? info.min_topup);
  const [code, setCode] = useState('');
  const [method, setMethod] = useState<PaymentMethodName>(() => info.methods[0]?.name ?? 'zfb');
  const wanted = { amount, payment_method: method, top_up_code: code.trim() };
  const [asked] = useDebouncedValue(JSON.stringify(wanted), PAUSE_MILLISECONDS);
  const isTooSmall = amount < info.min_topup;
  const price = useQuery({
    ...walletQueries.price(JSON.parse(asked) as typeof wanted),
    enabled: !isTooSmall && JSON.stringify(wanted) === asked,
    placeholderData: keepPreviousData,
  });
  const pay = useMutation({
    meta: { silent: true },
    mutationFn: async (tab: Window | null) => {
      try {
        const { data, url, trade_no } = await api.orders.pay({ body: wanted });
        onPlaced(trade_no);
        showProvider(tab, { url, fields: data });
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
  const isPriced = !price.isFetching && !price.isPlaceholderData && JSON.stringify(wanted) === asked;
  return {
    amount,
    /** Never below one. */
    setAmount: (next: number) => setAmount(Math.max(1, Math.round(next))),
    code,
    setCode,
    method,
    setMethod,
    isTooSmall,
    price,
    isPriced: isPriced && !isTooSmall,
    pay,
    /** In the click that confirms. */
    submit: () => pay.mutate(openTab()),
  };
}

export type TopUp = ReturnType<typeof useTopUp>;
