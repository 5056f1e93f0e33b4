// Statements, check-ins and refunds that an administrator ends.
const statement = 'server/billing/statement.ts';
const checkIn = 'server/features/wallet/check-in.ts';
const statementTests = ['tests/integration/wallet/statement.test.ts'];
const checkInTests = ['tests/integration/wallet/check-in.test.ts'];
const refundTests = ['tests/integration/payments/receipts.test.ts'];

export const wallet = [
  {
    name: 'statement-forgets-unsummed-rows',
    file: statement,
    find: 'const change = kept((number) => number === month) + rest(inside);',
    replace: 'const change = kept((number) => number === month);',
    tests: statementTests,
    title: 'every month equals the ledger',
    meaning: 'Movements of the last minutes are missing from the statement.',
  },
  {
    name: 'statement-opens-with-its-own-month',
    file: statement,
    find: 'number !== wholeTime && number < month)',
    replace: 'number !== wholeTime && number <= month)',
    tests: statementTests,
    title: 'every month equals the ledger',
    meaning: 'The opening balance includes the month itself.',
  },
  {
    name: 'statement-of-sums-that-differ',
    file: statement,
    find: "|| whole !== total(of('balance'))",
    replace: '',
    tests: statementTests,
    title: 'sums that do not add up',
    meaning: 'A statement is made of sums that do not fit the balance.',
  },
  {
    name: 'check-in-twice-a-day',
    file: checkIn,
    find: "if (booked !== undefined) throw new AppError('check_in_done');",
    replace: '',
    tests: checkInTests,
    title: 'of twenty requests on two nodes one is rewarded',
    meaning: 'A second check-in of a day is not refused.',
  },
  {
    name: 'check-in-of-a-suspended-user',
    file: checkIn,
    find: 'user?.status !== USER_STATUS.activated || user.deleted_at !== null',
    replace: 'user === undefined',
    tests: checkInTests,
    title: 'a suspended user',
    meaning: 'A suspended user with a session is rewarded.',
  },
  {
    name: 'check-in-day-of-utc',
    file: checkIn,
    find: 'const day = dayIn(settings.current.CheckInTimeZone, nowSeconds(parts));',
    replace: "const day = dayIn('UTC', nowSeconds(parts));",
    tests: checkInTests,
    title: 'the next day begins at midnight',
    meaning: 'The day of a check-in is not that of the site.',
  },
  {
    name: 'running-refund-is-ended',
    file: 'server/payments/refund.ts',
    find: ' && !isRunning',
    replace: '',
    tests: refundTests,
    title: 'a refund that may still be running',
    meaning: 'An administrator returns the quota of a refund that the provider is about to pay.',
  },
  {
    name: 'repeated-refund-is-ended',
    file: 'server/payments/refund.ts',
    find: ' && !isRepeated',
    replace: '',
    tests: refundTests,
    title: 'one that a job repeats',
    meaning: 'The quota is returned although the job will have the provider pay.',
  },
  {
    name: 'unconfirmed-credit-is-acknowledged',
    file: 'server/payments/credit.ts',
    find: 'parts.store.confirmedDb',
    replace: 'parts.store.db',
    tests: ['tests/integration/payments/standby.test.ts'],
    title: 'the provider is told success only when',
    meaning: 'A payment is acknowledged that a failover can lose.',
  },
];
