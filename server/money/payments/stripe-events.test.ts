// What each event of Stripe's web hook says, in the words of the other providers.
import { describe, expect, test } from 'bun:test';
import type Stripe from 'stripe';
import { readingOf } from './stripe-events.ts';

const read = (type: string, object: object, created = 1_800_000_000) =>
  readingOf({ type, created, data: { object } } as unknown as Stripe.Event);

const session = {
  id: 'cs_1',
  client_reference_id: 'USR1',
  payment_status: 'paid',
  status: 'complete',
  amount_total: 7300,
  currency: 'usd',
  customer: null,
  customer_details: { email: 'ann@example.com' },
  payment_intent: 'pi_1',
};
const report = {
  state: 'paid' as const,
  tradeNo: 'USR1',
  amountMinor: 7300,
  currency: 'USD',
  reference: 'cs_1',
  payer: 'ann@example.com',
  paymentReference: 'pi_1',
};

describe('a session', () => {
  test('is paid, open or over, as its payment says and not as its page', () => {
    const completed = 'checkout.session.completed';
    expect(read(completed, session)).toEqual({ kind: 'payment', report });
    const stateOf = (type: string, more: object) => {
      const reading = read(type, { ...session, ...more });
      return reading.kind === 'payment' ? reading.report.state : reading.kind;
    };
    // A bank transfer is on its way: the page is complete, the money is not there.
    expect(stateOf(completed, { payment_status: 'unpaid' })).toBe('open');
    expect(stateOf('checkout.session.async_payment_succeeded', {})).toBe('paid');
    expect(stateOf('checkout.session.async_payment_failed', { payment_status: 'unpaid' })).toBe('ended');
    expect(stateOf('checkout.session.expired', { payment_status: 'unpaid', status: 'expired' })).toBe(
      'ended',
    );
  });

  test('names its payer by the customer or the address, and no amount as none', () => {
    const of = (more: object) => {
      const reading = read('checkout.session.completed', { ...session, ...more });
      return reading.kind === 'payment' ? reading.report : undefined;
    };
    expect(of({ customer: { id: 'cus_1' } })?.payer).toBe('cus_1');
    expect(of({ customer: 'cus_2' })?.payer).toBe('cus_2');
    expect(of({ customer_details: null })?.payer).toBe('');
    expect(of({ amount_total: null })?.amountMinor).toBe(-1);
    expect(of({ payment_intent: { id: 'pi_2' } })?.paymentReference).toBe('pi_2');
  });
});

describe('a refund', () => {
  const refund = {
    id: 're_1',
    amount: 500,
    status: 'succeeded',
    metadata: { trade_no: 'USR1', request_id: 'r1' },
    payment_intent: 'pi_1',
  };

  test('says how far it is in each of its events', () => {
    const expected = {
      payment: { tradeNo: 'USR1', paymentReference: 'pi_1' },
      state: 'done' as const,
      reference: 're_1',
      requestId: 'r1',
      amountMinor: 500,
      detail: 're_1',
    };
    for (const type of ['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated'])
      expect([type, read(type, refund)]).toEqual([type, { kind: 'refund', report: expected }]);
  });

  test.each([
    ['succeeded', undefined, 'done', 're_1'],
    ['pending', undefined, 'pending', 're_1'],
    ['requires_action', undefined, 'pending', 're_1'],
    [null, undefined, 'pending', 're_1'],
    ['failed', 'lost_or_stolen_card', 'failed', 'lost_or_stolen_card'],
    ['canceled', undefined, 'failed', 'canceled'],
  ])('of status %p is what it says', (status, failure_reason, state, detail) => {
    expect(read('refund.updated', { ...refund, status, failure_reason })).toMatchObject({
      kind: 'refund',
      report: { state, detail },
    });
  });

  test('from Stripe’s own console has the number of the payment alone', () => {
    expect(read('refund.created', { ...refund, metadata: null })).toMatchObject({
      report: { requestId: '', payment: { tradeNo: '', paymentReference: 'pi_1' } },
    });
    const charge = { amount_refunded: 900, metadata: { trade_no: 'USR1' }, payment_intent: null };
    expect(read('charge.refunded', charge)).toEqual({
      kind: 'refunded_outside',
      payment: { tradeNo: 'USR1', paymentReference: '' },
      amountMinor: 900,
    });
  });
});

describe('a dispute', () => {
  const dispute = {
    id: 'dp_1',
    amount: 7300,
    currency: 'usd',
    reason: 'fraudulent',
    status: 'needs_response',
    metadata: {},
    payment_intent: 'pi_1',
  };

  test('is told by each of its events, at the time of the event', () => {
    const expected = {
      payment: { tradeNo: '', paymentReference: 'pi_1' },
      state: 'open' as const,
      at: 1_800_000_005,
      reference: 'dp_1',
      amountMinor: 7300,
      currency: 'USD',
      reason: 'fraudulent',
    };
    for (const name of ['created', 'updated', 'funds_withdrawn', 'funds_reinstated', 'closed'])
      expect([name, read(`charge.dispute.${name}`, dispute, 1_800_000_005)]).toEqual([
        name,
        { kind: 'dispute', report: expected },
      ]);
  });

  test.each([
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['warning_needs_response', 'open'],
    ['won', 'won'],
    ['warning_closed', 'won'],
    ['prevented', 'won'],
    ['lost', 'lost'],
    ['appeal_needs_response', 'lost'],
    ['appeal_under_review', 'lost'],
  ])('of status %s is %s', (status, state) => {
    expect(read('charge.dispute.updated', { ...dispute, status })).toMatchObject({ report: { state } });
  });
});

test('other events are of no concern', () => {
  expect(read('customer.created', {})).toEqual({ kind: 'other' });
});
