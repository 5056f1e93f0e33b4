// Stripe Checkout with its official library: a page of Stripe's own for the payer, a signed web hook after payment. The
// library is loaded with the first use: most sites do not take payments by it.
import { factText } from '#contract/facts.ts';
import type Stripe from 'stripe';
import type { Settings } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import {
  CallbackRefused,
  originsOf,
  ProviderError,
  type PaymentProvider,
  type RefundOutcome,
  type WantedRefund,
  type NewPayment,
} from './provider.ts';
import { failureOf, idOf, readingOf, reportOf, stateOfRefund } from './stripe-events.ts';

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

const TIMEOUT_SECONDS = 20;
const LIMIT_BYTES = 1024 * 1024;
/** Stripe refuses pages that end sooner. */
const SHORTEST_PAGE_SECONDS = 31 * 60;

export const STRIPE_CALLBACK_PATH = '/api/stripe/webhook';

function withPathOf(address: string, url: string | URL | Request): string {
  const request = new URL(url instanceof Request ? url.url : url);
  request.pathname = new URL(address).pathname.replace(/\/+$/, '') + request.pathname;
  return request.href;
}

export function createStripe({ settings, egress }: StripeParts): PaymentProvider {
  const isConfigured = ({ StripeAddress, StripeApiSecret, StripeWebhookSecret }: StripeSettings) =>
    StripeAddress !== '' && StripeApiSecret !== '' && StripeWebhookSecret !== '';

  const { client, call } = createClient({ settings, egress });

  return {
    name: 'stripe',
    isRefundRepeatable: true,
    methods() {
      const { current } = settings;
      if (!isConfigured(current)) return [];
      return [{ name: 'stripe', currency: current.StripeCurrency.toUpperCase(), price: current.StripePrice }];
    },
    origins: () => originsOf(settings.current.StripeAddress),
    async begin(order) {
      const session = await call((stripe) =>
        stripe.checkout.sessions.create(checkoutOf(order, settings.current.ServerAddress), {
          idempotencyKey: order.tradeNo,
        }),
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
      return readingOf(event);
    },
    accepted: () => Response.json({ received: true }),
    refused: () => Response.json({ received: false }, { status: 400 }),
    async query({ reference }) {
      if (reference === '') return undefined;
      return reportOf(await call((stripe) => stripe.checkout.sessions.retrieve(reference)));
    },
    async refund({ reference, tradeNo }, wanted) {
      try {
        return outcomeOf(
          wanted.reference === ''
            ? await refundOnce(call, reference, tradeNo, wanted)
            : await call((stripe) => stripe.refunds.retrieve(wanted.reference)),
        );
      } catch (error) {
        return refundFailure(error);
      }
    },
    async tradeNoOf(paymentReference) {
      try {
        const { metadata } = await call((stripe) => stripe.paymentIntents.retrieve(paymentReference));
        return metadata['trade_no'] ?? '';
      } catch (error) {
        if (refundFailure(error).kind === 'refused') return '';
        throw error;
      }
    },
  };
}

type Call = <T>(work: (stripe: Stripe) => Promise<T>) => Promise<T>;

function createClient({ settings, egress }: StripeParts): { client: () => Promise<Stripe>; call: Call } {
  /** Its requests leave through our outbound door. The library takes a host; the path of the address is put before its own. */
  const send = async (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    egress.fetch('system', withPathOf(settings.current.StripeAddress, url), {
      method: init?.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' ? { body: init.body } : {}),
      timeoutSeconds: TIMEOUT_SECONDS,
      limitBytes: LIMIT_BYTES,
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

  return { client, call };
}

function checkoutOf(
  { tradeNo, amountMinor, currency, title, expiresAt }: NewPayment,
  serverAddress: string,
): Stripe.Checkout.SessionCreateParams {
  const back = `${serverAddress}/topup?order=${tradeNo}`;
  const earliest = unixSeconds() + SHORTEST_PAGE_SECONDS;
  return {
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
  };
}

/**
 * Stripe forgets an idempotency key after a day: a refund that was sent before is looked for first, by the id that it has in
 * its metadata.
 */
async function refundOnce(
  call: Call,
  session: string,
  tradeNo: string,
  { id, amountMinor, isRepeated }: WantedRefund,
): Promise<Stripe.Refund | undefined> {
  const payment_intent = idOf(
    (await call((stripe) => stripe.checkout.sessions.retrieve(session))).payment_intent,
  );
  if (payment_intent === '') return undefined;
  if (isRepeated) {
    const { data } = await call((stripe) => stripe.refunds.list({ payment_intent, limit: 100 }));
    const sent = data.find(({ metadata }) => metadata?.['request_id'] === id);
    if (sent !== undefined) return sent;
  }
  const metadata = { trade_no: tradeNo, request_id: id };
  return await call((stripe) =>
    stripe.refunds.create(
      { payment_intent, amount: amountMinor, metadata },
      { idempotencyKey: `refund:${id}` },
    ),
  );
}

function outcomeOf(refund: Stripe.Refund | undefined): RefundOutcome {
  if (refund === undefined) return { kind: 'refused', detail: factText('nothingPaid') };
  const state = stateOfRefund(refund);
  return state === 'failed'
    ? { kind: 'refused', detail: failureOf(refund) }
    : { kind: state, reference: refund.id };
}

/** Only an answer of Stripe that names a mistake is a refusal; everything else may have been carried out. */
function refundFailure(error: unknown): RefundOutcome {
  const cause: unknown = error instanceof ProviderError ? error.cause : error;
  const detail = describe(cause).slice(0, 200);
  const isRefusal = cause instanceof Error && 'type' in cause && cause.type === 'StripeInvalidRequestError';
  return { kind: isRefusal ? 'refused' : 'unknown', detail };
}

/** The library's errors quote the request; only their message is kept. */
function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
