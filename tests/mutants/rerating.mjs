// Re-rating: who pays, what binds, what is booked once.
const shares = 'server/money/corrections/shares.ts';
const book = 'server/money/corrections/book.ts';
const tokens = 'server/money/corrections/tokens.ts';
const figures = 'server/money/corrections/figures.ts';
const margins = 'server/money/corrections/margins.ts';
const apply = 'server/money/rerating/apply.ts';
const undo = 'server/money/rerating/undo.ts';
const runs = 'server/money/rerating/runs.ts';
const calls = 'server/money/rerating/calls.ts';
const shareTests = ['server/money/corrections/shares.test.ts'];
const tests = ['tests/integration/money/rerating/rerating.test.ts'];

export const rerating = [
  {
    name: 'rerate-gives-back-before-the-loss-ends',
    file: shares,
    find: 'const suspense = Math.min(-more, before.suspense);',
    replace: 'const suspense = 0;',
    tests: shareTests,
    title: 'a lower price ends the loss first',
    meaning: 'A user gets back what the operator had paid.',
  },
  {
    name: 'rerate-debits-what-calls-hold',
    file: book,
    find: 'wallet: Math.max(0, user.quota - user.held_quota),',
    replace: 'wallet: Math.max(0, user.quota),',
    tests,
    title: 'a debit stops at what running calls hold',
    meaning: 'A correction takes what running calls hold.',
  },
  {
    name: 'rerate-forgets-suspense',
    file: book,
    find: "  await book(suspenseNoteIdem(idem), 'suspense', sums.suspense);\n",
    replace: '',
    tests,
    title: 'a debit stops at what running calls hold',
    meaning: 'What could not be charged is in no account.',
  },
  {
    name: 'rerate-undo-charges-the-balance-for-a-plan',
    file: shares,
    find: "if (planShortage === 'suspense') after.suspense += missing;",
    replace: 'after.wallet += missing;',
    tests: shareTests,
    title: 'an undo takes what the subscription no longer has',
    meaning: 'The balance pays for quota that ended with its period.',
  },
  {
    name: 'rerate-fills-an-ended-period',
    file: book,
    find: 'pocketId: call.createdAt >= beganAt ? call.subscriptionId : 0',
    replace: 'pocketId: call.subscriptionId',
    tests,
    title: 'a call that a subscription paid',
    meaning: 'Quota of an ended period is given to the next one.',
  },
  {
    name: 'rerate-token-gets-more-than-was-taken',
    file: tokens,
    find: 'call.undoneTokenChange === undefined ? -difference(call) : -call.undoneTokenChange',
    replace: '-difference(call)',
    tests,
    title: 'a debit stops at what running calls hold',
    meaning: 'An undo raises the limit of a token.',
  },
  {
    name: 'rerate-keeps-the-used-total',
    file: book,
    find: '.set({ used_quota: sql<number>`used_quota + ${sums.wallet + sums.plan}` })',
    replace: '.set({ used_quota: sql<number>`used_quota + ${0 * sums.wallet}` })',
    tests,
    title: 'a credit is one note for each day',
    meaning: 'The used total of a user is not what its calls cost.',
  },
  {
    name: 'rerate-keeps-the-margin',
    file: book,
    find: '  await correctMargins(transaction, dialect, note.userId, calls);\n',
    replace: '',
    tests,
    title: 'a correction and its undo change the revenue',
    meaning: 'The margin of a day is not what its calls brought.',
  },
  {
    name: 'rerate-changes-the-revenue-of-unknown-costs',
    file: margins,
    find: 'if (isCosted) row.costed += quota;',
    replace: 'row.costed += quota;',
    tests,
    title: 'a correction and its undo change the revenue',
    meaning: 'Calls of unknown cost change the margin.',
  },
  {
    name: 'rerate-undo-forgets-the-cost',
    file: undo,
    find: 'isCosted: row.is_costed === 1,',
    replace: 'isCosted: false,',
    tests,
    title: 'a correction and its undo change the revenue',
    meaning: 'An undo leaves the margin of the corrected price.',
  },
  {
    name: 'rerate-books-a-changed-call',
    file: figures,
    find: 'if (row === undefined ? !isUndo : row.quota !== paidOf(before)) return undefined;',
    replace: '',
    tests,
    title: 'a call that changed since it was rated',
    meaning: 'A correction starts from a charge that the call does not have.',
  },
  {
    name: 'rerate-books-other-figures-than-the-dry-run',
    file: apply,
    find: 'if (open.length > 0 && (await equalsDryRun(store, place, calls)))',
    replace: 'if (open.length > 0)',
    tests,
    title: 'a day whose calls changed after the run began',
    meaning: 'What is booked is not what the operator confirmed.',
  },
  {
    name: 'rerate-applies-a-stale-run',
    file: runs,
    find: 'run.fingerprint !== (await fingerprintOf({ dialect, db: transaction }, run))',
    replace: 'run.fingerprint === undefined',
    tests,
    title: 'the figures of a dry run bind',
    meaning: 'A run is applied although the calls of its range changed.',
  },
  {
    name: 'rerate-undoes-below-a-later-run',
    file: runs,
    find: "if (later !== undefined) throw new AppError('rerate_later_run', { run: String(later) });",
    replace: '',
    tests,
    title: 'a debit stops at what running calls hold',
    meaning: 'An undo takes back a correction that another one was built on.',
  },
  {
    name: 'rerate-starts-from-the-first-charge',
    file: calls,
    find: 'const before = correction?.after ?? {',
    replace: 'const before = {',
    tests,
    title: 'a debit stops at what running calls hold',
    meaning: 'A second correction forgets what the first one put into suspense.',
  },
  {
    name: 'rerate-undo-pays-the-loss-to-the-user',
    file: undo,
    find: 'wanted: isEqual(now, after) ? before : sharesAt(now, priceOf(before)),',
    replace: 'wanted: { ...before, wallet: before.wallet - after.suspense },',
    tests,
    title: 'a debit stops at what running calls hold',
    meaning: 'An undo gives back more than was paid.',
  },
];
