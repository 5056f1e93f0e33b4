/** The facet of channels: those of the rows by name, and any other by its ID. */
import type { Facet, FacetOption } from '#web/ui/filter/facet.tsx';
import type { TaskRow } from './state.ts';

type Served = Pick<TaskRow, 'channel_id' | 'channel_name'>;

/** The chosen one too, whatever the rows are. */
export function channelOptions(rows: readonly Served[], chosen: number | undefined): FacetOption[] {
  const names = new Map(rows.map(({ channel_id, channel_name }) => [channel_id, channel_name]));
  names.delete(0);
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, '');
  return [...names].map(([id, name]) => ({ value: String(id), label: name || `#${id}` }));
}

/** What was chosen, or typed: an ID, with or without its sign, or a name among the options. */
export function channelOf(typed: string, options: readonly FacetOption[]): number | undefined {
  const text = typed.trim().replace(/^#/, '').toLowerCase();
  if (text === '') return undefined;
  const id = /^\d+$/.test(text)
    ? Number(text)
    : Number(options.find(({ label }) => label.toLowerCase().includes(text))?.value ?? 0);
  return id > 0 ? id : undefined;
}

export function channelFacet(
  words: Pick<Facet, 'label' | 'typed'>,
  rows: readonly Served[],
  chosen: number | undefined,
  set: (channel: number | undefined) => void,
): Facet {
  const options = channelOptions(rows, chosen);
  return {
    ...words,
    id: 'channel',
    options,
    value: chosen === undefined ? [] : [String(chosen)],
    onChange: ([value = '']) => set(channelOf(value, options)),
  };
}
