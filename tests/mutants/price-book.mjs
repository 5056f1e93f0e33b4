// Prices of past calls, publication and preview of new ones.
const recompute = 'server/money/price-book/recompute.ts';
const recomputeTests = ['server/money/price-book/recompute.test.ts'];
const publish = 'server/money/price-book/publish.ts';
const impact = 'server/money/price-book/impact.ts';
const bookTests = ['tests/integration/money/prices/price-book.test.ts'];

export const priceBook = [
  {
    name: 'hour-by-the-end-of-the-call',
    file: recompute,
    find: "count(other['began_at']) || endedAt - Math.round(count(other['use_ms']) / 1000)",
    replace: 'endedAt',
    tests: recomputeTests,
    title: 'the hour of a price',
    meaning: 'A past call is rated by the hour in which it ended.',
  },
  {
    name: 'noted-beginning-is-ignored',
    file: recompute,
    find: "count(other['began_at']) || endedAt",
    replace: 'endedAt',
    tests: recomputeTests,
    title: 'the hour of a price',
    meaning: 'A call that waited before it was served is rated by a later hour.',
  },
  {
    name: 'past-video-at-the-usual-resolution',
    file: recompute,
    find: "    ...(typeof resolution === 'string' ? { resolution } : {}),\n",
    replace: '    resolution: typeof resolution,\n',
    tests: recomputeTests,
    title: 'price of the resolution',
    meaning: 'Videos in a dear resolution are rated as the usual ones.',
  },
  {
    name: 'rollback-of-the-unit',
    file: publish,
    find: 'const wanted = mergedPrices(current, prices, current).prices;',
    replace: 'const wanted = prices;',
    tests: bookTests,
    title: 'a rollback leaves the unit',
    meaning: 'A rollback that changes no price is audited as one.',
  },
  {
    name: 'removed-group-is-offered',
    file: publish,
    find: 'return [{ key, text }, ...followUps(key, text, current)];',
    replace: 'return [{ key, text }];',
    tests: bookTests,
    title: 'no longer offered',
    meaning: 'Users can choose a group that has no price.',
  },
  {
    name: 'preview-of-a-part-of-the-calls',
    file: impact,
    find: 'const scale = isWhole ? 1 : Math.max(1, (calls.get(hour) ?? 0) / rows.length);',
    replace: 'const scale = 1;',
    tests: bookTests,
    title: 'scaled to their number',
    meaning: 'The preview of a busy site shows a fraction of what a draft changes.',
  },
  {
    name: 'preview-of-whole-hours-is-scaled',
    file: impact,
    find: 'const isWhole = rows.length < rowsPerHour;',
    replace: 'const isWhole = rows.length < 0;',
    tests: bookTests,
    title: 'scaled to their number',
    meaning: 'Hours whose rows were removed weigh too much in a preview.',
  },
  {
    name: 'preview-without-unrated-calls',
    file: impact,
    find: 'total.not_rated += rated.notRated * scale;',
    replace: '',
    tests: bookTests,
    title: 'scaled to their number',
    meaning: 'The preview does not say that it leaves calls out.',
  },
  {
    name: 'preview-of-a-day',
    file: impact,
    find: 'const WEEK_SECONDS = 7 * 24 * HOUR_SECONDS;',
    replace: 'const WEEK_SECONDS = 24 * HOUR_SECONDS;',
    tests: bookTests,
    title: 'scaled to their number',
    meaning: 'The preview of a week shows one day.',
  },
];
