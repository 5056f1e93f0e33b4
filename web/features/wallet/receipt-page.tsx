/** The receipt of a paid order, to read and print. */
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { PAYMENT_METHODS } from '#contract/money/order-views.ts';
import type { ReceiptView } from '#contract/money/receipts.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { utcTime } from '#web/ui/format/time.ts';
import { Page } from '#web/ui/page/page.tsx';
import {
  Paper,
  PaperFacts,
  PaperHead,
  PaperNotes,
  PaperTable,
  PrintButton,
  withDetail,
  type PaperColumn,
  type PaperFact,
} from '#web/ui/paper/paper.tsx';
import { walletQueries } from './queries.ts';
import { receiptSearch } from './search.ts';

export function ReceiptPage() {
  const { t } = useTranslation('wallet');
  const receipt = useQuery(walletQueries.receipt(receiptSearch.parse(useSearch({ strict: false }))));
  const { data, error } = receipt;
  return (
    <Page title={t('receipt.title')}>
      <Paper label={t('receipt.title')} tools={<PrintButton />}>
        {error ? <ErrorState message={errorMessage(error)} onRetry={() => void receipt.refetch()} /> : null}
        {!error && data ? <Sheet receipt={data} /> : null}
        {error || data ? null : <Loading />}
      </Paper>
    </Page>
  );
}

interface Line {
  key: string;
  words: string;
  detail?: string;
  minor: number;
}

function Sheet({ receipt }: { receipt: ReceiptView }) {
  const { t } = useTranslation('wallet');
  const money = useMoneyText();
  const { seller, buyer, refunds, amount_minor } = receipt;
  const utc = (seconds: number) => `${utcTime(seconds)} UTC`;
  const back = refunds.reduce((sum, refund) => sum + refund.amount_minor, 0);
  const lines: Line[] = [
    {
      key: 'sold',
      words: receipt.plan_name
        ? t('receipt.plan', { plan: receipt.plan_name })
        : t('receipt.item', { dollars: groupDigits(receipt.dollars) }),
      detail: receipt.plan_name ? '' : t('receipt.quota', { quota: groupDigits(receipt.quota) }),
      minor: amount_minor,
    },
    { key: 'paid', words: t('receipt.paid'), minor: amount_minor },
    ...refunds.map((refund) => ({
      key: `refund ${refund.id}`,
      words: t(refund.status === 'done' ? 'receipt.refunded' : 'receipt.refunding'),
      detail: utc(refund.created_at),
      minor: -refund.amount_minor,
    })),
    ...(refunds.length > 0 ? [{ key: 'kept', words: t('receipt.kept'), minor: amount_minor - back }] : []),
  ];
  const columns: PaperColumn<Line>[] = [
    {
      header: t('receipt.what'),
      cell: ({ words, detail }) => withDetail(words, detail),
    },
    {
      header: t('receipt.amount', { currency: receipt.currency }),
      isNumber: true,
      cell: ({ minor }) => money({ ...receipt, amount_minor: minor }),
    },
  ];
  return (
    <>
      <PaperHead
        from={
          <>
            <b>{seller.name}</b>
            {seller.address ? <p>{seller.address}</p> : null}
            {seller.tax_number ? <p>{t('receipt.tax', { number: seller.tax_number })}</p> : null}
          </>
        }
        title={t('receipt.title')}
        facts={[
          [t('receipt.number'), receipt.number],
          [t('receipt.paidAt'), utc(receipt.paid_at)],
          [t('receipt.state'), t(`receipt.states.${stateOf(receipt, back)}`)],
        ]}
      />
      <PaperFacts facts={buyerFacts(buyer, t)} />
      <PaperTable
        title={t('receipt.sold')}
        columns={columns}
        rows={lines}
        rowKey={({ key }) => key}
        isTotal={({ key }) => key === 'paid' || key === 'kept'}
      />
      <PaperNotes>
        <PaperFacts
          facts={[
            [t('receipt.method'), methodName(t, receipt.payment_method)],
            [t('receipt.order'), receipt.trade_no],
            ...(receipt.provider_reference
              ? [[t('receipt.reference'), receipt.provider_reference] as const]
              : []),
          ]}
        />
      </PaperNotes>
    </>
  );
}

function methodName(t: ReturnType<typeof useTranslation<'wallet'>>['t'], name: string): string {
  const known = PAYMENT_METHODS.find((method) => method === name);
  return known ? t(`online.methods.${known}`) : name;
}

function stateOf({ amount_minor, refunds }: ReceiptView, back: number): 'paid' | 'part' | 'refunded' {
  if (refunds.length === 0) return 'paid';
  return back >= amount_minor ? 'refunded' : 'part';
}

/** An organization by the name and address that it gave for receipts. */
function buyerFacts(
  { id, username, display_name, email, company }: ReceiptView['buyer'],
  t: TFunction<'wallet'>,
): PaperFact[] {
  const name = display_name && display_name !== username ? `${display_name} (${username})` : username;
  const facts: PaperFact[] = [[t('receipt.buyer'), company === undefined ? `${name} #${id}` : company.name]];
  if (company?.address) facts.push([t('receipt.address'), company.address]);
  if (company?.tax_id) facts.push([t('receipt.taxNumber'), company.tax_id]);
  if (email) facts.push([t('receipt.email'), email]);
  return facts;
}
