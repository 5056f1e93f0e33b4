// What each payment provider is sent, to the field: the page of a payment, questions, refunds; and what is offered.
import { describe, expect, test } from 'bun:test';
import { factText } from '#contract/facts.ts';
import { unixSeconds } from '#contract/time.ts';
import { failure } from '#tests/support/failure.ts';
import { createEpay, epaySignature } from './epay.ts';
import { CallbackRefused, ProviderError } from './provider.ts';
import { createProviders, type ProviderParts } from './registry.ts';
import { createStripe } from './stripe.ts';

const settings = {
  CustomCallbackAddress: '',
  EpayId: '1001',
  EpayKey: 'key',
  EpayMethods: ['zfb', 'wx'],
  PayAddress: 'https://pay.example/epay',
  Price: 7.3,
  ServerAddress: 'https://gate.example',
  StripeAddress: 'https://stripe.example:8443/api/',
  StripeApiSecret: 'sk_1',
  StripeCurrency: 'usd',
  StripePrice: 1.1,
  StripeWebhookSecret: 'whsec_1',
};

interface Asked {
  kind: unknown;
  url: string;
  options: Record<string, unknown>;
}

function world(answers: Response[], change: Partial<typeof settings> = {}) {
  const asked: Asked[] = [];
  const fetch = async (kind: unknown, url: unknown, options: Record<string, unknown>) => {
    asked.push({ kind, url: String(url), options });
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError('no connection');
    return answer;
  };
  const parts = {
    settings: { current: { ...settings, ...change } },
    egress: { fetch },
  } as unknown as ProviderParts;
  return { parts, asked };
}

const payment = { tradeNo: 'USR1', reference: 'ref', amountMinor: 7300, currency: 'CNY' };
const wanted = { id: 'r-1', amountMinor: 1005, reference: '', isRepeated: false };

describe('Epay', () => {
  const order = { tradeNo: 'USR1', amountMinor: 7305, currency: 'CNY', title: 'TUC10', expiresAt: 0 };

  test('is sent a signed form, which the payer’s browser posts', async () => {
    const epay = (change: Partial<typeof settings> = {}) => createEpay(world([], change).parts);
    const fields = {
      pid: '1001',
      type: 'alipay',
      out_trade_no: 'USR1',
      notify_url: 'https://gate.example/api/user/epay/notify',
      return_url: 'https://gate.example/topup?order=USR1',
      name: 'TUC10',
      money: '73.05',
      device: 'pc',
      sign_type: 'MD5',
    };
    const page = { url: 'https://pay.example/epay/submit.php', reference: '' };
    expect(await epay().begin({ ...order, method: 'zfb' })).toEqual({
      ...page,
      fields: { ...fields, sign: epaySignature(fields, 'key') },
    });
    const elsewhere = {
      ...fields,
      type: 'wxpay',
      notify_url: 'https://hook.example/api/user/epay/notify',
    };
    expect(
      await epay({ CustomCallbackAddress: 'https://hook.example' }).begin({ ...order, method: 'wx' }),
    ).toEqual({ ...page, fields: { ...elsewhere, sign: epaySignature(elsewhere, 'key') } });
  });

  test('signs the sorted fields with the key, without what is empty and the signature itself', () => {
    // MD5 of `a=1&b=2key`.
    const signature = new Bun.CryptoHasher('md5').update('a=1&b=2key').digest('hex');
    expect(epaySignature({ b: '2', a: '1', c: '', sign: 'x', sign_type: 'MD5' }, 'key')).toBe(signature);
  });

  test('is asked for an order in the query, and for a refund in the body', async () => {
    const answer = {
      code: 1,
      out_trade_no: 'USR1',
      pid: 1001,
      money: '73.00',
      status: 1,
      trade_no: 'E9',
      buyer: 'ann',
    };
    const { parts, asked } = world([Response.json(answer), Response.json({ code: '1', refund_no: 7 })]);
    const epay = createEpay(parts);
    expect(await epay.query(payment)).toEqual({
      state: 'paid',
      tradeNo: 'USR1',
      amountMinor: 7300,
      currency: 'CNY',
      reference: 'E9',
      payer: 'ann',
    });
    expect(await epay.refund(payment, wanted)).toEqual({ kind: 'done', reference: '7' });
    const limits = { timeoutSeconds: 15, limitBytes: 65_536 };
    expect(asked).toEqual([
      {
        kind: 'system',
        url: 'https://pay.example/epay/api.php?act=order&out_trade_no=USR1&pid=1001&key=key',
        options: limits,
      },
      {
        kind: 'system',
        url: 'https://pay.example/epay/api.php?act=refund',
        options: {
          ...limits,
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'trade_no=ref&money=10.05&pid=1001&key=key',
        },
      },
    ]);
  });

  test('says no more of an error than its kind, and of a refusal 200 characters', async () => {
    const why = async (answer?: Response) =>
      await createEpay(world(answer === undefined ? [] : [answer]).parts).refund(payment, wanted);
    expect(await why()).toEqual({ kind: 'unknown', detail: 'Epay did not answer: TypeError' });
    expect(await why(new Response('key=key', { status: 500 }))).toEqual({
      kind: 'unknown',
      detail: 'Epay did not answer: Error',
    });
    expect(await why(Response.json({ code: 0, msg: 'x'.repeat(201) }))).toEqual({
      kind: 'refused',
      detail: 'x'.repeat(200),
    });
    expect(await failure(createEpay(world([]).parts).query(payment))).toBeInstanceOf(ProviderError);
  });

  test('answers a notice in one word', async () => {
    const epay = createEpay(world([]).parts);
    expect([await epay.accepted().text(), await epay.refused().text()]).toEqual(['success', 'fail']);
    expect(epay.isRefundRepeatable).toBe(false);
  });
});

describe('Stripe', () => {
  const order = {
    tradeNo: 'USR1',
    method: 'stripe',
    amountMinor: 1100,
    currency: 'USD',
    title: 'TUC10',
  } as const;
  const fieldsOf = ({ options }: Asked) => Object.fromEntries(new URLSearchParams(String(options['body'])));
  const header = ({ options }: Asked, name: string) =>
    new Headers(options['headers'] as Record<string, string>).get(name);

  test('is asked for a page once for each order, which stays for at least 31 minutes', async () => {
    const session = { id: 'cs_1', url: 'https://stripe.example/page' };
    const { parts, asked } = world([
      Response.json(session),
      Response.json(session),
      Response.json({ id: 'cs_2', url: null }),
    ]);
    const stripe = createStripe(parts);
    const late = unixSeconds() + 7200;
    expect(await stripe.begin({ ...order, expiresAt: late })).toEqual({
      url: session.url,
      fields: {},
      reference: 'cs_1',
    });
    await stripe.begin({ ...order, expiresAt: 5 });
    const [first, second] = asked as [Asked, Asked];
    expect([first.kind, first.url, first.options['method']]).toEqual([
      'system',
      'https://stripe.example:8443/api/v1/checkout/sessions',
      'POST',
    ]);
    expect([header(first, 'Idempotency-Key'), header(first, 'Authorization')]).toEqual([
      'USR1',
      'Bearer sk_1',
    ]);
    expect(first.options).toMatchObject({ timeoutSeconds: 20, limitBytes: 1024 * 1024 });
    const back = 'https://gate.example/topup?order=USR1';
    expect(fieldsOf(first)).toEqual({
      mode: 'payment',
      client_reference_id: 'USR1',
      'metadata[trade_no]': 'USR1',
      'payment_intent_data[metadata][trade_no]': 'USR1',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '1100',
      'line_items[0][price_data][product_data][name]': 'TUC10',
      success_url: back,
      cancel_url: back,
      expires_at: String(late),
    });
    const shortest = Number(fieldsOf(second)['expires_at']) - unixSeconds();
    expect([shortest > 1800, shortest <= 1860]).toEqual([true, true]);
    expect(await failure(stripe.begin({ ...order, expiresAt: late }))).toBeInstanceOf(ProviderError);
  });

  test('is asked for a refund by its payment and our number; one that was sent is looked for first', async () => {
    const session = () => Response.json({ id: 'cs_1', payment_intent: 'pi_1' });
    const refund = { id: 're_1', status: 'succeeded', metadata: { request_id: 'r-1' } };
    const { parts, asked } = world([
      session(),
      Response.json(refund),
      session(),
      Response.json({ data: [{ ...refund, id: 're_0', metadata: { request_id: 'r-0' } }, refund] }),
      Response.json(refund),
      Response.json({ id: 'cs_1', payment_intent: null }),
    ]);
    const stripe = createStripe(parts);
    const done = { kind: 'done', reference: 're_1' };
    expect(await stripe.refund(payment, wanted)).toEqual(done as never);
    const [read, made] = asked as [Asked, Asked];
    expect([read.url, made.url]).toEqual([
      'https://stripe.example:8443/api/v1/checkout/sessions/ref',
      'https://stripe.example:8443/api/v1/refunds',
    ]);
    expect([fieldsOf(made), header(made, 'Idempotency-Key')]).toEqual([
      { payment_intent: 'pi_1', amount: '1005', 'metadata[trade_no]': 'USR1', 'metadata[request_id]': 'r-1' },
      'refund:r-1',
    ]);
    expect(await stripe.refund(payment, { ...wanted, isRepeated: true })).toEqual(done as never);
    expect([asked.length, asked[3]?.url]).toEqual([
      4,
      'https://stripe.example:8443/api/v1/refunds?payment_intent=pi_1&limit=100',
    ]);
    expect(await stripe.refund(payment, { ...wanted, reference: 're_1' })).toEqual(done as never);
    expect(asked[4]?.url).toBe('https://stripe.example:8443/api/v1/refunds/re_1');
    expect(await stripe.refund(payment, wanted)).toEqual({
      kind: 'refused',
      detail: factText('nothingPaid'),
    });
  });

  test('refuses a refund only where it names a mistake', async () => {
    const end = async (status: number, type: string, message = 'no') =>
      await createStripe(world([Response.json({ error: { type, message } }, { status })]).parts).refund(
        payment,
        wanted,
      );
    expect(await end(400, 'invalid_request_error', 'x'.repeat(300))).toMatchObject({ kind: 'refused' });
    expect(await end(500, 'api_error')).toMatchObject({ kind: 'unknown' });
    const { detail } = (await end(400, 'invalid_request_error', 'x'.repeat(300))) as { detail: string };
    expect(detail.length).toBe(200);
    const failed = { id: 're_1', status: 'failed', failure_reason: 'lost_card' };
    const { parts } = world([Response.json(failed)]);
    expect(await createStripe(parts).refund(payment, { ...wanted, reference: 're_1' })).toEqual({
      kind: 'refused',
      detail: 'lost_card',
    });
  });

  test('is believed only with a secret, and is asked once for each question', async () => {
    const { parts } = world([], { StripeWebhookSecret: '' });
    const callback = { method: 'POST', query: '', body: '{}', headers: new Headers() };
    expect((await failure(createStripe(parts).readCallback(callback))).message).toBe('no secret is set');
    expect(await failure(createStripe(world([]).parts).readCallback(callback))).toBeInstanceOf(
      CallbackRefused,
    );
    const away = world([Response.json({ error: { type: 'api_error', message: 'away' } }, { status: 500 })]);
    await failure(createStripe(away.parts).query(payment));
    expect(away.asked).toHaveLength(1);
  });

  test('knows the order of a payment by its metadata', async () => {
    const intent = (metadata: object) => Response.json({ id: 'pi_1', metadata });
    const missing = Response.json(
      { error: { type: 'invalid_request_error', message: 'no such' } },
      { status: 404 },
    );
    const away = Response.json({ error: { type: 'api_error', message: 'away' } }, { status: 500 });
    const { parts, asked } = world([intent({ trade_no: 'USR1' }), intent({}), missing, away]);
    const stripe = createStripe(parts);
    const names = [];
    for (let count = 0; count < 3; count += 1) names.push(await stripe.tradeNoOf?.('pi_1'));
    expect(names).toEqual(['USR1', '', '']);
    expect(asked[0]?.url).toBe('https://stripe.example:8443/api/v1/payment_intents/pi_1');
    expect(await failure(stripe.tradeNoOf?.('pi_1') ?? Promise.resolve())).toBeInstanceOf(ProviderError);
    expect(await stripe.query({ ...payment, reference: '' })).toBeUndefined();
    expect([await stripe.accepted().json(), stripe.refused().status, await stripe.refused().json()]).toEqual([
      { received: true },
      400,
      { received: false },
    ]);
  });
});

describe('what can be paid with', () => {
  const offered = (change: Partial<typeof settings> = {}) =>
    createProviders(world([], change).parts)
      .methods()
      .map(({ name, currency, price, provider }) => [name, currency, price, provider.name]);

  test('is what is configured completely', () => {
    const yuan = [
      ['zfb', 'CNY', 7.3, 'epay'],
      ['wx', 'CNY', 7.3, 'epay'],
    ];
    const dollars = [['stripe', 'USD', 1.1, 'stripe']];
    expect(offered()).toEqual([...yuan, ...dollars] as never);
    expect(offered({ EpayMethods: ['wx'] })).toEqual([...yuan.slice(1), ...dollars] as never);
    for (const name of ['PayAddress', 'EpayId', 'EpayKey'] as const)
      expect(offered({ [name]: '' })).toEqual(dollars as never);
    for (const name of ['StripeAddress', 'StripeApiSecret', 'StripeWebhookSecret'] as const)
      expect(offered({ [name]: '' })).toEqual(yuan as never);
  });

  test('is found by its name, its provider and the path of its notices', () => {
    const providers = createProviders(world([]).parts);
    expect([providers.method('wx')?.provider.name, providers.method('stripe')?.currency]).toEqual([
      'epay',
      'USD',
    ]);
    expect([providers.byName('stripe')?.name, providers.byName('other')]).toEqual(['stripe', undefined]);
    const paths = Object.entries(providers.callbacks).map(([path, { name }]) => [path, name]);
    expect(paths).toEqual([
      ['/api/user/epay/notify', 'epay'],
      ['/api/stripe/webhook', 'stripe'],
    ]);
    expect(providers.origins()).toEqual(['https://pay.example', 'https://stripe.example:8443']);
    expect(createProviders(world([], { PayAddress: 'x', StripeAddress: '' }).parts).origins()).toEqual([]);
  });
});
