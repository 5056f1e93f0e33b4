// Stripe Checkout with its official library: a page of Stripe's own for the payer, a signed web hook after payment. The
// library is loaded with the first use: most sites do not take payments by it.
import type Stripe from 'stripe';
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/egress/index.ts';
import {
  CallbackRefused,
  originsOf,
  ProviderError,
  type PaymentProvider,
  type PaymentReport,
  type RefundOutcome,
} from './provider.ts';

type StripeSettings = Pick<
  Settings,
  | 'ServerAddress'
  | 'StripeAddress'
  | 'StripeApiSecret'
  | 'StripeCurrency'
  | 'StripePrice'
  | 'StripeWebhookSecret'
>;

export interface StripeParts {
  settings: { readonly current: StripeSettings };
  egress: Pick<Egress, 'fetch'>;
}

const timeoutSeconds = 20;
const limitBytes = 1024 * 1024;
/** Stripe refuses pages that end sooner. */
const shortestPageSeconds = 31 * 60;

export const stripeCallbackPath = '/api/stripe/webhook';

export function createStripe({ settings, egress }: StripeParts): PaymentProvider {
  const isConfigured = ({ StripeAddress, StripeApiSecret, StripeWebhookSecret }: StripeSettings) =>
    StripeAddress !== '' && StripeApiSecret !== '' && StripeWebhookSecret !== '';

  /** Its requests leave through our outbound door. */
  const send = async (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    egress.fetch('system', url instanceof Request ? url.url : url.toString(), {
      method: init?.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' ? { body: init.body } : {}),
      timeoutSeconds,
      limitBytes,
    });

  async function client(): Promise<Stripe> {
    const { default: Library } = await import('stripe');
    const { StripeAddress, StripeApiSecret } = settings.current;
    const { hostname, port, protocol } = new URL(StripeAddress);
    const isPlain = protocol === 'http:';
    return new Library(StripeApiSecret, {
      protocol: isPlain ? 'http' : 'https',
      host: hostname,
      port: port === '' ? (isPlain ? 80 : 443) : Number(port),
      httpClient: Library.createFetchHttpClient(Object.assign(send, { preconnect: () => {} })),
      maxNetworkRetries: 0,
      telemetry: false,
    });
  }

  async function call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await work(await client());
    } catch (error) {
      throw new ProviderError(`Stripe: ${describe(error)}`, { cause: error });
    }
  }

  return {
    name: 'stripe',
    isRefundRepeatable: true,
    methods() {
      const { current } = settings;
      if (!isConfigured(current)) return [];
      return [{ name: 'stripe', currency: current.StripeCurrency.toUpperCase(), price: current.StripePrice }];
    },
    origins: () => originsOf(settings.current.StripeAddress),
    async begin({ tradeNo, amountMinor, currency, title, expiresAt }) {
      const back = `${settings.current.ServerAddress}/topup?order=${tradeNo}`;
      const earliest = Math.floor(Date.now() / 1000) + shortestPageSeconds;
      const session = await call((stripe) =>
        stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: tradeNo,
            metadata: { trade_no: tradeNo },
            payment_intent_data: { metadata: { trade_no: tradeNo } },
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: currency.toLowerCase(),
                  unit_amount: amountMinor,
                  product_data: { name: title },
                },
              },
            ],
            success_url: back,
            cancel_url: back,
            expires_at: Math.max(expiresAt, earliest),
          },
          { idempotencyKey: tradeNo },
        ),
      );
      if (session.url === null) throw new ProviderError('Stripe: a session without an address');
      return { url: session.url, fields: {}, reference: session.id };
    },
    async readCallback({ body, headers }) {
      const { StripeWebhookSecret } = settings.current;
      // An empty secret would make every signature easy to forge.
      if (StripeWebhookSecret === '') throw new CallbackRefused('no secret is set');
      const stripe = await client();
      let event: Stripe.Event;
      try {
        const signature = headers.get('stripe-signature') ?? '';
        event = await stripe.webhooks.constructEventAsync(body, signature, StripeWebhookSecret);
      } catch (error) {
        throw new CallbackRefused(describe(error), { cause: error });
      }
      switch (event.type) {
        case 'checkout.session.completed':
        case 'checkout.session.async_payment_succeeded':
        case 'checkout.session.expired':
          return { kind: 'payment', report: reportOf(event.data.object) };
        case 'checkout.session.async_payment_failed':
          return { kind: 'payment', report: { ...reportOf(event.data.object), state: 'ended' } };
        case 'charge.refunded': {
          const { metadata, amount_refunded } = event.data.object;
          return {
            kind: 'refunded_outside',
            tradeNo: metadata['trade_no'] ?? '',
            amountMinor: amount_refunded,
          };
        }
        default:
          return { kind: 'other' };
      }
    },
    accepted: () => Response.json({ received: true }),
    refused: () => Response.json({ received: false }, { status: 400 }),
    async query({ reference }) {
      if (reference === '') return undefined;
      return reportOf(await call((stripe) => stripe.checkout.sessions.retrieve(reference)));
    },
    async refund({ reference }, { id, amountMinor }) {
      try {
        const session = await call((stripe) => stripe.checkout.sessions.retrieve(reference));
        const payment_intent = idOf(session.payment_intent);
        if (payment_intent === '') return { kind: 'refused', detail: 'nothing was paid' };
        const refund = await call((stripe) =>
          stripe.refunds.create({ payment_intent, amount: amountMinor }, { idempotencyKey: `refund:${id}` }),
        );
        if (refund.status === 'failed' || refund.status === 'canceled')
          return { kind: 'refused', detail: refund.failure_reason ?? refund.status };
        return { kind: 'done', reference: refund.id };
      } catch (error) {
        return refundFailure(error);
      }
    },
  };
}

/** Only an answer of Stripe that names a mistake is a refusal; everything else may have been carried out. */
function refundFailure(error: unknown): RefundOutcome {
  const cause: unknown = error instanceof ProviderError ? error.cause : error;
  const detail = describe(cause).slice(0, 200);
  const isRefusal = cause instanceof Error && 'type' in cause && cause.type === 'StripeInvalidRequestError';
  return { kind: isRefusal ? 'refused' : 'unknown', detail };
}

function reportOf(session: Stripe.Checkout.Session): PaymentReport {
  const { client_reference_id, payment_status, status, amount_total, currency, id } = session;
  return {
    state: payment_status === 'paid' ? 'paid' : status === 'expired' ? 'ended' : 'open',
    tradeNo: client_reference_id ?? '',
    amountMinor: amount_total ?? -1,
    currency: (currency ?? '').toUpperCase(),
    reference: id,
    payer: idOf(session.customer) || (session.customer_details?.email ?? ''),
  };
}

function idOf(value: string | { id: string } | null): string {
  return typeof value === 'string' ? value : (value?.id ?? '');
}

/** The library's errors quote the request; only their message is kept. */
function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
