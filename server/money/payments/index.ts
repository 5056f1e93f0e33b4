// Money that comes in by online payment.
export { createCallbacks, type CallbackRoute } from './callbacks.ts';
export { creditOrder } from './credit.ts';
export { currencyDigits } from './currency.ts';
export { addEvent, lockOrder, type Order } from './order-rows.ts';
export type { AfterPayment, AfterRefund, PaymentParts } from './parts.ts';
export { placeOrder, placePlanOrder, priceOf } from './place-order.ts';
export { planOf } from './plan-orders.ts';
export { groupRatioOf, minimumOf, unitQuotaOf } from './quote.ts';
export { createProviders, type Providers } from './registry.ts';
export { reconcileOrders } from './reconcile.ts';
export { applyDisputes } from './disputes.ts';
export { beginRefund, endRefundWithin, finishRefund, isRefundEndable, type Refund } from './refund.ts';
export { moneyText } from './currency.ts';
export { sellerOfOrder } from './seller.ts';
