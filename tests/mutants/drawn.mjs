// Faults at places that a draw chose over all of the money, and that no test noticed.
export const drawn = [
  {
    name: 'spool-of-any-size',
    file: 'server/money/ledger/spool.ts',
    find: 'if (end + Buffer.byteLength(text) > mostBytes)',
    replace: 'if (Buffer.byteLength(text) > mostBytes)',
    tests: ['server/money/ledger/spool.test.ts'],
    title: 'that of all its lines',
    meaning: 'In a long outage the spool fills the disk.',
  },
  {
    name: 'opened-subscription-was-told-before',
    file: 'server/money/ledger/subscriptions.ts',
    find: "end_reason: '', ended_noticed: 0 })",
    replace: "end_reason: '' })",
    tests: ['tests/integration/money/plans/notices.test.ts'],
    title: 'sqlite one that was opened again',
    meaning: 'A subscription that a failed refund gave back ends without a word.',
  },
  {
    name: 'second-end-has-the-key-of-the-first',
    file: 'server/admin/plans/advance.ts',
    find: "`${event}:${id}:${status === 'ended' ? ended_at : ends_at}`",
    replace: '`${event}:${id}`',
    tests: ['tests/integration/money/plans/notices.test.ts'],
    title: 'sqlite one that was opened again',
    meaning: 'A subscription that a failed refund gave back ends without a word.',
  },
];
