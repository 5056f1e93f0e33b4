// Prices of past calls, publication and preview of new ones.
const recompute = 'server/price-book/recompute.ts';
const recomputeTests = ['server/price-book/recompute.test.ts'];

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
];
