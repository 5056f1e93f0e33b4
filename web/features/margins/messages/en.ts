import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './zh.ts';

export default {
  title: 'Margins',
  list: 'Table of margins',
  by: {
    label: 'Summed by',
    channel: 'Channel',
    supplier: 'Supplier',
    model: 'Model',
    group: 'Group',
    user: 'User',
    day: 'Day',
  },
  days: { label: 'Span', last_one: 'Last day', last_other: 'Last {{count}} days' },
  column: {
    calls: 'Calls',
    revenue: 'Revenue',
    cost: 'Cost',
    fees: 'Monthly fees',
    margin: 'Margin',
    share: 'Margin %',
    unknown: 'Cost unknown',
  },
  summary: { revenue: 'revenue', cost: 'cost', margin: 'margin' },
  rows_one: 'row',
  rows_other: 'rows',
  unknownCell_one: '{{calls}} call · {{revenue}}',
  unknownCell_other: '{{calls}} calls · {{revenue}}',
  noSupplier: 'No supplier',
  gone: 'Deleted #{{id}}',
  filter: { all: 'Everything', clear: 'Remove the filter {{label}} {{value}}' },
  open: 'Details of {{name}}',
  openChannel: 'View channel',
  openPrice: 'View price',
  more: 'The first {{shown}} rows are shown; the totals contain all {{total}}.',
  note: 'Days are UTC. Margin is the revenue of calls with a known cost, less their cost, less monthly fees. Calls of channels without a buy price have an unknown cost and are left out of the margin.',
  excess: {
    none: 'No call of this span cost more than its hold.',
    sum_one:
      '{{count}} call cost more than its hold: {{paid}} of that were paid from the balance, {{unpaid}} were not paid.',
    sum_other:
      '{{count}} calls cost more than their holds: {{paid}} of that were paid from balances, {{unpaid}} were not paid.',
    meaning:
      'Paid: the hold did not cover it, the balance did; it is part of the revenue. Not paid: neither hold nor balance could pay it; it is booked to the account suspense and is part of no revenue.',
    newest: 'Newest calls above their holds',
    call: 'user #{{user}}, paid {{paid}}, not paid {{unpaid}}',
  },
  export: 'Export as CSV',
  suppliers: 'Suppliers and buy prices',
  empty: {
    title: 'No calls in this span',
    text: 'Once a channel or its supplier has a buy price, new calls record revenue and cost.',
  },
} satisfies Messages<typeof zh>;
