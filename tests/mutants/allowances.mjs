// What a node sets aside of a balance: nothing is promised twice, and nothing stays set aside.
const engine = 'server/billing/engine/allowance.ts';
const memory = 'server/billing/postgres/allowances.ts';
const calls = 'server/billing/postgres/covered-calls.ts';
const memoryTests = ['server/billing/postgres/allowances.test.ts'];
const tests = ['tests/integration/money/allowances.test.ts'];

export const allowances = [
  {
    name: 'allowance-promised-twice',
    file: memory,
    find: 'if (allowance.size - allowance.inUse < amount || isOld(allowance, now)) return undefined;',
    replace: 'if (allowance.size < amount || isOld(allowance, now)) return undefined;',
    tests: memoryTests,
    meaning: 'Two calls are admitted from the same amount.',
  },
  {
    name: 'allowance-pays-for-others',
    file: engine,
    find: 'Math.min(lacking, cover.amount)',
    replace: 'lacking',
    tests,
    title: 'pays no more of a call than its part',
    meaning: 'A call that used too much takes what was promised to another one.',
  },
  {
    name: 'allowance-of-scarce-balance',
    file: engine,
    find: '  if (!isAmple(beside, amount, ampleToKeep)) return 0;\n',
    replace: '',
    tests,
    title: 'is not made for a scarce balance',
    meaning: 'The last of a balance is set aside on one node, and the others refuse calls.',
  },
  {
    name: 'allowance-outlives-change',
    file: engine,
    find: '  if (!isFree(user, token, allowance.expiresAt)) return false;\n',
    replace: '',
    tests,
    title: 'also without an announcement',
    meaning: 'A disabled user spends for another minute.',
  },
  {
    name: 'allowance-ignores-announcements',
    file: calls,
    find: '(detail) => allowances.end({ userId: idOf(detail) })',
    replace: '() => {}',
    tests,
    title: 'ends on every node',
    meaning: 'A user who was disabled on another node is still admitted.',
  },
  {
    name: 'spool-forgets-allowance',
    file: calls,
    find: 'isHoldInMemory, cover, keep: growth?.keep });',
    replace: 'isHoldInMemory, cover: undefined, keep: growth?.keep });',
    tests,
    title: 'its part pays when nothing else is free',
    meaning: 'A call is booked as a loss although its amount was set aside.',
  },
  {
    name: 'allowance-given-back-in-use',
    file: memory,
    find: '        if (allowance.inUse > 0 || allowance.changing > 0) continue;\n',
    replace: '',
    tests: memoryTests,
    meaning: 'What covers a running call is free for others.',
  },
];
