// Decides what the counts of one channel and model prove. Compared is with trusted channels of the same model, else with at
// least two others, else with the channel's own past: one other channel alone cannot say which of the two is wrong.
import { TEXT_KINDS, type Cell, type CellHistogram } from './cell.ts';
import { centreOf, countFrom, countOf, type Centre } from './histogram.ts';
import { plainModelName } from './model-names.ts';
import { isShown } from './user-groups.ts';
import { shareOutcome, shiftOutcome, LEAST_VALUES, type Outcome, type Rate } from './statistics.ts';
import type { SignalFinding, SignalName } from '#contract/suppliers/suppliers.ts';

export interface ModelCounts {
  channelId: number;
  model: string;
  isTrusted: boolean;
  /** By group of users. */
  groups: readonly Cell[];
  /** The sum of the groups. */
  all: Cell;
  /** The same channel and model before the time that is judged; undefined without. */
  past?: Cell;
}

export interface Judgement {
  counts: ModelCounts;
  /** Other channels of the same model. */
  others: readonly ModelCounts[];
  /** Dollars per million tokens of a known model. */
  priceOf: (model: string) => number | undefined;
}

/** A channel that cuts one stream in a hundred is an ordinary one. */
const USUAL_CUTS = 0.01;
/** Beginnings of prompts that an upstream's other customers send too. */
const USUAL_READS = 0.02;
const USUAL_WRITES = 0.02;
const USUAL_NAMES = 0.005;
const USUAL_PADDED = 0.02;
/** 2^0.11: eight per cent. */
const LEAST_SHIFT = 0.11;
/** Three times as fast, or three times as slow, as others. */
const leastSpeedShift = Math.log2(3);
/** A first token within this time is soon: 9 ms against another's 3 ms is not late. */
const SOON_MILLISECONDS = 250;
/** No tokenizer in use needs so many more tokens than the count here. */
const IMPOSSIBLE_RATIO = 2.5;
/** With more answers of hidden reasoning the output cannot be compared. */
const MOST_REASONED = 0.1;

type Reference = { kind: 'trusted' | 'others' | 'past'; cells: readonly Cell[] };

export function findSignals(judgement: Judgement): SignalFinding[] {
  const reference = referenceFor(judgement);
  return [
    ...tokenSignals(judgement, reference),
    ...tokenizerSignal(judgement, reference),
    ...paddedSignal(judgement, reference),
    ...nameSignal(judgement),
    ...cutSignal(judgement, reference),
    ...readSignal(judgement),
    ...writeSignal(judgement, reference),
    ...speedSignals(judgement, reference),
  ];
}

function referenceFor({ counts, others }: Judgement): Reference | undefined {
  const enough = others.filter(({ all }) => all.answers >= LEAST_VALUES);
  const trusted = enough.filter(({ isTrusted }) => isTrusted);
  if (trusted.length > 0) return { kind: 'trusted', cells: trusted.map(({ all }) => all) };
  if (enough.length >= 2) return { kind: 'others', cells: enough.map(({ all }) => all) };
  return counts.past === undefined ? undefined : { kind: 'past', cells: [counts.past] };
}

/**
 * The middle one of the references by its median; of an even number the one that accuses less: the higher where more is a
 * fault, the lower where less is one (`sign` -1). Undefined when only one other channel has enough values.
 */
function middleOf(reference: Reference | undefined, name: CellHistogram, sign: 1 | -1): Centre | undefined {
  const sorted = (reference?.cells ?? [])
    .map((cell) => centreOf(cell[name]))
    .filter((centre) => centre !== undefined && centre.count >= LEAST_VALUES)
    .toSorted((left, right) => (left?.median ?? 0) - (right?.median ?? 0));
  if (reference?.kind === 'others' && sorted.length < 2) return undefined;
  return sorted[Math.floor((sorted.length - (sign === 1 ? 0 : 1)) / 2)];
}

function tokenSignals({ counts }: Judgement, reference: Reference | undefined): SignalFinding[] {
  return (['input', 'output'] as const).flatMap((side) => {
    if (side === 'output' && isReasoning([counts.all, ...(reference?.cells ?? [])])) return [];
    const found = TEXT_KINDS.flatMap((kind) => tokenSignal(counts, reference, side, `${side}_${kind}`));
    return found.toSorted((left, right) => right.penalty - left.penalty).slice(0, 1);
  });
}

/** Fewer tokens for the same kind of text are no lie about tokens, but another model may have counted them. */
function tokenizerSignal(
  { counts: { groups, all } }: Judgement,
  reference: Reference | undefined,
): SignalFinding[] {
  if (reference === undefined) return [];
  const found = TEXT_KINDS.flatMap((kind) => {
    const name: CellHistogram = `input_${kind}`;
    const usual = middleOf(reference, name, -1);
    const here = centreOf(all[name]);
    if (usual === undefined || here === undefined) return [];
    if (!isShown(groups, (cell) => shiftOutcome(cell[name], usual, LEAST_SHIFT, -1))) return [];
    return [medianFinding('tokenizer', { penalty: 15, compared: reference.kind, here, usual })];
  });
  return found.slice(0, 1);
}

function medianFinding(
  signal: SignalName,
  {
    here,
    usual,
    ...given
  }: { here: Centre; usual: Centre; penalty: number; compared: SignalFinding['compared'] },
): SignalFinding {
  const figures = { figure: round(2 ** here.median), usual: round(2 ** usual.median) };
  return { signal, ...given, ...figures, hits: here.count, tries: here.count };
}

/** Without anything to compare with, only a ratio of the prompt that no tokenizer has is a finding. */
function tokenSignal(
  { groups, all }: ModelCounts,
  reference: Reference | undefined,
  side: 'input' | 'output',
  name: CellHistogram,
): SignalFinding[] {
  const found = middleOf(reference, name, 1);
  if (found === undefined && side === 'output') return [];
  const usual = found ?? { median: Math.log2(IMPOSSIBLE_RATIO), error: 0, count: 0 };
  const here = centreOf(all[name]);
  const test = (cell: Cell): Outcome => shiftOutcome(cell[name], usual, LEAST_SHIFT, 1);
  if (here === undefined || !isShown(groups, test)) return [];
  return [
    medianFinding(side === 'input' ? 'input_tokens' : 'output_tokens', {
      penalty: Math.min(60, Math.round(35 + 60 * (here.median - usual.median))),
      compared: found === undefined ? 'none' : (reference?.kind ?? 'none'),
      here,
      usual,
    }),
  ];
}

function isReasoning(cells: readonly Cell[]): boolean {
  return cells.some(({ reasoned, answers }) => reasoned > answers * MOST_REASONED);
}

/** Some answers billed with twice what was delivered: the median does not show them. */
function paddedSignal(
  { counts: { groups, all } }: Judgement,
  reference: Reference | undefined,
): SignalFinding[] {
  if (reference === undefined || isReasoning([all, ...reference.cells])) return [];
  const rateOf = (cell: Cell): Rate => ({
    hits: countFrom(cell.output_latin, 2) + countFrom(cell.output_wide, 2),
    tries: countOf(cell.output_latin) + countOf(cell.output_wide),
  });
  const usual = Math.max(USUAL_PADDED, 2 * meanShare(reference.cells.map(rateOf)));
  return shareSignal('padded', { groups, all }, { usual, penalty: 45, compared: reference.kind, rateOf });
}

function meanShare(rates: readonly Rate[]): number {
  const tries = rates.reduce((sum, rate) => sum + rate.tries, 0);
  return tries === 0 ? 0 : rates.reduce((sum, rate) => sum + rate.hits, 0) / tries;
}

/** Names that trusted channels give as well, and names of models that are not cheaper, are no lie. */
function nameSignal({ counts, others, priceOf }: Judgement): SignalFinding[] {
  const usualOnes = new Set(
    others.filter(({ isTrusted }) => isTrusted).flatMap(({ all }) => Object.keys(all.names)),
  );
  const asked = priceOf(counts.model);
  const names = Object.keys(counts.all.names).filter((name) => {
    const price = priceOf(name) ?? priceOf(plainModelName(name));
    return !usualOnes.has(name) && asked !== undefined && price !== undefined && price < 0.8 * asked;
  });
  if (names.length === 0) return [];
  const hitsOf = (cell: Cell): number => names.reduce((sum, name) => sum + (cell.names[name] ?? 0), 0);
  const rateOf = (cell: Cell): Rate => ({ hits: hitsOf(cell), tries: cell.named });
  const [most = ''] = names.toSorted(
    (left, right) => (counts.all.names[right] ?? 0) - (counts.all.names[left] ?? 0),
  );
  return shareSignal('model_name', counts, {
    usual: USUAL_NAMES,
    penalty: 60,
    compared: 'request',
    rateOf,
    detail: most,
  });
}

function cutSignal(judgement: Judgement, reference: Reference | undefined): SignalFinding[] {
  const rateOf = ({ cut, answers }: Cell): Rate => ({ hits: cut, tries: answers });
  const usual = Math.max(USUAL_CUTS, 1.5 * meanShare((reference?.cells ?? []).map(rateOf)));
  const compared = reference?.kind ?? 'none';
  return shareSignal('cut_streams', judgement.counts, { usual, penalty: 45, compared, rateOf });
}

function readSignal({ counts }: Judgement): SignalFinding[] {
  const rateOf = ({ unfoundedReads, newPrompts }: Cell): Rate => ({
    hits: unfoundedReads,
    tries: newPrompts,
  });
  return shareSignal('cache_reads', counts, { usual: USUAL_READS, penalty: 45, compared: 'request', rateOf });
}

/** Some vendors write every long prompt to a cache: only a difference to other channels is a finding. */
function writeSignal({ counts }: Judgement, reference: Reference | undefined): SignalFinding[] {
  if (reference === undefined) return [];
  const rateOf = ({ unaskedWrites, unmarked }: Cell): Rate => ({ hits: unaskedWrites, tries: unmarked });
  const usual = Math.max(USUAL_WRITES, 1.5 * meanShare(reference.cells.map(rateOf)));
  return shareSignal('cache_writes', counts, { usual, penalty: 30, compared: reference.kind, rateOf });
}

interface ShareTest {
  usual: number;
  penalty: number;
  compared: SignalFinding['compared'];
  rateOf: (cell: Cell) => Rate;
  detail?: string;
}

function shareSignal(
  signal: SignalName,
  { groups, all }: Pick<ModelCounts, 'groups' | 'all'>,
  { usual, penalty, compared, rateOf, detail }: ShareTest,
): SignalFinding[] {
  if (!isShown(groups, (cell) => shareOutcome(rateOf(cell), usual))) return [];
  const { hits, tries } = rateOf(all);
  return [
    {
      signal,
      penalty,
      compared,
      figure: round(hits / Math.max(1, tries)),
      usual: round(usual),
      hits,
      tries,
      ...(detail === undefined ? {} : { detail }),
    },
  ];
}

/** A much faster model is often a smaller one; a much slower channel is a worse one. Neither proves a lie. */
function speedSignals(
  { counts: { groups, all } }: Judgement,
  reference: Reference | undefined,
): SignalFinding[] {
  if (reference === undefined) return [];
  const tests = [
    { signal: 'fast', histogram: 'speed', sign: 1, penalty: 15 },
    { signal: 'slow', histogram: 'speed', sign: -1, penalty: 5 },
    { signal: 'late', histogram: 'firstToken', sign: 1, penalty: 5 },
  ] as const;
  return tests.flatMap(({ signal, histogram, sign, penalty }) => {
    const middle = middleOf(reference, histogram, sign);
    if (middle === undefined) return [];
    const usual =
      signal === 'late'
        ? { ...middle, median: Math.max(middle.median, Math.log2(SOON_MILLISECONDS)) }
        : middle;
    const test = (cell: Cell): Outcome => shiftOutcome(cell[histogram], usual, leastSpeedShift, sign);
    const here = centreOf(all[histogram]);
    if (here === undefined || !isShown(groups, test)) return [];
    return [medianFinding(signal, { penalty, compared: reference.kind, here, usual })];
  });
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
