// Faults that no test noticed when an outsider chose them from the sources alone.
export const overlooked = [
  {
    name: 'recovered-charge-frees-a-hold',
    file: 'server/money/ledger/engine/settle.ts',
    find: '    releaseLate(rows, operation);\n    return false;',
    replace: '    releaseLate(rows, operation);\n    return true;',
    tests: ['tests/integration/money/ledger/holds.test.ts'],
    title: 'gives back that charge, not its hold',
    meaning:
      'A call that recovery has charged and that then fails frees its hold a second time in memory: calls are admitted above the balance.',
  },
  {
    name: 'own-hold-counts-twice',
    file: 'server/money/ledger/sqlite/backend.ts',
    find: '        writeRows([call]).catch(() => {});\n        slices.send(call, moreAmount);\n        operation.memoryHeld = slices.heldBy(call);',
    replace:
      '        operation.memoryHeld = slices.heldBy(call);\n        writeRows([call]).catch(() => {});\n        slices.send(call, moreAmount);',
    tests: ['tests/integration/money/ledger/holds.test.ts'],
    title: 'hold of its own call once',
    meaning:
      'The first extension of a stream counts its hold in the row and in memory: streams end although the balance would pay for them.',
  },
  {
    name: 'settling-part-is-not-given-back',
    file: 'server/money/ledger/postgres/node-slices.ts',
    find: "    await submit({ kind: 'rollPeriod', requestId: '', subscriptionId: 0 }).catch(() => {});\n",
    replace: '',
    tests: ['tests/integration/money/ledger/foreign-slices.test.ts'],
    title: 'just being settled',
    meaning:
      'A slice whose call is just being settled is not given back: a call that needs the whole balance is refused although the balance is there.',
  },
  {
    name: 'nodes-are-asked-once-for-ever',
    file: 'server/money/ledger/postgres/ask-others.ts',
    find: 'ask(userId).finally(() => asking.delete(userId))',
    replace: 'ask(userId)',
    tests: ['tests/integration/money/ledger/foreign-slices.test.ts'],
    title: 'each time that it is asked for',
    meaning:
      'The first answer of the other nodes is kept: the next call of the user that needs the whole balance is refused while another node has a part of it.',
  },
  {
    name: 'extension-is-not-held',
    file: 'server/money/ledger/open-ledger.ts',
    find: '    if (isLarger && call !== undefined) call.held += moreAmount;\n',
    replace: '',
    tests: ['tests/integration/money/ledger/hold-excess.test.ts'],
    title: 'extended hold of a call that recovery',
    meaning:
      'A late settlement is compared with the first part of its hold only: operators are alerted of charges above holds that covered them.',
  },
  {
    name: 'refunded-order-refuses-its-notice',
    file: 'server/money/payments/credit.ts',
    find: "if (order.status === 'paid' || order.status === 'refunded') return { kind: 'already' };",
    replace: "if (order.status === 'paid') return { kind: 'already' };",
    tests: ['tests/integration/money/payments/refund-events.test.ts'],
    title: 'comes again after its refund',
    meaning:
      'A repeated notice of an order that was refunded is never accepted: the provider repeats it for days and turns the address of all notices off.',
  },
  {
    name: 'super-admin-is-suspended',
    file: 'server/money/audit/audit.ts',
    find: "    .where('role', '<', 100)\n",
    replace: '',
    tests: ['tests/integration/money/ledger/audit.test.ts'],
    title: 'super admin is found',
    meaning: 'The audit suspends the only account that can lift a suspension.',
  },
  {
    name: 'regular-audit-without-dividends',
    file: 'server/money/audit/balances.ts',
    find: 'sum(plan) <> 0\n      or sum(dividend) <> 0`',
    replace: 'sum(plan) <> 0`',
    tests: ['tests/integration/money/ledger/audit.test.ts'],
    title: 'invite or dividend balance',
    meaning: 'A wrong dividend balance stays unnoticed until somebody runs the whole audit.',
  },
];
