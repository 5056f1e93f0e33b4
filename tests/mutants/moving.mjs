// Money that is brought from another gateway.
const imported = 'server/billing/imported.ts';
const importTests = ['tests/integration/moving/import.test.ts'];
const balances = 'an import brings every balance to the unit';

export const moving = [
  {
    name: 'invite-balance-becomes-balance',
    file: imported,
    find: "{ to: 'aff', amount: affQuota",
    replace: "{ to: 'user', amount: affQuota",
    tests: importTests,
    title: balances,
    meaning: 'Invite earnings of the source are added to the balance.',
  },
  {
    name: 'past-payment-is-credited-again',
    file: imported,
    find: 'credit_account: importAccount,',
    replace: 'credit_account: `user:${userId}`,',
    tests: importTests,
    title: balances,
    meaning: 'A paid order of the source raises the balance a second time in the books.',
  },
  {
    name: 'past-usage-without-used-total',
    file: imported,
    find: 'used_quota + ${amount}',
    replace: 'used_quota',
    tests: importTests,
    title: balances,
    meaning: 'Charges of the source are in the ledger and not in the used total.',
  },
  {
    name: 'used-total-ignores-the-log',
    file: 'server/moving/import/logs.ts',
    find: 'used - (logged.get(userId) ?? 0)',
    replace: 'used',
    tests: importTests,
    title: balances,
    meaning: 'What the log shows is counted twice in the used total.',
  },
  {
    name: 'balance-below-zero-becomes-positive',
    file: 'server/moving/import/scale.ts',
    find: 'if (units <= 0) return 0;\n      if (isSame)',
    replace: 'if (units < 0) return -units;\n      if (isSame)',
    tests: importTests,
    title: balances,
    meaning: 'A debt at the source becomes a balance here.',
  },
  {
    name: 'imported-rows-are-not-remembered',
    file: 'server/moving/import/job.ts',
    find: 'if (ids.find(kind, sourceId) !== undefined) {',
    replace: 'if (false) {',
    tests: importTests,
    title: 'new-api into sqlite',
    meaning: 'A second import brings users and their balances again.',
  },
  {
    name: 'log-position-does-not-move',
    file: 'server/moving/import/logs.ts',
    find: '.set({ log_position: last })',
    replace: '.set({ log_position: 0 })',
    tests: importTests,
    title: 'new-api into sqlite',
    meaning: 'A second import charges the log of the source again.',
  },
  {
    name: 'audit-trusts-imported-log-rows',
    file: 'server/billing/audit/row-checks.ts',
    find: "and not exists (select 1 from ledger l where l.idem = ${importedEntry} and l.kind = 'use'\n        and l.user_id = g.user_id)",
    replace: "and g.request_id not like 'import:%'",
    tests: importTests,
    title: 'without the entry of its page',
    meaning: 'A log row that claims to come from another gateway needs no charge.',
  },
];
