// A Stripe server for Checkout: sessions and refunds over the form-encoded API, a page with a button, and web hooks signed by
// the official library.
import { Stripe } from 'stripe';
import { unixSeconds } from '#contract/time.ts';

interface Session {
  id: string;
  fields: Record<string, string>;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
}

/** The parts of Stripe's objects that a gateway may read, in their official shapes. */
export type StripeRefund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'charge' | 'created' | 'currency' | 'metadata' | 'payment_intent' | 'status'
> & { failure_reason?: string };

export type StripeDispute = Pick<
  Stripe.Dispute,
  | 'id'
  | 'object'
  | 'amount'
  | 'charge'
  | 'created'
  | 'currency'
  | 'metadata'
  | 'payment_intent'
  | 'reason'
  | 'status'
  | 'balance_transactions'
  | 'is_charge_refundable'
  | 'livemode'
>;

export interface StripeServer {
  url: string;
  apiKey: string;
  webhookSecret: string;
  sessions: Map<string, Session>;
  /** By idempotency key; the tests forget a key as Stripe does after a day. */
  refunds: Map<string, StripeRefund>;
  /** Every refund that was made. */
  made: StripeRefund[];
  taken: { count: number; minor: number };
  /** `pends`: accepted, to be paid later. */
  refundAnswer: 'pays' | 'pends' | 'refuses' | 'breaks';
  sessionOf(tradeNo: string): Session;
  pay(tradeNo: string): void;
  /** A signed event: its body and its signature header. */
  event(
    type: string,
    tradeNo: string,
    change?: Record<string, unknown>,
    secret?: string,
  ): Promise<{ body: string; signature: string }>;
  notify(webhook: string, tradeNo: string, type?: string): Promise<Response>;
  /** Sends a signed event with this object. `created`: Unix seconds of the event. */
  send(webhook: string, type: string, object: object, created?: number): Promise<Response>;
  disputeOf(tradeNo: string, change?: Partial<StripeDispute>): StripeDispute;
  close(): void;
}

export function startStripeServer(options: { webhook?: () => string } = {}): StripeServer {
  const apiKey = 'sk_test_local';
  const webhookSecret = 'whsec_local_secret';
  const sessions = new Map<string, Session>();
  const refunds = new Map<string, StripeRefund>();
  const made: StripeRefund[] = [];
  let events = 0;
  const taken = { count: 0, minor: 0 };
  const library = new Stripe(apiKey);

  const objectOf = ({ id, fields, status, payment_status }: Session) => ({
    id,
    object: 'checkout.session',
    client_reference_id: fields['client_reference_id'] ?? null,
    amount_total: Number(fields['line_items[0][price_data][unit_amount]']),
    currency: fields['line_items[0][price_data][currency]'],
    metadata: { trade_no: fields['metadata[trade_no]'] },
    mode: fields['mode'],
    payment_intent: payment_status === 'paid' ? `pi_${id}` : null,
    payment_status,
    status,
    customer: null,
    customer_details: { email: 'payer@example.com' },
    url: status === 'open' ? `${server.url.origin}/page/${id}` : null,
  });

  function sessionOf(tradeNo: string): Session {
    const found = [...sessions.values()].find(({ fields }) => fields['client_reference_id'] === tradeNo);
    if (found === undefined) throw new Error('no such session');
    return found;
  }

  function pay(tradeNo: string): void {
    const session = sessionOf(tradeNo);
    if (session.payment_status === 'paid') return;
    session.payment_status = 'paid';
    session.status = 'complete';
    taken.count += 1;
    taken.minor += objectOf(session).amount_total;
  }

  async function event(
    type: string,
    tradeNo: string,
    change: Record<string, unknown> = {},
    secret = webhookSecret,
  ) {
    const object = { ...objectOf(sessionOf(tradeNo)), ...change };
    const body = JSON.stringify({ id: `evt_${sessions.size}`, object: 'event', type, data: { object } });
    const signature = await library.webhooks.generateTestHeaderStringAsync({ payload: body, secret });
    return { body, signature };
  }

  async function notify(webhook: string, tradeNo: string, type = 'checkout.session.completed') {
    const { body, signature } = await event(type, tradeNo);
    return await fetch(webhook, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    });
  }

  async function send(webhook: string, type: string, object: object, created = unixSeconds()) {
    events += 1;
    const head = { id: `evt_sent_${events}`, object: 'event', api_version: null, created, livemode: false };
    const payload = JSON.stringify({ ...head, pending_webhooks: 1, request: null, type, data: { object } });
    const signature = await library.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: webhookSecret,
    });
    return await fetch(webhook, {
      method: 'POST',
      body: payload,
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    });
  }

  function disputeOf(tradeNo: string, change: Partial<StripeDispute> = {}): StripeDispute {
    const session = objectOf(sessionOf(tradeNo));
    return {
      id: `du_${session.id}`,
      object: 'dispute',
      amount: session.amount_total,
      balance_transactions: [],
      charge: `ch_${session.id}`,
      created: 1,
      currency: session.currency ?? '',
      is_charge_refundable: false,
      livemode: false,
      metadata: {},
      payment_intent: `pi_${session.id}`,
      reason: 'fraudulent',
      status: 'needs_response',
      ...change,
    };
  }

  const failure = (status: number, message: string, type = 'invalid_request_error') =>
    Response.json({ error: { type, message } }, { status });

  async function api(request: Request, path: string): Promise<Response> {
    if (request.headers.get('authorization') !== `Bearer ${apiKey}`) return failure(401, 'Invalid API Key');
    const fields = Object.fromEntries(new URLSearchParams(await request.text()));
    if (path === '/v1/checkout/sessions' && request.method === 'POST') {
      if (Number(fields['line_items[0][price_data][unit_amount]']) < 50)
        return failure(400, 'Amount too small');
      const known = [...sessions.values()].find(
        (item) => item.fields['client_reference_id'] === fields['client_reference_id'],
      );
      const session = known ?? {
        id: `cs_test_${sessions.size + 1}`,
        fields,
        status: 'open' as const,
        payment_status: 'unpaid' as const,
      };
      sessions.set(session.id, session);
      return Response.json(objectOf(session));
    }
    const read = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(path);
    if (read !== null) {
      const session = sessions.get(read[1] ?? '');
      return session === undefined ? failure(404, 'No such session') : Response.json(objectOf(session));
    }
    if (path === '/v1/refunds' && request.method === 'POST') return refund(request, fields);
    if (path === '/v1/refunds') {
      const payment = new URL(request.url).searchParams.get('payment_intent');
      const data = made.filter(({ payment_intent }) => payment_intent === payment);
      return Response.json({ object: 'list', url: path, has_more: false, data });
    }
    const readRefund = /^\/v1\/refunds\/(\w+)$/.exec(path);
    if (readRefund !== null) {
      const found = made.find(({ id }) => id === readRefund[1]);
      return found === undefined ? failure(404, 'No such refund') : Response.json(found);
    }
    const readPayment = /^\/v1\/payment_intents\/pi_(\w+)$/.exec(path);
    if (readPayment !== null) {
      const session = sessions.get(readPayment[1] ?? '');
      if (session === undefined) return failure(404, 'No such payment_intent');
      const metadata = { trade_no: session.fields['payment_intent_data[metadata][trade_no]'] };
      return Response.json({ id: `pi_${session.id}`, object: 'payment_intent', metadata });
    }
    return failure(404, 'Unrecognized request URL');
  }

  function refund(request: Request, fields: Record<string, string>): Response {
    if (self.refundAnswer === 'breaks') return new Response('bad gateway', { status: 502 });
    if (self.refundAnswer === 'refuses') return failure(400, 'Charge has already been refunded.');
    const key = request.headers.get('idempotency-key') ?? '';
    const known = refunds.get(key);
    if (known !== undefined)
      return known.amount === Number(fields['amount'])
        ? Response.json(known)
        : failure(
            400,
            'Keys for idempotent requests can only be used with the same parameters.',
            'idempotency_error',
          );
    const payment_intent = fields['payment_intent'] ?? '';
    const session = sessions.get(payment_intent.slice('pi_'.length));
    const metadata = Object.entries(fields).flatMap(([name, value]) => {
      const field = /^metadata\[(\w+)\]$/.exec(name)?.[1];
      return field === undefined ? [] : [[field, value]];
    });
    const created: StripeRefund = {
      id: `re_${made.length + 1}`,
      object: 'refund',
      amount: Number(fields['amount']),
      charge: payment_intent.replace('pi_', 'ch_'),
      created: unixSeconds(),
      currency: session?.fields['line_items[0][price_data][currency]'] ?? '',
      metadata: Object.fromEntries(metadata) as Record<string, string>,
      payment_intent,
      status: self.refundAnswer === 'pends' ? 'pending' : 'succeeded',
    };
    refunds.set(key, created);
    made.push(created);
    return Response.json(created);
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/v1/')) return await api(request, pathname);
      const session = sessions.get(pathname.split('/')[2] ?? '');
      if (session === undefined) return new Response('not found', { status: 404 });
      const tradeNo = session.fields['client_reference_id'] ?? '';
      if (request.method === 'POST') {
        pay(tradeNo);
        if (options.webhook !== undefined) await notify(options.webhook(), tradeNo);
        return Response.redirect(session.fields['success_url'] ?? '/', 303);
      }
      const page = `<!doctype html><title>Stripe</title><form method="post"><button>Pay</button></form>`;
      return new Response(page, { headers: { 'Content-Type': 'text/html' } });
    },
  });
  const self: StripeServer = {
    url: server.url.origin,
    apiKey,
    webhookSecret,
    sessions,
    refunds,
    made,
    taken,
    refundAnswer: 'pays',
    sessionOf,
    pay,
    event,
    notify,
    send,
    disputeOf,
    close: () => void server.stop(true),
  };
  return self;
}
