// Faults of the kinds that were planted afresh and not noticed, at other places: a state that is not what the usual case has, one of
// two twins, a part of a condition, an order, and what is over or nothing.
const translation = 'server/relay/answer/translation.ts';
const refunds = 'contract/money/refund-amounts.ts';
const counters = 'server/money/ledger/budget-counters.ts';
const imported = 'server/money/ledger/imported.ts';
const rows = 'server/relay/tasks/rows.ts';
const ofTranslation = ['server/relay/answer/translation.test.ts'];
const ofRefunds = ['contract/money/refund-amounts.test.ts'];
const ofCounters = ['tests/integration/money/ledger/counter-changes.test.ts'];
const ofImported = ['tests/integration/money/ledger/imported.test.ts'];
const ofRows = ['tests/integration/relay/tasks/ended-rows.test.ts'];
const ofEvents = ['server/relay/realtime/session-event.test.ts'];

export const finer = [
  {
    name: 'converted-answer-without-a-finish-is-broken',
    file: translation,
    find: 'this.#finishes.length > 0 || this.#usage !== undefined ?',
    replace: 'this.#finishes.length > 0 ?',
    tests: ofTranslation,
    title: 'with its usage is whole',
    meaning: 'A whole answer whose upstream leaves the finishing event out reaches its caller as an error.',
  },
  {
    name: 'converted-answer-with-neither-is-whole',
    file: translation,
    find: "this.#usage !== undefined ? 'complete' : 'broken');",
    replace: "this.#usage !== undefined ? 'complete' : 'complete');",
    tests: ofTranslation,
    title: 'with neither is broken',
    meaning: 'An answer that was cut reaches its caller as a whole one.',
  },
  {
    name: 'converted-end-without-a-finish',
    file: translation,
    find: "    if (this.#finishes.length === 0)\n      this.#finishes.push({ type: 'finish', choice: 0, reason: 'stop', raw: 'stop' });\n",
    replace: '',
    tests: ofTranslation,
    meaning: 'A caller whose format has a reason for every end waits for one that never comes.',
  },
  {
    name: 'last-part-takes-its-part',
    file: refunds,
    find: '  if (amountMinor === minorLeft(order)) return quotaLeft(order);\n',
    replace: '',
    tests: ofRefunds,
    meaning: 'After refunds in parts a user keeps a rest of what was paid back.',
  },
  {
    name: 'lost-quota-is-refunded',
    file: refunds,
    find: 'quota - refunded_quota - disputed_quota - lost_quota',
    replace: 'quota - refunded_quota - disputed_quota',
    tests: ofRefunds,
    meaning: 'A refund after a lost dispute takes back what was spent of the order, once more.',
  },
  {
    name: 'refused-caller-comes-an-hour-early',
    file: 'contract/money/budget-windows.ts',
    find: 'Math.round((Date.now() / 1000 + retryAfterSeconds) / HOUR_SECONDS)',
    replace: 'Math.floor((Date.now() / 1000 + retryAfterSeconds) / HOUR_SECONDS)',
    tests: ['contract/money/budget-windows.test.ts'],
    title: 'whole hour that is nearest',
    meaning: 'A refusal names an hour at which the budget is still spent.',
  },
  {
    name: 'square-picture-of-high-quality-is-large',
    file: 'contract/money/pricing.ts',
    find: 'factor > 1 ? 1.5 : 2',
    replace: 'factor >= 1 ? 1.5 : 2',
    tests: ['contract/money/pricing.test.ts'],
    title: 'pictures count',
    meaning: 'The usual picture in high quality is sold a quarter below its price.',
  },
  {
    name: 'listed-tiers-of-any-length',
    file: 'contract/money/price-lists.ts',
    find: 'Number.isInteger(above) && above > 0 && above <= 1e9',
    replace: 'above <= 1e9',
    tests: ['contract/money/price-lists.test.ts'],
    title: 'tiers without a length',
    meaning: 'A tier from 0 on of an outside list takes the place of the price itself.',
  },
  {
    name: 'lowered-limit-beside-the-callers',
    file: 'server/relay/realtime/session-event.ts',
    find: '[given ?? field]: tokens',
    replace: '[field]: tokens',
    tests: ofEvents,
    title: 'lowered limit',
    meaning: 'A response of a session has two limits, and the upstream may take the one that nobody can pay.',
  },
  {
    name: 'end-of-a-silent-session-is-a-failure',
    file: 'server/relay/realtime/session-ending.ts',
    find: "if (cause === 'upstream') return isRunning ? 'broken' : '';",
    replace: "if (cause === 'upstream') return 'broken';",
    tests: ofEvents,
    title: 'how a session ended',
    meaning: 'Sessions that their upstream closes between two responses are shown as broken.',
  },
  {
    name: 'grant-in-a-window-that-is-over',
    file: counters,
    find: 'clock.now >= counter.window_end',
    replace: 'clock.now > counter.window_end',
    tests: ofCounters,
    title: 'after the window ends it first',
    meaning: 'What is granted in the first second of a window ends with the one before.',
  },
  {
    name: 'ended-window-forgets-a-late-call',
    file: counters,
    find: "column('budget_windows.spent', '+', spent)",
    replace: "column('budget_windows.spent', '+', 0)",
    tests: ofCounters,
    title: 'after the window ends it first',
    meaning: 'The history of a budget shows less than was spent.',
  },
  {
    name: 'limit-of-one-budget-is-that-of-all',
    file: counters,
    find: "    .where('budget_id', '=', budgetId)\n    .execute();",
    replace: '    .execute();',
    tests: ofCounters,
    title: 'change of a budget',
    meaning: 'Whoever changes the limit of one budget changes those of all organizations.',
  },
  {
    name: 'moving-in-refills-a-budget',
    file: counters,
    find: "spent: requireAmount(brought, 'spent'),",
    replace: 'spent: 0,',
    tests: ofCounters,
    title: 'begins with its window',
    meaning: 'An organization that moves in may spend its budget of the month a second time.',
  },
  {
    name: 'task-is-removed-with-its-hold',
    file: rows,
    find: "    .where('status', 'in', ENDED)\n    .where('money', '<>', 'open');",
    replace: "    .where('status', 'in', ENDED);",
    tests: ofRows,
    meaning: 'A task whose hold has not ended goes with the log, and its hold is never settled.',
  },
  {
    name: 'newest-tasks-are-removed-first',
    file: rows,
    find: "        .orderBy('submit_ms')\n        .orderBy('id')\n        .limit(most);",
    replace: "        .orderBy('id')\n        .limit(most);",
    tests: ofRows,
    meaning: 'A removal that is cut leaves the oldest tasks.',
  },
  {
    name: 'invites-of-another-gateway-are-forgotten',
    file: imported,
    find: "Math.max(affQuota, requireAmount(affHistoryQuota, 'invite earnings'))",
    replace: 'affQuota',
    tests: ofImported,
    meaning: 'A user who moved in has never earned more by invites than is left of it.',
  },
  {
    name: 'usage-of-every-import',
    file: imported,
    find: "    .where('idem', 'like', `${importIdem(importId, 'logs:')}%`)\n",
    replace: '',
    tests: ofImported,
    meaning: 'The report of an import shows what users of another one have used.',
  },
];
