// What the events of Stripe's web hook say, in the words of the other providers. Events arrive in any order and more than once;
// the code that books them knows how to deal with that.
import type Stripe from 'stripe';
import type { CallbackReading, DisputeReport, PaymentReport, RefundReport } from './provider.ts';

export function readingOf(event: Stripe.Event): CallbackReading {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return { kind: 'payment', report: reportOf(event.data.object) };
    case 'checkout.session.async_payment_failed':
      return { kind: 'payment', report: { ...reportOf(event.data.object), state: 'ended' } };
    case 'charge.refunded': {
      const { amount_refunded } = event.data.object;
      return { kind: 'refunded_outside', payment: nameOf(event.data.object), amountMinor: amount_refunded };
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return { kind: 'refund', report: refundReportOf(event.data.object) };
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return { kind: 'dispute', report: disputeReportOf(event.data.object, event.created) };
    default:
      return { kind: 'other' };
  }
}

export function reportOf(session: Stripe.Checkout.Session): PaymentReport {
  const { client_reference_id, payment_status, status, amount_total, currency, id } = session;
  return {
    state: payment_status === 'paid' ? 'paid' : status === 'expired' ? 'ended' : 'open',
    tradeNo: client_reference_id ?? '',
    amountMinor: amount_total ?? -1,
    currency: (currency ?? '').toUpperCase(),
    reference: id,
    payer: idOf(session.customer) || (session.customer_details?.email ?? ''),
    paymentReference: idOf(session.payment_intent),
  };
}

/** `requires_action`: the payer must do something first; no status: Stripe says nothing yet. */
export function stateOfRefund({ status }: Pick<Stripe.Refund, 'status'>): RefundReport['state'] {
  if (status === 'succeeded') return 'done';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}

export const failureOf = ({ failure_reason, status }: Stripe.Refund): string =>
  failure_reason ?? status ?? 'failed';

function refundReportOf(refund: Stripe.Refund): RefundReport {
  const { id, amount, metadata } = refund;
  const state = stateOfRefund(refund);
  return {
    payment: nameOf(refund),
    state,
    reference: id,
    requestId: metadata?.['request_id'] ?? '',
    amountMinor: amount,
    detail: state === 'failed' ? failureOf(refund) : id,
  };
}

function disputeReportOf(dispute: Stripe.Dispute, at: number): DisputeReport {
  const { id, amount, currency, reason, status } = dispute;
  return {
    payment: nameOf(dispute),
    state: stateOfDispute(status),
    at,
    reference: id,
    amountMinor: amount,
    currency: currency.toUpperCase(),
    reason,
  };
}

/** An appeal begins after a loss: the bank keeps the money until it is won. A prevented dispute takes nothing. */
function stateOfDispute(status: Stripe.Dispute.Status): DisputeReport['state'] {
  switch (status) {
    case 'won':
    case 'warning_closed':
    case 'prevented':
      return 'won';
    case 'lost':
    case 'appeal_needs_response':
    case 'appeal_under_review':
      return 'lost';
    default:
      return 'open';
  }
}

/** Charges have the metadata of their payment; a dispute or a refund from Stripe's console has only the payment's id. */
function nameOf(
  object: Pick<Stripe.Refund, 'metadata'> & { payment_intent?: Stripe.Refund['payment_intent'] },
) {
  return {
    tradeNo: object.metadata?.['trade_no'] ?? '',
    paymentReference: idOf(object.payment_intent ?? null),
  };
}

export function idOf(value: string | { id: string } | null): string {
  return typeof value === 'string' ? value : (value?.id ?? '');
}
