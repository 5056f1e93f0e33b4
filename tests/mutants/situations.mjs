// Faults that show in a certain situation only: a policy, a second call, another platform, an order of two steps (M21).
export const situations = [
  {
    name: 'unsent-hold-kept-for-review',
    file: 'server/money/ledger/engine/recover.ts',
    find: "if (hold.dispatched && policy === 'review') {",
    replace: "if (policy === 'review') {",
    tests: ['tests/integration/money/ledger/recovery.test.ts'],
    title: 'released under every policy',
    meaning:
      "Holds of calls that were never sent upstream (and slices of dead nodes) are kept for a person to decide instead of being released: the user's money stays held without an end.",
  },
  {
    name: 'released-plan-call-frees-balance',
    file: 'server/money/ledger/sqlite/calls.ts',
    find: 'if (isReleased === true && call.plans === undefined) slices.answered(call, sent, call.amount);',
    replace: 'if (isReleased === true) slices.answered(call, sent, call.amount);',
    tests: ['tests/integration/money/plans/split.test.ts'],
    title: 'nothing that the subscription held',
    meaning:
      'The known free balance of the user grows by an amount that a subscription had held: later calls without a plan are admitted above the balance.',
  },
  {
    name: 'spooled-answer-before-line',
    file: 'server/money/ledger/postgres/submissions.ts',
    find: "      await outage.keep(operation);\n      return resolve(operation.kind === 'settle' ? spooledResult(operation.charge) : true);",
    replace:
      "      resolve(operation.kind === 'settle' ? spooledResult(operation.charge) : true);\n      return await outage.keep(operation);",
    tests: ['tests/integration/money/ledger/spool-kills.test.ts'],
    title: 'append before write',
    meaning:
      'A settlement is answered as done before its line is durable: if the disk does not take the line, or the process dies, the charge is lost and nobody was told.',
  },
  {
    name: 'waits-for-what-is-frozen',
    file: 'server/money/payments/dispute-books.ts',
    find: 'waiting_quota: Math.min(quota - frozen, held)',
    replace: 'waiting_quota: Math.min(quota, held)',
    tests: ['tests/integration/money/payments/disputes.test.ts'],
    title: 'no more is frozen than',
    meaning:
      "More than the order's quota is frozen: other money of the user is taken when running calls end.",
  },
  {
    name: 'session-in-tiers',
    file: 'server/relay/realtime/open-session.ts',
    find: 'const began = { at: Date.now(), isSum: true };',
    replace: 'const began = { at: Date.now() };',
    tests: ['tests/integration/relay/calls/realtime-money.test.ts'],
    title: 'their sum is in no tier',
    meaning:
      'All of a session is charged at the price of a long prompt, because the prompts of its responses are added up.',
  },
  {
    name: 'released-before-the-release',
    file: 'server/relay/tasks/money.ts',
    find: "    await release(core, task);\n    await rows.noteMoney(id, { money: 'released', quota: task.quota });",
    replace:
      "    await rows.noteMoney(id, { money: 'released', quota: task.quota });\n    await release(core, task);",
    tests: ['tests/integration/relay/drawing/money.test.ts'],
    title: 'is marked only then',
    meaning:
      "The row says that the hold is released before it is: if the release fails, nobody repeats it, and the user's money is held for a week.",
  },
  {
    name: 'cost-by-callers-name',
    file: 'server/money/costs/cost-book.ts',
    find: 'costSnapshot(buyPrice, [upstreamModel, model], builtInPrice, quotaPerUnit)',
    replace: 'costSnapshot(buyPrice, [model, upstreamModel], builtInPrice, quotaPerUnit)',
    tests: ['server/money/costs/costs.test.ts'],
    title: 'the supplier was sent is sold for',
    meaning:
      "The cost of a call is that of the caller's model, not of the model the supplier was sent: margins are wrong.",
  },
  {
    name: 'tall-video-by-its-height',
    file: 'server/relay/tasks/video/mapping.ts',
    find: '({ width, height }: Size): string => `${Math.min(width, height)}p`;',
    replace: '({ height }: Size): string => `${height}p`;',
    tests: ['server/relay/tasks/video/plans.test.ts'],
    title: 'an upright video costs',
    meaning: 'An upright video is held and charged at the price of a higher resolution (720x1280 as 1280p).',
  },
  {
    name: 'batch-holds-one-piece',
    file: 'server/relay/tasks/batches/requests.ts',
    find: 'export const estimateOf = ({ promptTokens, outputTokens, requests }: BatchInput): Usage =>\n  usageOf({ input: promptTokens, output: outputTokens, pieces: requests });',
    replace:
      'export const estimateOf = ({ promptTokens, outputTokens }: BatchInput): Usage =>\n  usageOf({ input: promptTokens, output: outputTokens });',
    tests: ['tests/integration/relay/batches/charges.test.ts'],
    title: 'a balance for fewer is refused',
    meaning:
      'The hold of a batch of a model with a fixed price is for one request; the charge is for all of them, and what the balance cannot pay is lost.',
  },
  {
    name: 'charged-for-dearest-plan',
    file: 'server/relay/tasks/video/submit.ts',
    find: 'factsText({ ...facts, ...plan, mostSeconds })',
    replace: 'factsText({ ...facts, mostSeconds })',
    tests: ['tests/integration/relay/video/platforms.test.ts'],
    title: 'the plan of the platform that made it',
    meaning:
      'A video is charged by the length and resolution of the dearest channel that might have made it, not of the one that did.',
  },
  {
    name: 'committed-audio-counted-again',
    file: 'server/relay/realtime/conversation.ts',
    find: '    this.#committing += this.#audioTokens(this.#appended);\n    this.#appended = 0;\n',
    replace: '    this.#committing += this.#audioTokens(this.#appended);\n',
    tests: ['server/relay/realtime/meter.test.ts'],
    title: 'each turn that the caller ends',
    meaning:
      'The second turn counts the audio of the first one again: held, and charged where the upstream reports no usage.',
  },
  {
    name: 'settled-plan-call-frees-balance',
    file: 'server/money/ledger/sqlite/calls.ts',
    find: 'if (result?.hadHold === true && call.plans === undefined)',
    replace: 'if (result?.hadHold === true)',
    tests: ['tests/integration/money/plans/split.test.ts'],
    title: 'nothing that the subscription held',
    meaning:
      'What a subscription had held beyond its charge counts as free balance: later calls are admitted above the balance.',
  },
  {
    name: 'rule-remembered-for-an-hour',
    file: 'server/money/prices/price-rules.ts',
    find: 'const minute = Math.floor(moment.at / MINUTE_MILLISECONDS);',
    replace: 'const minute = Math.floor(moment.at / (60 * MINUTE_MILLISECONDS));',
    tests: ['server/money/prices/price-rules.test.ts'],
    title: 'change the price with their minute',
    meaning: 'A price is remembered until the next full hour: a rule from 08:30 begins at 09:00.',
  },
  {
    name: 'imported-period-past-end',
    file: 'server/money/ledger/imported-subscriptions.ts',
    find: 'periodEndsAt: Math.min(endsAt, periodStart(schedule, period + 1)),',
    replace: 'periodEndsAt: periodStart(schedule, period + 1),',
    tests: ['server/money/ledger/imported-subscriptions.test.ts'],
    title: 'longer than the subscription ends with it',
    meaning: 'The last period of an imported subscription runs past its end.',
  },
  {
    name: 'imported-reset-of-now-missed',
    file: 'server/money/ledger/imported-subscriptions.ts',
    find: 'isFull: reset.nextAt <= now,',
    replace: 'isFull: reset.nextAt < now,',
    tests: ['server/money/ledger/imported-subscriptions.test.ts'],
    title: 'due in the second of the import',
    meaning:
      'A reset that is due in the second of the import gives the rest of the old period, not the full quota.',
  },
  {
    name: 'promotion-in-its-last-second',
    file: 'server/money/payments/quote.ts',
    find: 'found.until <= now',
    replace: 'found.until < now',
    tests: ['server/money/payments/quote.test.ts'],
    title: 'until the second before its end',
    meaning: 'A promotion is given in the second in which it has ended.',
  },
  {
    name: 'owed-of-first-refund-taken-again',
    file: 'server/money/resellers/payments.ts',
    find: '.reduce((sum, { amount, owed }) => sum + amount - owed, 0),',
    replace: '.reduce((sum, { amount }) => sum + amount, 0),',
    tests: ['tests/integration/money/resellers/withdrawals.test.ts'],
    title: 'not the first half twice',
    meaning: 'What an agent owes of a first refund is taken a second time with the next refund of the order.',
  },
  {
    name: 'refused-withdrawal-pays-no-debt',
    file: 'server/money/resellers/withdrawals.ts',
    find: '  if (!isOut)\n    await takeOwed(',
    replace: '  if (!isOut && quota > result.dividendQuota)\n    await takeOwed(',
    tests: ['tests/integration/money/resellers/withdrawals.test.ts'],
    title: 'money that comes back pays what is owed first',
    meaning: 'A refused withdrawal comes back to the agent without paying what the agent owes.',
  },
  {
    name: 'late-roll-grants-after-end',
    file: 'server/money/ledger/engine/subscriptions.ts',
    find: 'if (next >= subscription.periods || rows.now >= subscription.endsAt) {',
    replace: 'if (next >= subscription.periods) {',
    tests: ['tests/integration/money/plans/split.test.ts'],
    title: 'ended by a roll that is late',
    meaning:
      'A subscription that ends inside a period is granted another one after its end when nothing was rolled for longer than a period.',
  },
  {
    name: 'hour-after-range-missed',
    file: 'server/money/rerating/rating.ts',
    find: "    .where('hour', '>=', from)\n    .where('hour', '<', to);",
    replace: "    .where('hour', '>=', from)\n    .where('hour', '<=', to);",
    tests: ['tests/integration/money/rerating/bounds.test.ts'],
    title: 'hours before and after its range',
    meaning: 'The calls of the hour that begins with the end of a range are reported as missing from it.',
  },
  {
    name: 'deleted-payer-claimed-part-refunded',
    file: 'server/money/payments/deleted-payer.ts',
    find: 'const amountMinor = minorLeft(order);',
    replace: 'const amountMinor = order.amount_minor;',
    tests: ['tests/integration/money/payments/deleted-payer.test.ts'],
    title: 'a bank claims a part of',
    meaning:
      'The payment of a deleted account that a bank has claimed before is refunded whole: the refund is refused, and the payment is never booked.',
  },
];
