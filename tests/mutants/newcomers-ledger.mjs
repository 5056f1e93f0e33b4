// Faults that nobody had thought of before a newcomer read the ledger and the relay: those that no test noticed, and their neighbours.
const sessionHold = 'server/relay/realtime/session-hold.ts';
const sessionHoldTests = ['server/relay/realtime/session-hold.test.ts'];

export const newcomersLedger = [
  {
    name: 'realtime-refusal-is-forgotten',
    file: sessionHold,
    find: "if (before !== 'covered') return [before, false];",
    replace: "if (before !== 'covered') return ['covered', false];",
    tests: sessionHoldTests,
    title: 'gets no larger one',
    meaning: 'A response that begins by itself makes a session go on whose hold was refused before.',
  },
  {
    name: 'realtime-away-ledger-is-forgotten',
    file: sessionHold,
    find: "return [found === 'unavailable' ? found : 'covered', found === 0];",
    replace: "return ['covered', found === 0];",
    tests: sessionHoldTests,
    title: 'gets no larger one',
    meaning: 'A session goes on although the ledger could not be asked for a larger hold.',
  },
  {
    name: 'realtime-unpaid-limit-ends-the-session',
    file: sessionHold,
    find: "return [found === 'unavailable' ? found : 'covered', found === 0];",
    replace: "return [typeof found === 'string' ? found : 'covered', found === 0];",
    tests: sessionHoldTests,
    title: 'held whole',
    meaning:
      'A session ends although the balance pays for what is delivered, because it does not pay for the longest answer.',
  },
  {
    name: 'realtime-response-after-a-refusal',
    file: sessionHold,
    find: "before === 'covered' ? this.#firstPaid(choices, usageWith) : before,",
    replace: "before === 'unavailable' ? before : this.#firstPaid(choices, usageWith),",
    tests: sessionHoldTests,
    title: 'gets no larger one',
    meaning: 'A session whose hold was refused takes another one for the next response, and does not end.',
  },
  {
    name: 'realtime-least-answer-is-not-tried',
    file: sessionHold,
    find: '  if (limitTokens > leastTokens) choices.push(leastTokens);\n',
    replace: '',
    tests: sessionHoldTests,
    title: '128 tokens at least',
    meaning: 'A session ends although the balance pays for a short answer.',
  },
  {
    name: 'realtime-limit-is-lowered-unasked',
    file: sessionHold,
    find: 'const choices = mayBeLess ? halvesOf(limitTokens) : [limitTokens];',
    replace: 'const choices = mayBeLess || !mayBeLess ? halvesOf(limitTokens) : [limitTokens];',
    tests: sessionHoldTests,
    title: '128 tokens at least',
    meaning: 'Answers are cut to the balance although the operator has switched that off.',
  },
];
