// What is counted of the sampled answers of one channel and model. Cells are added up over days, nodes and groups of users.
import { mergeInto, type Histogram } from './histogram.ts';

/** Texts are compared only with texts of their kind: tokens per character differ between scripts. */
export const TEXT_KINDS = ['latin', 'wide'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

const COUNT_NAMES = [
  'answers',
  'cut',
  'named',
  'otherNames',
  'newPrompts',
  'unfoundedReads',
  'unmarked',
  'unaskedWrites',
  'unreported',
  'reasoned',
] as const;
export const HISTOGRAM_NAMES = [
  'input_latin',
  'input_wide',
  'output_latin',
  'output_wide',
  'firstToken',
  'speed',
] as const;
export type CellHistogram = (typeof HISTOGRAM_NAMES)[number];

/** Figures of one call that prove something; no content and no user. */
export interface Evidence {
  signal: 'input' | 'output' | 'cut' | 'name' | 'reads' | 'writes';
  requestId: string;
  /** Unix seconds. */
  at: number;
  /** What the answer said and what was counted here; of names, the name. */
  claimed: number | string;
  counted: number | string;
}

/**
 * `answers`: complete or cut. `cut`: streams that ended without an end. `named`, `otherNames`: answers with a model name, and
 * with another model's. `newPrompts`, `unfoundedReads`: long prompts whose beginning is new, and cache reads claimed for them.
 * `unmarked`, `unaskedWrites`: requests without a cache mark, and cache writes claimed for them. `reasoned`: answers with
 * reasoning tokens, whose output cannot be recounted.
 */
export type Cell = Record<(typeof COUNT_NAMES)[number], number> &
  Record<CellHistogram, Histogram> & {
    /** Names of other models in answers. */
    names: Record<string, number>;
    /** The last calls for each signal. */
    evidence: Evidence[];
  };

const MOST_NAMES = 8;
const MOST_EVIDENCE = 10;

export function emptyCell(): Cell {
  const counts = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as Record<
    (typeof COUNT_NAMES)[number],
    number
  >;
  const histograms = Object.fromEntries(HISTOGRAM_NAMES.map((name) => [name, {}])) as Record<
    CellHistogram,
    Histogram
  >;
  return { ...counts, ...histograms, names: {}, evidence: [] };
}

export function addCell(cell: Cell, more: Readonly<Cell>): void {
  for (const name of COUNT_NAMES) cell[name] += more[name];
  for (const name of HISTOGRAM_NAMES) mergeInto(cell[name], more[name]);
  for (const [name, count] of Object.entries(more.names)) addName(cell, name, count);
  for (const each of more.evidence) addEvidence(cell, each);
}

export function addName(cell: Cell, name: string, count = 1): void {
  if (cell.names[name] === undefined && Object.keys(cell.names).length >= MOST_NAMES) return;
  cell.names[name] = (cell.names[name] ?? 0) + count;
}

export function addEvidence(cell: Cell, added: Evidence): void {
  cell.evidence.push(added);
  const same = cell.evidence.filter(({ signal }) => signal === added.signal);
  if (same.length <= MOST_EVIDENCE) return;
  const oldest = same.reduce((least, each) => (each.at < least.at ? each : least));
  cell.evidence.splice(cell.evidence.indexOf(oldest), 1);
}

export function sumOf(cells: Iterable<Cell>): Cell {
  const sum = emptyCell();
  for (const cell of cells) addCell(sum, cell);
  return sum;
}

/** A stored cell; a member that an older version did not have is empty. */
export function readCell(text: string): Cell {
  return { ...emptyCell(), ...(JSON.parse(text) as Partial<Cell>) };
}
