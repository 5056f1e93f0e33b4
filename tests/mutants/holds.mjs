// Faults in what a call holds: an answer would cost more than was set aside for it.
const exposure = 'server/relay/money/exposure.ts';
const cover = 'server/relay/money/stream-cover.ts';
const reserve = 'server/billing/engine/reserve.ts';
const tests = ['tests/integration/money/answer-cost.test.ts'];

export const holds = [
  {
    name: 'whole-answer-holds-a-slice',
    file: 'server/relay/money/admission.ts',
    find: 'exposure.costOf(isStream ? slice : outputTokens)',
    replace: 'exposure.costOf(slice)',
    tests,
    title: 'sqlite whole answers of /v1/chat',
    meaning: 'A small balance buys answers of many times its worth.',
  },
  {
    name: 'limit-is-not-lowered',
    file: 'server/relay/money/admission.ts',
    find: '  prepared.lowerOutputLimit?.(record.outputLimit);\n',
    replace: '',
    tests,
    title: 'sqlite the limit sent upstream',
    meaning: 'The upstream is asked for more than was held.',
  },
  {
    name: 'limit-pays-a-token-more',
    file: exposure,
    find: 'if (this.costOf(middle) <= amount) low = middle;',
    replace: 'if (this.costOf(middle - 1) <= amount) low = middle;',
    tests: ['server/relay/money/exposure.test.ts'],
    title: 'pays for',
    meaning: 'A lowered answer costs a token more than its hold.',
  },
  {
    name: 'silence-grows-no-hold',
    file: cover,
    find: 'if (isHidden) this.#hiddenMilliseconds += passed;',
    replace: '',
    tests,
    title: 'sqlite the hold of a silent stream',
    meaning: 'Hidden reasoning is not held, and a small balance thinks for nothing.',
  },
  {
    name: 'hidden-work-is-free',
    file: cover,
    find: 'if (!this.#exposure.mayHideOutput) return 0;',
    replace: 'return 0;',
    tests: ['server/relay/money/stream-cover.test.ts'],
    title: 'ends without a report',
    meaning: 'A call that is ended while it thinks pays for its prompt only.',
  },
  {
    name: 'cache-writes-held-as-input',
    file: exposure,
    find: "return cacheWriteRatio > 1 ? 'cacheWrite5m' : 'input';",
    replace: "return 'input';",
    tests: ['server/relay/money/exposure.test.ts'],
    title: 'written into a cache',
    meaning: 'A prompt that is written into a cache costs a quarter more than its hold.',
  },
  {
    name: 'smaller-hold-ignores-token',
    file: reserve,
    find: 'token === undefined ? Number.POSITIVE_INFINITY : tokenLeft(token, memoryHeld),',
    replace: 'Number.POSITIVE_INFINITY,',
    tests,
    title: 'sqlite a token and a budget lower',
    meaning: 'A call holds more than its token has.',
  },
  {
    name: 'smaller-hold-ignores-budget',
    file: reserve,
    find: "tokenLimited ? leftOfBudgets(rows, 'token', token) : Number.POSITIVE_INFINITY,",
    replace: 'Number.POSITIVE_INFINITY,',
    tests,
    title: 'sqlite a token and a budget lower',
    meaning: 'A call holds more than its budget has left.',
  },
];
