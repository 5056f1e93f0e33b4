// Dividends of resellers and their withdrawals.
const book = 'server/agents/book.ts';
const payments = 'server/agents/payments.ts';
const shares = 'server/agents/shares.ts';
const spend = 'server/agents/spend.ts';
const withdrawals = 'server/agents/withdrawals.ts';
const transfer = 'server/billing/transfer.ts';
const dividendTests = ['tests/integration/agents/dividends.test.ts'];
const withdrawalTests = ['tests/integration/agents/withdrawals.test.ts'];

export const agents = [
  {
    name: 'dividend-balance-below-zero',
    file: transfer,
    find: 'affQuota < 0 || dividendQuota < 0)',
    replace: 'affQuota < 0)',
    tests: withdrawalTests,
    title: 'amounts that are none',
    meaning:
      'An agent moves or withdraws more than the dividends; only the database refuses it, as an error.',
  },
  {
    name: 'owed-is-forgotten',
    file: book,
    find: 'await takeOwed(parts, transaction, event, result.dividendQuota);',
    replace: '',
    tests: dividendTests,
    title: 'what the balance does not cover|provider refuses',
    meaning: 'What an agent owes is never taken from later dividends.',
  },
  {
    name: 'short-reversal-is-forgiven',
    file: book,
    find: 'if (owed > 0) await changeOwed(transaction, event.agent_id, owed);',
    replace: '',
    tests: dividendTests,
    title: 'what the balance does not cover',
    meaning: 'An agent who moved the dividends away keeps those of refunded orders.',
  },
  {
    name: 'banned-agent-earns',
    file: shares,
    find: ' and u.status <> ${sql.lit(USER_STATUS.banned)}',
    replace: '',
    tests: dividendTests,
    title: 'a banned agent earns nothing',
    meaning: 'An agent who was banned goes on earning from the customers.',
  },
  {
    name: 'spend-basis-also-pays-payments',
    file: payments,
    find: "if (current.DividendBasis !== 'payment') return;",
    replace: '',
    tests: dividendTests,
    title: 'payments pay nothing then',
    meaning: 'With dividends on spending a payment pays one too.',
  },
  {
    name: 'parts-of-a-refund-reverse-everything',
    file: payments,
    find: 'const amount = left - kept;',
    replace: 'const amount = left;',
    tests: dividendTests,
    title: 'parts and the rest',
    meaning: 'A refund of a part takes the whole dividend.',
  },
  {
    name: 'each-refund-counts-from-the-whole',
    file: payments,
    find: 'const amount = left - kept;',
    replace: 'const amount = earned.amount - kept;',
    tests: dividendTests,
    title: 'parts and the rest',
    meaning: 'A second refund takes back what the first one took.',
  },
  {
    name: 'slice-is-counted-by-every-node',
    file: spend,
    find: ".where('through_id', '=', from)",
    replace: '',
    tests: dividendTests,
    title: 'in any number of runs|on two nodes',
    meaning: 'Two runs at once count the same charges twice.',
  },
  {
    name: 'rest-of-a-sum-is-dropped',
    file: spend,
    find: "pending: column('pending', '-', base)",
    replace: 'pending: 0',
    tests: dividendTests,
    title: 'to the unit, in any number of runs',
    meaning: 'Small charges earn less than the rate.',
  },
  {
    name: 'decided-twice',
    file: withdrawals,
    find: "    .where('status', 'in', from)\n",
    replace: '',
    tests: withdrawalTests,
    title: 'in parallel|approved and paid follow',
    meaning: 'A withdrawal is paid and refused.',
  },
  {
    name: 'refusal-keeps-the-money',
    file: withdrawals,
    find: "if (to === 'refused') await move(parts, transaction, withdrawal, username, 'back');",
    replace: '',
    tests: withdrawalTests,
    title: 'a refusal gives the amount back',
    meaning: 'The amount of a refused withdrawal is lost.',
  },
  {
    name: 'minimum-is-ignored',
    file: withdrawals,
    find: 'if (quota < minimum)',
    replace: 'if (quota < 1)',
    tests: withdrawalTests,
    title: 'amounts that are none',
    meaning: 'Withdrawals below the minimum are accepted.',
  },
];
