/** The filter by time: the default range of the page, named ranges that move with the clock, and a custom one. */
import { unixSeconds } from '#contract/time.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { rangeText } from './time-range.ts';

const CUSTOM = 'custom';
const CHOSEN = 'chosen';

interface RangeFacetInput<Name extends string> {
  /** The value in the URL. */
  search: { from?: number; to?: number; range?: string };
  names: readonly Name[];
  words: { label: string; standard: string; custom: string; nameOf: (name: Name) => string };
  onCustom: () => void;
  onChange: (change: { from: undefined; to: undefined; range: Name | undefined }) => void;
}

export function rangeFacet<Name extends string>({
  search: { from, to, range },
  names,
  words,
  onCustom,
  onChange,
}: RangeFacetInput<Name>): Facet {
  const isFree = from !== undefined || to !== undefined;
  const named = names.find((name) => name === range);
  const chosen = isFree
    ? [{ value: CHOSEN, label: rangeText({ from: from ?? 0, to: to ?? unixSeconds() }) }]
    : [];
  return {
    id: 'range',
    label: named || isFree ? words.label : words.standard,
    options: [
      ...chosen,
      ...names.map((name) => ({ value: name, label: words.nameOf(name) })),
      { value: CUSTOM, label: words.custom },
    ],
    value: isFree ? [CHOSEN] : named ? [named] : [],
    onChange: ([value]) => {
      if (value === CUSTOM) onCustom();
      else if (value !== CHOSEN)
        onChange({ range: names.find((name) => name === value), from: undefined, to: undefined });
    },
  };
}
