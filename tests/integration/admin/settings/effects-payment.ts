// Effects of the payment options: what is offered, what it costs, and where the provider answers.
import { status, type Effects, type Stage, type Texts } from './effects-stage.ts';

const EPAY = { PayAddress: 'https://pay.example', EpayId: '1001', EpayKey: 'the-epay-key' };
const STRIPE = { StripeApiSecret: 'sk_test_effects', StripeWebhookSecret: 'whsec_effects' };

const without = (texts: Texts, missing: string) => () =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => key !== missing));

const onlineTopUp = (key: string, texts: Texts) => ({
  effect: 'Online top-up is offered once the provider is fully configured',
  given: without(texts, key),
  observe: status('enable_online_topup'),
  before: false,
  after: true,
});

const price =
  (payment_method: string, field: string, more: object = {}) =>
  async ({ app }: Stage): Promise<unknown> => {
    const body = { amount: 10, payment_method, ...more };
    const reply = (await app.request('/api/user/amount', { as: await app.actor(), body })).body;
    return reply[field] ?? reply.code;
  };

const info =
  (read: (answer: Record<string, { name: string }[]>) => unknown) =>
  async ({ app }: Stage): Promise<unknown> =>
    read(
      (await app.request('/api/user/topup/info', { as: await app.actor() })).body.data as Record<
        string,
        { name: string }[]
      >,
    );

async function placeOrder({ app }: Stage) {
  const body = { amount: 10, payment_method: 'zfb' };
  const reply = await app.request('/api/user/pay', { as: await app.actor(), body });
  const order = await app.store.db
    .selectFrom('orders')
    .selectAll()
    .where('trade_no', '=', String(reply.body['trade_no']))
    .executeTakeFirstOrThrow();
  return { order, fields: reply.body.data as Record<string, string> };
}

const epay = () => EPAY;
const stripe = () => STRIPE;

const RECEIPTS = 'tests/integration/money/payments/receipts.test.ts';

export const paymentEffects: Effects = {
  SellerName: { effect: 'The seller on receipts of orders paid from now on', file: RECEIPTS },
  SellerAddress: { effect: 'The address of the seller on those receipts', file: RECEIPTS },
  SellerTaxNumber: { effect: 'The tax number of the seller on those receipts', file: RECEIPTS },
  PayAddress: { ...onlineTopUp('PayAddress', EPAY), text: EPAY.PayAddress },
  EpayId: { ...onlineTopUp('EpayId', EPAY), text: EPAY.EpayId },
  EpayKey: { ...onlineTopUp('EpayKey', EPAY), text: EPAY.EpayKey },
  EpayMethods: {
    effect: 'The payment methods that Epay offers',
    given: epay,
    text: 'wx',
    observe: info((answer) => answer['methods']?.map(({ name }) => name)),
    before: ['zfb', 'wx'],
    after: ['wx'],
  },
  StripeApiSecret: { ...onlineTopUp('StripeApiSecret', STRIPE), text: STRIPE.StripeApiSecret },
  StripeWebhookSecret: { ...onlineTopUp('StripeWebhookSecret', STRIPE), text: STRIPE.StripeWebhookSecret },
  StripeAddress: {
    effect: 'The server of Stripe; without one Stripe is not offered',
    given: stripe,
    text: '',
    observe: status('enable_online_topup'),
    before: true,
    after: false,
  },
  StripeCurrency: {
    effect: 'The currency of payments by Stripe',
    given: stripe,
    text: 'eur',
    observe: price('stripe', 'currency'),
    before: 'USD',
    after: 'EUR',
  },
  StripePrice: {
    effect: 'The price of a dollar of quota with Stripe',
    given: stripe,
    text: '1.2',
    observe: price('stripe', 'data'),
    before: '10.00',
    after: '12.00',
  },
  Price: {
    shown: 'tests/e2e/settings-effects.test.ts',
    effect: 'The price of a dollar of quota with Epay',
    given: epay,
    text: '6.5',
    observe: price('zfb', 'data'),
    before: '73.00',
    after: '65.00',
  },
  MinTopUp: {
    shown: 'tests/e2e/settings-effects.test.ts',
    effect: 'The smallest top-up',
    text: '5',
    observe: status('min_topup'),
    before: 1,
    after: 5,
  },
  TopUpPresets: {
    effect: 'The amounts the wallet offers, and their discounts',
    given: epay,
    text: '[{"amount":10,"discount":0.5}]',
    observe: price('zfb', 'data'),
    before: '73.00',
    after: '36.50',
  },
  TopUpPromotions: {
    effect: 'Codes that lower the price of a top-up',
    given: epay,
    text: '{"HALF":{"discount":0.5,"until":0}}',
    observe: price('zfb', 'data', { top_up_code: 'HALF' }),
    before: 'top_up_code_unknown',
    after: '36.50',
  },
  TopupGroupRatio: {
    effect: 'What each group pays for a dollar',
    given: epay,
    text: '{"default":2}',
    observe: price('zfb', 'data'),
    before: '73.00',
    after: '146.00',
  },
  OrderMinutes: {
    effect: 'How long an order can be paid before it expires',
    given: epay,
    text: '30',
    observe: async (stage) => {
      const { order } = await placeOrder(stage);
      return order.expires_at - order.created_at;
    },
    before: 3600,
    after: 1800,
  },
  CustomCallbackAddress: {
    effect: 'Where Epay sends its payment notifications; the server address when empty',
    given: epay,
    text: 'https://notify.example',
    observe: async (stage) =>
      (await placeOrder(stage)).fields['notify_url']?.startsWith('https://notify.example/'),
    before: false,
    after: true,
  },
};
