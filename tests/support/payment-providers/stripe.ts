// A Stripe server for Checkout: sessions and refunds over the form-encoded API, a page with a button, and web hooks signed by
// the official library.
import { Stripe } from 'stripe';

interface Session {
  id: string;
  fields: Record<string, string>;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
}

export interface StripeServer {
  url: string;
  apiKey: string;
  webhookSecret: string;
  sessions: Map<string, Session>;
  /** By idempotency key. */
  refunds: Map<string, { id: string; amount: number }>;
  taken: { count: number; minor: number };
  refundAnswer: 'pays' | 'refuses' | 'breaks';
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
  close(): void;
}

export function startStripeServer(options: { webhook?: () => string } = {}): StripeServer {
  const apiKey = 'sk_test_local';
  const webhookSecret = 'whsec_local_secret';
  const sessions = new Map<string, Session>();
  const refunds = new Map<string, { id: string; amount: number }>();
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

  const failure = (status: number, message: string) =>
    Response.json({ error: { type: 'invalid_request_error', message } }, { status });

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
    return failure(404, 'Unrecognized request URL');
  }

  function refund(request: Request, fields: Record<string, string>): Response {
    if (self.refundAnswer === 'breaks') return new Response('bad gateway', { status: 502 });
    if (self.refundAnswer === 'refuses') return failure(400, 'Charge has already been refunded.');
    const key = request.headers.get('idempotency-key') ?? '';
    const known = refunds.get(key) ?? { id: `re_${refunds.size + 1}`, amount: Number(fields['amount']) };
    refunds.set(key, known);
    return Response.json({ ...known, object: 'refund', status: 'succeeded' });
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
    taken,
    refundAnswer: 'pays',
    sessionOf,
    pay,
    event,
    notify,
    close: () => void server.stop(true),
  };
  return self;
}
