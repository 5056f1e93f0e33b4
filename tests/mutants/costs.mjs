// What a call costs the operator, and the sums of margins.
const snapshot = 'server/costs/snapshot.ts';
const margins = 'server/billing/engine/margins.ts';
const late = 'server/billing/engine/late.ts';
const recover = 'server/billing/engine/recover.ts';
const fees = 'server/features/margins/plan-fees.ts';
const report = 'server/features/margins/report.ts';
const view = 'server/features/logs/view.ts';
const exportFile = 'server/features/logs/export.ts';
const costTests = ['server/costs/costs.test.ts'];
const recordTests = ['tests/integration/money/settlement-record.test.ts'];
const marginTests = ['tests/integration/money/margins.test.ts'];
const sumSpans = 'server/features/margins/sum-spans.ts';
const sumTests = ['tests/integration/money/margin-sums.test.ts'];
const book = 'server/costs/cost-book.ts';

export const costs = [
  {
    name: 'recharge-rate-is-ignored',
    file: snapshot,
    find: 'product(buyPrice.multiplier, buyPrice.recharge_rate)',
    replace: 'buyPrice.multiplier',
    tests: costTests,
    title: 'a multiple of the list price',
    meaning: 'What the supplier’s credit really costs is not in the cost.',
  },
  {
    name: 'cost-ignores-quota-per-dollar',
    file: snapshot,
    find: 'return inDollars(snapshot);',
    replace: 'return snapshot;',
    tests: costTests,
    title: 'whatever a dollar is in quota',
    meaning: 'Costs are wrong where a dollar is not 500,000 units.',
  },
  {
    name: 'unknown-cost-counts-as-free',
    file: margins,
    find: 'costedQuota: isKnown ? charged : 0,',
    replace: 'costedQuota: charged,',
    tests: marginTests,
    title: 'margins by every noun',
    meaning: 'Calls of unknown cost make the margin look better.',
  },
  {
    name: 'late-settlement-keeps-the-old-cost',
    file: late,
    find: 'rows.countMargin(marginTakenBack(logged, userId, at));',
    replace: '',
    tests: recordTests,
    title: 'M4 M5 sent, no checkpoint',
    meaning: 'A call that recovery charged counts twice in the margins.',
  },
  {
    name: 'recovered-cost-is-lost',
    file: recover,
    find: 'cost: progress.cost ?? null,',
    replace: 'cost: null,',
    tests: recordTests,
    title: 'a recovered call costs',
    meaning: 'The cost of a call that a crash interrupted is unknown although it was noted.',
  },
  {
    name: 'fee-of-a-month-is-not-whole',
    file: fees,
    find: 'return Number(until(number) - until(number - 1));',
    replace: 'return Number(until(1));',
    tests: ['server/features/margins/plan-fees.test.ts'],
    title: 'the parts of all days',
    meaning: 'The days of a month do not add up to its fee.',
  },
  {
    name: 'fees-are-left-out-of-the-margin',
    file: report,
    find: 'margin: known_revenue - cost - fees,',
    replace: 'margin: known_revenue - cost,',
    tests: marginTests,
    title: 'a plan costs its fee by day',
    meaning: 'A channel with a monthly fee looks profitable.',
  },
  {
    name: 'late-charge-keeps-the-sum',
    file: 'server/billing/engine/memory.ts',
    find: 'if (day + DAY_SECONDS <= this.now) this.pastDays.add(day);',
    replace: '',
    tests: sumTests,
    title: 'a late charge takes them back',
    meaning: 'A charge that is settled late is missing in the margins of its day.',
  },
  {
    name: 'correction-keeps-the-sum',
    file: 'server/billing/corrections/margins.ts',
    find: '.doUpdateSet({ is_summed: 0, changes: sql`margin_summed.changes + 1` }),',
    replace: '.doUpdateSet({ changes: sql`margin_summed.changes` }),',
    tests: sumTests,
    title: 'a correction takes the sum of its day back',
    meaning: 'A corrected price is missing in the margins of its day.',
  },
  {
    name: 'changed-day-counts-as-summed',
    file: sumSpans,
    find: "    .where('changes', '=', claim)\n",
    replace: '',
    tests: sumTests,
    title: 'between the reading of a day and its end',
    meaning: 'A charge that comes while its day is summed is lost in the margins.',
  },
  {
    name: 'overtaken-run-writes-old-sums',
    file: sumSpans,
    find: ' and changes = ${claim} and is_summed = 0',
    replace: '',
    tests: sumTests,
    title: 'a run that was overtaken',
    meaning: 'A run of the job that was stopped for long replaces newer sums.',
  },
  {
    name: 'users-see-the-cost',
    file: view,
    find: '...(forAdmin ? { cost: row.cost } : {}),',
    replace: 'cost: row.cost,',
    tests: marginTests,
    title: 'no user reads a cost',
    meaning: 'A user reads in the log what the operator pays.',
  },
  {
    name: 'users-export-the-cost',
    file: exportFile,
    find: "'channel_name', 'cost'])",
    replace: "'channel_name'])",
    tests: marginTests,
    title: 'no user reads a cost',
    meaning: 'The export of a user has a column of costs.',
  },
  {
    name: 'batch-cost-is-that-of-a-call',
    file: book,
    find: 'const known = isBatch ? channel.batchSnapshots : channel.snapshots;',
    replace: 'const known = channel.snapshots;',
    tests: costTests,
    title: 'a batch costs its part',
    meaning: 'Whichever comes first decides the cost of batches and calls of a model.',
  },
  {
    name: 'batch-ratio-of-the-supplier-is-ignored',
    file: book,
    find: 'batchRatio: buyPrice.batch_ratio',
    replace: 'batchRatio: 1',
    tests: costTests,
    title: 'a batch costs its part',
    meaning: 'A batch costs the operator as much as its calls one by one.',
  },
  {
    name: 'cost-of-the-first-upstream-model',
    file: book,
    find: 'const key = upstreamModel === model ? model : `${upstreamModel}\\n${model}`;',
    replace: 'const key = model;',
    tests: costTests,
    title: 'two upstream models',
    meaning: 'A channel that maps one name to two models has the cost of the first.',
  },
  {
    name: 'cost-in-old-units',
    file: book,
    find: '      for (const each of prices.values()) forget(each);\n',
    replace: '',
    tests: costTests,
    title: 'another number of units',
    meaning: 'After a change of QuotaPerUnit costs stay in the old units until a channel changes.',
  },
];
