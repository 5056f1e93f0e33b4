import { expect, test } from 'bun:test';
import { rangeFacet } from './range-facet.ts';
import { rangeText } from './time-range.ts';

const names = ['today', 'week'] as const;
type Search = Parameters<typeof rangeFacet>[0]['search'];

function facetOf(search: Search) {
  const done: unknown[] = [];
  const facet = rangeFacet({
    search,
    names,
    words: { label: 'Time', standard: 'Last 3 days', custom: 'Custom…', nameOf: (name) => `the ${name}` },
    onCustom: () => done.push('custom'),
    onChange: (change) => done.push(change),
  });
  return { facet, done };
}

test('without a choice its label is the default range of the page', () => {
  const { facet } = facetOf({});
  expect([facet.label, facet.value]).toEqual(['Last 3 days', []]);
  expect(facet.options.map(({ label }) => label)).toEqual(['the today', 'the week', 'Custom…']);
  expect(facetOf({ range: 'nobody-knows-it' }).facet.value).toEqual([]);
  expect(facetOf({ range: 'week' }).facet).toMatchObject({ label: 'Time', value: ['week'] });
});

test('a custom range is an option and takes precedence over a name', () => {
  const from = 1_700_000_000;
  const { facet, done } = facetOf({ from, to: from + 3600, range: 'week' });
  expect(facet).toMatchObject({ label: 'Time', value: ['chosen'] });
  expect(facet.options[0]).toEqual({ value: 'chosen', label: rangeText({ from, to: from + 3600 }) });
  // Choosing it again changes nothing.
  facet.onChange(['chosen']);
  expect(done).toEqual([]);
});

test('a name replaces exact times, an empty choice clears both, and the last entry opens the dialog', () => {
  const { facet, done } = facetOf({ from: 1 });
  facet.onChange(['today']);
  facet.onChange([]);
  facet.onChange(['custom']);
  expect(done).toEqual([
    { range: 'today', from: undefined, to: undefined },
    { range: undefined, from: undefined, to: undefined },
    'custom',
  ]);
});
