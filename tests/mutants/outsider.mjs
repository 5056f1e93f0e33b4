// Faults that an outsider planted over all of the money without having read its tests, and that no test noticed.
export const outsider = [
  {
    name: 'late-settlement-takes-cost-for-revenue',
    file: 'server/money/ledger/engine/margins.ts',
    find: 'costedQuota: isKnown ? -quota : 0,',
    replace: 'costedQuota: isKnown ? -cost : 0,',
    tests: ['tests/integration/money/ledger/settlement-record.test.ts'],
    title: 'a checkpoint above the charge',
    meaning: 'The revenue of known cost keeps a part of what recovery charged under another channel.',
  },
  {
    name: 'token-promises-what-rows-hold',
    file: 'server/money/ledger/sqlite/procedures.ts',
    find: 'ofToken: token.isUnlimited ? null : token.remain - token.held,',
    replace: 'ofToken: token.isUnlimited ? null : token.remain,',
    tests: ['tests/integration/money/ledger/memory-balance.test.ts'],
    title: 'leaves of a limited token',
    meaning:
      'Calls at once spend more than the limit of their token: what is held in the tables is promised again.',
  },
  {
    name: 'spooled-line-overwrites-the-one-before',
    file: 'server/money/ledger/spool-file.ts',
    find: 'return position + bytes.length;',
    replace: 'return position + text.length;',
    tests: ['server/money/ledger/spool.test.ts'],
    title: 'longer in bytes',
    meaning:
      'After a call with a Chinese name in its log row the next line cuts off its end: the call is never charged.',
  },
  {
    name: 'batch-has-the-time-of-its-node',
    file: 'server/money/ledger/postgres/known.ts',
    find: 'const nowMs = Date.now() + this.#clockAheadMs;',
    replace: 'const nowMs = Date.now();',
    tests: ['server/money/ledger/postgres/known.test.ts'],
    title: 'has the time of the database',
    meaning: 'A node whose clock is wrong ends periods and counts charges at the wrong time (PostgreSQL).',
  },
  {
    name: 'session-grows-ahead-by-text',
    file: 'server/relay/realtime/session-hold.ts',
    find: 'return dearestClass(this.#call.price, () => true);',
    replace: 'return dearestClass(this.#call.price, () => false);',
    tests: ['server/relay/realtime/session-hold.test.ts'],
    title: 'grows ahead by speech',
    meaning: 'A session that speaks asks for a larger hold many times as often.',
  },
  {
    name: 'counted-answer-uses-up-the-bounds',
    file: 'server/relay/tasks/batches/usage-sum.ts',
    find: 'const each = estimated ? NO_TOKENS : (this.#asked.bounds ?? widestBounds);',
    replace: 'const each = this.#asked.bounds ?? widestBounds;',
    tests: ['server/relay/tasks/batches/batches.test.ts'],
    title: 'counted here',
    meaning: 'Reported answers of a batch are cut by what an answer without a report was counted for.',
  },
  {
    name: 'rerate-not-stale-by-a-part-of-the-range',
    file: 'server/money/rerating/rating.ts',
    find: 'where from_at < ${run.to_at} and to_at > ${run.from_at})',
    replace: 'where from_at < ${run.to_at} and to_at >= ${run.to_at})',
    tests: ['tests/integration/money/rerating/neighbours.test.ts'],
    title: 'a part of the range',
    meaning:
      'A dry run is applied although another run has corrected a part of its range since, and was undone.',
  },
];
