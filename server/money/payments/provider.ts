// What a payment provider does. Adding one is a file beside this one, a line in registry.ts and the places that README.md lists.
import type { PaymentMethodName, PaymentProviderName } from '#contract/money/orders.ts';

export interface PaymentMethod {
  name: PaymentMethodName;
  /** ISO 4217, upper case. */
  currency: string;
  /** Price of one dollar of quota in that currency. */
  price: number;
}

export interface NewPayment {
  tradeNo: string;
  method: PaymentMethodName;
  amountMinor: number;
  currency: string;
  /** What the payer reads on the provider's page. */
  title: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** Where the payer goes: the fields are posted to the address; without fields it is opened. */
export interface PaymentPage {
  url: string;
  fields: Record<string, string>;
  /** The provider's number of the payment; empty when it is known only later. */
  reference: string;
}

/** What the provider says about a payment, verified. */
export interface PaymentReport {
  state: 'paid' | 'open' | 'ended';
  tradeNo: string;
  amountMinor: number;
  currency: string;
  reference: string;
  /** The paying account, if the provider names it. */
  payer: string;
  /** The provider's number of the money, where it has another one than the page. */
  paymentReference?: string;
}

/** How the provider names a payment in what it says later; either may be empty. */
export interface PaymentName {
  tradeNo: string;
  paymentReference: string;
}

/** What the provider says about a refund, verified. Only `failed` is final: a refund that was paid may still come back. */
export interface RefundReport {
  payment: PaymentName;
  state: 'pending' | 'done' | 'failed';
  /** The provider's number of the refund. */
  reference: string;
  /** Our id of it; empty for one that was made in the provider's own console. */
  requestId: string;
  amountMinor: number;
  detail: string;
}

/** What the provider says about a payment that the payer's bank claims back, verified. */
export interface DisputeReport {
  payment: PaymentName;
  state: 'open' | 'won' | 'lost';
  /** Unix seconds, by the provider's clock. */
  at: number;
  reference: string;
  amountMinor: number;
  currency: string;
  reason: string;
}

export type CallbackReading =
  | { kind: 'payment'; report: PaymentReport }
  /** Somebody refunded in the provider's own console: the operator must book it. */
  | { kind: 'refunded_outside'; payment: PaymentName; amountMinor: number }
  | { kind: 'refund'; report: RefundReport }
  | { kind: 'dispute'; report: DisputeReport }
  /** Genuine, and of no concern here. */
  | { kind: 'other' };

export interface Callback {
  method: string;
  /** Query string without the question mark. */
  query: string;
  body: string;
  headers: Pick<Headers, 'get'>;
}

/** A known order, as far as the provider needs it. */
export interface KnownPayment {
  tradeNo: string;
  reference: string;
  amountMinor: number;
  currency: string;
}

export interface WantedRefund {
  /** The same id again is the same refund. */
  id: string;
  amountMinor: number;
  /** The provider's number of it, once it is known. */
  reference: string;
  /** It was sent before. */
  isRepeated: boolean;
}

export type RefundOutcome =
  | { kind: 'done'; reference: string }
  /** The provider will pay back, or say later that it could not. */
  | { kind: 'pending'; reference: string }
  /** The provider said no: nothing was paid back. */
  | { kind: 'refused'; detail: string }
  /** No answer: it may have been paid back. */
  | { kind: 'unknown'; detail: string };

export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** Empty while the provider is not configured: then its callback does not exist. */
  methods(): readonly PaymentMethod[];
  /** Origins it calls. */
  origins(): readonly string[];
  /** Throws ProviderError when the provider cannot be reached or refuses. */
  begin(payment: NewPayment): Promise<PaymentPage>;
  /** Throws CallbackRefused unless the callback is genuine. */
  readCallback(callback: Callback): Promise<CallbackReading>;
  /** Answer to a callback that is booked, or was before. */
  accepted(): Response;
  /** Answer that lets the provider send the callback again. */
  refused(): Response;
  /** undefined: the provider does not know the payment. */
  query(payment: KnownPayment): Promise<PaymentReport | undefined>;
  refund(payment: KnownPayment, wanted: WantedRefund): Promise<RefundOutcome>;
  /** The order of a payment that only the provider's number is known of; empty: none of ours. Throws ProviderError. */
  tradeNoOf?(paymentReference: string): Promise<string>;
  /** The same refund may be asked for again after an unknown outcome. */
  readonly isRefundRepeatable: boolean;
}

export class CallbackRefused extends Error {
  override name = 'CallbackRefused';
}

/** The provider refused or could not be reached. The text is for the log, not for the payer. */
export class ProviderError extends Error {
  override name = 'ProviderError';
}

/** The origin of an address from the settings; none while it is empty. */
export function originsOf(address: string): string[] {
  return URL.canParse(address) ? [new URL(address).origin] : [];
}
