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
];
