// Orders and their refunds.
const refund = 'server/payments/refund.ts';
const refundRules = ['tests/integration/payments/refund-rules.test.ts'];

export const payments = [
  {
    name: 'unpaid-order-is-refunded',
    file: refund,
    find: "if (order.status !== 'paid') throw new AppError('order_not_payable');",
    replace: '',
    tests: refundRules,
    title: 'never paid',
    meaning:
      'The quota of an order that was never paid is taken from the balance, and the provider is asked to pay.',
  },
  {
    name: 'expired-order-is-refunded',
    file: refund,
    find: "if (order.status !== 'paid') throw",
    replace: "if (order.status === 'pending') throw",
    tests: refundRules,
    title: 'never paid',
    meaning: 'An order that expired unpaid can be refunded.',
  },
  {
    name: 'ended-refund-ends-again',
    file: refund,
    find: "    .where('status', '=', 'pending')\n    .returningAll()",
    replace: '    .returningAll()',
    tests: refundRules,
    title: 'keeps its end',
    meaning: 'The quota of one refund returns to the user twice.',
  },
  {
    name: 'request-id-with-another-amount',
    file: refund,
    find: ' && known.amount_minor === amountMinor',
    replace: '',
    tests: refundRules,
    title: 'used again for another amount',
    meaning: 'A second refund under a used request id looks like success and moves nothing.',
  },
  {
    name: 'request-id-of-another-order',
    file: refund,
    find: 'known.order_id === orderId && ',
    replace: '',
    tests: refundRules,
    title: 'used again for another amount',
    meaning: 'A refund of another order under a used request id looks like success.',
  },
];
