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
    file: 'server/money/ledger/sqlite/calls.ts',
    find: '    this.writeRows([call]).catch(() => {});\n    slices.send(call, moreAmount);\n    operation.memoryHeld = slices.heldBy(call);',
    replace:
      '    operation.memoryHeld = slices.heldBy(call);\n    this.writeRows([call]).catch(() => {});\n    slices.send(call, moreAmount);',
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
    name: 'regular-audit-without-dividends',
    file: 'server/money/audit/balances.ts',
    find: 'sum(plan) <> 0\n      or sum(dividend) <> 0`',
    replace: 'sum(plan) <> 0`',
    tests: ['tests/integration/money/ledger/audit.test.ts'],
    title: 'invite or dividend balance',
    meaning: 'A wrong dividend balance stays unnoticed until somebody runs the whole audit.',
  },
];
