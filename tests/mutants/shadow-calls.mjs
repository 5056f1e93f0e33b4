// Shadow calls: who is copied, what a copy may cost, and what it may use.
const calls = ['tests/integration/relay/calls/shadow-calls.test.ts'];
const limits = ['tests/integration/relay/calls/shadow-limits.test.ts'];

export const shadowCalls = [
  {
    name: 'shadow-without-consent',
    file: 'server/relay/shadow-calls/samples.ts',
    find: "consent === 'refused' || (consent === 'unsaid' && !isForEveryone)",
    replace: "consent === 'refused'",
    tests: calls,
    title: 'sqlite only those who allow it',
    meaning: 'Calls of users who said nothing are copied.',
  },
  {
    name: 'shadow-of-refusing-user-kept',
    file: 'server/relay/shadow-calls/samples.ts',
    find: 'if (shadow === undefined || !(await rules.isAllowed(transaction))) return false;',
    replace: 'if (shadow === undefined) return false;',
    tests: calls,
    title: 'sqlite a user who is deleted or refuses',
    meaning: 'A copy that runs when its user refuses is kept.',
  },
  {
    name: 'shadow-of-do-not-store',
    file: 'server/relay/shadow-calls/fit.ts',
    find: "fields['store'] === false || ",
    replace: '',
    tests: calls,
    title: 'sqlite every format is copied',
    meaning: 'A call that says store: false is copied.',
  },
  {
    name: 'shadow-day-without-limit',
    file: 'server/relay/shadow-calls/spending.ts',
    find: "        .where('shadow_days.spent', '<=', limit - amount),\n",
    replace: '',
    tests: limits,
    title: 'sqlite all nodes together',
    meaning: 'Copies cost more than the day allows.',
  },
  {
    name: 'shadow-takes-the-last-place',
    file: 'server/relay/shadow-calls/make.ts',
    find: 'maxConcurrency === 0 ? 0 : maxConcurrency - 1',
    replace: 'maxConcurrency',
    tests: limits,
    title: 'sqlite a copy takes no last place',
    meaning: 'A copy takes the last place of a channel.',
  },
  {
    name: 'shadow-on-a-busy-node',
    file: 'server/relay/shadow-calls/copies.ts',
    find: 'this.#isClosed || isDraining || gate.left < GATE_REFUSES_BELOW',
    replace: 'this.#isClosed || isDraining',
    tests: limits,
    title: 'sqlite a busy node',
    meaning: 'A node that refuses callers makes copies.',
  },
  {
    name: 'shadow-cost-stays-as-expected',
    file: 'server/relay/shadow-calls/spending.ts',
    find: '      const difference = (actual?.spent ?? 0) - most;',
    replace: '      const difference = 0 * ((actual?.spent ?? 0) - most);',
    tests: calls,
    title: 'sqlite a whole call is copied',
    meaning: 'What was booked for the longest answer stays used in the limit of the day.',
  },
];
