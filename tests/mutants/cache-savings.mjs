// What caches of prompts saved, what losing attempts cost in the alerts, and what the price list says of virtual models.
const savings = ['tests/integration/money/ledger/cache-savings.test.ts'];
const margins = ['tests/integration/money/ledger/margins.test.ts'];
const prices = ['tests/integration/admin/site/pricing.test.ts'];
const kept = ['server/relay/channel-choice/why-kept.test.ts'];

export const cacheSavings = [
  {
    name: 'cache-saving-forgets-writes',
    file: 'server/money/prices/cache-saving.ts',
    find: 'const cached = usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;',
    replace: 'const cached = usage.cacheRead;',
    tests: savings,
    title: 'sqlite the sums',
    meaning: 'What was written to the cache is not counted as prompt, so the saving is too small.',
  },
  {
    name: 'cache-saving-unknown-is-nothing',
    file: 'server/money/prices/cache-saving.ts',
    find: 'cost: cost === null || uncachedCost === null ? null : uncachedCost - cost,',
    replace: 'cost: cost === null || uncachedCost === null ? 0 : uncachedCost - cost,',
    tests: savings,
    title: 'sqlite the sums',
    meaning: 'A call without a buy price counts as one that saved $0.',
  },
  {
    name: 'cache-saving-days-only',
    file: 'server/admin/margins/cache-savings.ts',
    find: '${within(HOUR_SECONDS, start, first)}',
    replace: '1 = 0',
    tests: savings,
    title: 'sqlite days of a zone',
    meaning: 'The first hours of a span are missing where midnight is not that of UTC.',
  },
  {
    name: 'alert-forgets-losers',
    file: 'server/admin/margins/recent.ts',
    find: '[...calls, ...hedges.rows, ...shadows.rows]',
    replace: '[...calls, ...shadows.rows]',
    tests: margins,
    title: 'sqlite what lost against another channel',
    meaning: 'A loss by second attempts notifies nobody.',
  },
  {
    name: 'prices-virtual-cheapest',
    file: 'server/admin/pricing/virtual.ts',
    find: 'costOfCall(right, 1, USUAL_CALL) - costOfCall(left, 1, USUAL_CALL)',
    replace: 'costOfCall(left, 1, USUAL_CALL) - costOfCall(right, 1, USUAL_CALL)',
    tests: prices,
    title: 'sqlite a virtual model',
    meaning: 'The price list says less than a call may cost.',
  },
  {
    name: 'prices-virtual-names-hidden',
    file: 'server/admin/pricing/virtual.ts',
    find: '.filter((model) => listed.has(model));',
    replace: ';',
    tests: prices,
    title: 'sqlite a virtual model',
    meaning: 'Models of other groups are named.',
  },
  {
    name: 'kept-pause-is-a-limit',
    file: 'server/relay/channel-choice/why-kept.ts',
    find: "if (!breaker.admits(id, 0, model)) return 'paused';",
    replace: '',
    tests: kept,
    title: 'each reason',
    meaning: 'A channel that cools down is called busy.',
  },
];
