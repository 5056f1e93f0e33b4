// Conditions of prices from outside lists, of recomputed calls and of buy prices that only a certain price or row decides (M21).
const options = 'server/money/price-book/listed-options.ts';
const recompute = 'server/money/price-book/recompute.ts';
const book = 'server/money/costs/cost-book.ts';
const snapshot = 'server/money/costs/snapshot.ts';

const fault = (file, tests, [name, find, replace, title, meaning]) => ({
  name,
  file,
  find,
  replace,
  tests: [tests],
  title,
  meaning,
});

const ofOptions = [
  [
    'list-second-as-call',
    "perSecond === undefined ? 'call' : 'second'",
    "'call'",
    'fixed price in its unit',
    'A second of video is sold at the price of a whole call.',
  ],
  [
    'list-call-before-second',
    'const fixed = perSecond ?? perCall;',
    'const fixed = perCall ?? perSecond;',
    'fixed price in its unit',
    'The price of a call is taken for that of a second.',
  ],
  [
    'list-paid-answer-of-free-prompt',
    'if (input === undefined || (input === 0 && isPaid(listed))) return undefined;',
    'if (input === undefined) return undefined;',
    'cannot be said',
    'A model with a free prompt is sold for nothing.',
  ],
  [
    'list-free-model-is-refused',
    '(input === 0 && isPaid(listed))',
    'input === 0',
    'cannot be said',
    'A free model of a list is never proposed.',
  ],
  [
    'list-number-as-name-is-paid',
    "typeof value === 'number' && value > 0",
    'value > 0',
    'cannot be said',
    'A free model with a number as its name is not proposed.',
  ],
  [
    'list-keeps-fixed-price',
    '  next.ModelPrice = without(prices.ModelPrice, model);\n',
    '',
    'replace a fixed price',
    'The fixed price wins, and the accepted price by tokens is never charged.',
  ],
  [
    'list-hour-as-five-minutes',
    'CreateCache1hRatio: ofInput(listed.cacheWrite1h)',
    'CreateCache1hRatio: ofInput(listed.cacheWrite5m)',
    'its own ratio',
    'Cache writes of an hour are sold at the price of five minutes.',
  ],
  [
    'list-forgets-old-ratios',
    '    if (ratio !== undefined) {\n',
    '    {\n',
    'its own ratio',
    'A class that a list does not name loses the operator’s price.',
  ],
  [
    'list-spoken-answer-times-ratio',
    'partOf(ofInput(listed.audioOut), audioRatio)',
    'ofInput(listed.audioOut)',
    'no price of spoken prompts',
    'Spoken answers cost their price times the ratio of spoken prompts.',
  ],
  [
    'list-spoken-answer-without-built-in',
    'AudioRatio[model] ?? partOf(audioIn, input) ?? 1',
    'AudioRatio[model] ?? 1',
    'no price of spoken prompts',
    'Spoken answers of a built-in model cost many times their listed price.',
  ],
  [
    'list-forgets-classes',
    '{ ...rule?.classes, ...classes }',
    '{ ...classes }',
    'rules change',
    'A list with a price of batches deletes the operator’s price of flex calls.',
  ],
  [
    'list-forgets-search',
    '...(search === undefined ? {} : { search })',
    '...{}',
    'rules change',
    'The price of a search in a list is never charged.',
  ],
  [
    'list-tier-of-unknown-class',
    '.filter(([, value]) => value !== undefined)',
    '',
    'rules change',
    'A tier has a class without a factor, and its draft cannot be saved.',
  ],
];

const ofRows = [
  [
    'row-without-usage-is-free',
    "typeof value === 'object' && value !== null && !Array.isArray(value)",
    "typeof value === 'object' && value !== null",
    'members that no call writes',
    'A row without usage is corrected to a charge of nothing.',
  ],
  [
    'row-with-part-of-a-token',
    "typeof value === 'number' && Number.isSafeInteger(value) && value > 0",
    "typeof value === 'number' && value > 0",
    'members that no call writes',
    'A row that another program wrote is charged by numbers that no call has.',
  ],
  [
    'row-with-negative-pieces',
    'Number.isFinite(value) && value >= 0',
    'Number.isFinite(value)',
    'members that no call writes',
    'A correction pays a user for pictures.',
  ],
  [
    'row-of-no-pieces',
    'Number.isFinite(value) && value >= 0',
    'Number.isFinite(value) && value > 0',
    'members that no call writes',
    'A call that made no picture is corrected to the price of one.',
  ],
  [
    'row-loses-fees',
    "dollarsEach: positive(each['dollarsEach']) ?? 0",
    'dollarsEach: 0',
    'fees that the call paid',
    'A correction gives back what tools cost.',
  ],
  [
    'row-with-strange-fee-stops-run',
    'value.filter(isObject).map(',
    'value.map(',
    'what it would have cost|fees that the call paid',
    'One row that another program wrote stops the whole run.',
  ],
  [
    'suffix-has-no-own-price',
    'const bare = isKnown ? undefined : readSuffix(model)?.model;',
    'const bare = readSuffix(model)?.model;',
    'its own price if it has one',
    'Calls under a name with its own price are corrected to the price of another.',
  ],
  [
    'suffix-at-unknown-price',
    "typeof price === 'object' && price.source !== 'unknown'",
    "typeof price === 'object'",
    'its own price if it has one',
    'Where nothing is sold, a suffix makes a call many times dearer.',
  ],
  [
    'session-has-long-prompts',
    "isSum: other['ws'] === true,",
    'isSum: false,',
    'a batch is a sum',
    'The prompts of a session are charged as one long prompt.',
  ],
  [
    'class-of-any-word',
    "value === 'flex' || value === 'priority' ? value : undefined",
    'value',
    'a batch is a sum',
    'A call that was no batch is corrected to the price of one.',
  ],
];

const ofBook = [
  [
    'supplier-of-another-channel',
    'supplierOf.get(channel.supplier_id)',
    'supplierOf.get(channel.id)',
    'that of its supplier',
    'Costs of channels come from another supplier, or are unknown.',
  ],
  [
    'unknown-batch-is-a-fault',
    'usual !== null && isBatch ?',
    'isBatch ?',
    'that of its supplier',
    'Each batch of a model without a buy price is logged as a fault.',
  ],
  [
    'channel-without-price-is-a-fault',
    '    if (buyPrice === undefined) continue;\n',
    '',
    'that of its supplier',
    'Each call of a channel without a buy price is logged as a fault.',
  ],
  [
    'buy-prices-are-never-read-again',
    '    await reload().catch(',
    '    await Promise.resolve().catch(',
    'from their announcement on',
    'A changed buy price counts from the next start on.',
  ],
  [
    'buy-prices-without-version',
    '    version += 1;\n',
    '',
    'from their announcement on',
    'Channels stay in the order of their old costs.',
  ],
  [
    'usual-call-of-one',
    'cost === null ? null : cost / USUAL_CALLS',
    'cost',
    'a usual call has',
    'The console shows the cost of a thousand calls as that of one.',
  ],
];

const ofSnapshot = [
  [
    'free-list-covers-every-model',
    "if (buyPrice.kind === 'plan' && ratio === 0) {",
    'if (ratio === 0) {',
    'of a plan is nothing',
    'A model that a supplier does not list is thought to cost nothing.',
  ],
];

export const listPrices = [
  ...ofOptions.map((each) => fault(options, 'server/money/price-book/listed-options.test.ts', each)),
  ...ofRows.map((each) => fault(recompute, 'server/money/price-book/recompute.test.ts', each)),
  ...ofBook.map((each) => fault(book, 'server/money/costs/costs.test.ts', each)),
  ...ofSnapshot.map((each) => fault(snapshot, 'server/money/costs/costs.test.ts', each)),
];
