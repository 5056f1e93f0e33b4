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
  {
    name: 'extension-frees-what-it-took',
    file: 'server/money/ledger/sqlite/calls.ts',
    find: 'slices.answered(call, moreAmount, isLarger ? 0 : moreAmount);',
    replace: 'slices.answered(call, moreAmount, isLarger ? moreAmount : 0);',
    tests: ['tests/integration/money/ledger/holds.test.ts'],
    title: 'what an extension took is not promised',
    meaning:
      'What a running stream has taken is promised to other calls: they are admitted above the balance.',
  },
  {
    name: 'failed-call-leaves-no-row',
    file: 'server/money/ledger/sqlite/calls.ts',
    find: '        if (isReleased === undefined && isInSlice) slices.restore(call);\n',
    replace: '',
    tests: ['tests/integration/money/ledger/unwritable.test.ts'],
    title: 'failed meanwhile has its log row',
    meaning:
      'A call that fails while the file cannot be written is in no log and no figure: the replay finds no hold to end.',
  },
  {
    name: 'pending-refund-counts-as-paid-back',
    file: 'server/admin/overview/paid.ts',
    find: "where refunds.status = 'done' and refunds",
    replace: "where refunds.status <> 'failed' and refunds",
    tests: ['tests/integration/admin/overview/operator.test.ts'],
    title: 'what was paid back on the day',
    meaning: 'The overview shows money as paid back that the provider has not paid back.',
  },
  {
    name: 'unlimited-token-keeps-its-limit',
    file: 'server/admin/tokens/change.ts',
    find: 'if (!unlimited && remain < row.held_quota) {',
    replace: 'if (remain < row.held_quota) {',
    tests: ['tests/integration/admin/tokens/change.test.ts'],
    title: 'never falls below what running calls hold',
    meaning: 'A token without a limit cannot be changed while calls run that hold more than its old limit.',
  },
  {
    name: 'broken-upstream-is-paid-for-what-was-asked',
    file: 'server/relay/realtime/meter.ts',
    find: 'for (const { input } of hasFailed ? [] : this.#asked) {',
    replace: 'for (const { input } of this.#asked) {',
    tests: ['server/relay/realtime/meter.test.ts'],
    title: 'breaks off costs nothing',
    meaning: 'A caller whose session breaks off pays for the prompt of a response that never began.',
  },
  {
    name: 'two-extensions-at-once',
    file: 'server/relay/money/stream-cover.ts',
    find: 'const extension = this.#extending.then((before) => before && this.#extend(tokens, reported));',
    replace: 'const extension = this.#extend(tokens, reported);',
    tests: ['server/relay/money/stream-cover.test.ts'],
    title: 'one hold after the other',
    meaning:
      'Output and time extend the hold for the same tokens: near the end of a balance a stream ends early.',
  },
  {
    name: 'late-correction-counts-in-the-window-of-now',
    file: 'server/money/ledger/engine/late.ts',
    find: 'spendOfCounters(rows, budgets, difference, record.at);',
    replace: 'spendOfCounters(rows, budgets, difference, at);',
    tests: ['server/money/ledger/engine/rules.test.ts'],
    title: 'counts in the window of its call',
    meaning:
      "What a late settlement corrects counts in the budget's window of now: today's calls lose what yesterday's cost.",
  },
  {
    name: 'failed-operation-leaves-the-budget-believed',
    file: 'server/money/ledger/slices.ts',
    find: '    for (const id of counterIds(budgets)) sliceIn(this.#budgets, id).generation = 0;\n',
    replace: '',
    tests: ['server/money/ledger/slices.test.ts'],
    title: 'the database decides about its budgets too',
    meaning:
      'After an operation whose outcome is not known, calls of another key are admitted by what the budget had left before.',
  },
  {
    name: 'session-checkpoint-never-falls',
    file: 'server/relay/realtime/session-hold.ts',
    find: 'if (quota === this.#checkpointQuota) return;',
    replace: 'if (quota <= this.#checkpointQuota) return;',
    tests: ['server/relay/realtime/session-hold.test.ts'],
    title: 'noted for a crash when its cost has changed',
    meaning: 'A report smaller than the estimate before it is not noted: a crash charges the estimate.',
  },
  {
    name: 'budgets-read-before-a-change-are-kept',
    file: 'server/relay/money/budget-book.ts',
    find: 'if (readAt === version) {',
    replace: 'if (readAt <= version) {',
    tests: ['tests/integration/admin/organizations/budget-book.test.ts'],
    title: 'that were read while a change was heard',
    meaning:
      'Budgets that were read just before a change are kept after it: calls pass a bound until the next change.',
  },
];
