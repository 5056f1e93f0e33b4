// A payment provider whose every word a test chooses.
import type {
  CallbackReading,
  PaymentProvider,
  PaymentReport,
  RefundOutcome,
  WantedRefund,
} from '#server/money/payments/provider.ts';

/** Says what the test wants, and notes what it is asked. */
export function providerOf(name: PaymentProvider['name']) {
  const says = {
    isOn: true,
    reading: (): CallbackReading => ({ kind: 'other' }),
    report: (): PaymentReport | undefined => undefined,
    outcome: (): RefundOutcome => ({ kind: 'done', reference: 'R1' }),
    page: (): string => 'page-1',
    tradeNo: '',
  };
  const asked: { queries: string[]; refunds: WantedRefund[] } = { queries: [], refunds: [] };
  const provider: PaymentProvider = {
    name,
    isRefundRepeatable: name === 'stripe',
    methods: () =>
      says.isOn ? [{ name: name === 'epay' ? 'zfb' : 'stripe', currency: 'CNY', price: 7.3 }] : [],
    origins: () => [],
    begin: async () => ({ url: 'https://pay.example.com', fields: {}, reference: says.page() }),
    readCallback: async () => says.reading(),
    accepted: () => new Response('accepted'),
    refused: () => new Response('refused', { status: 400 }),
    query: async ({ tradeNo }) => {
      asked.queries.push(tradeNo);
      return says.report();
    },
    refund: async (_, wanted) => {
      asked.refunds.push(wanted);
      return says.outcome();
    },
    tradeNoOf: async () => says.tradeNo,
  };
  return { provider, says, asked };
}
