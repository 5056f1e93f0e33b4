/** A flat JSON object as pairs and back. */
import { isJsonObject } from '#contract/relay/channel-fields.ts';

export interface Pair {
  from: string;
  to: string;
}

/** Undefined: the text is not a flat object, so only the text can be edited. */
export function pairsOf(text: string): Pair[] | undefined {
  if (text.trim() === '') return [];
  if (!isJsonObject(text)) return undefined;
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
  const isFlat = entries.every(([, value]) => typeof value === 'string' || typeof value === 'number');
  return isFlat ? entries.map(([from, to]) => ({ from, to: String(to) })) : undefined;
}

/** Pairs without a left side are left out; a repeated one overwrites. */
export function textOfPairs(pairs: readonly Pair[]): string {
  const named = pairs.filter(({ from }) => from.trim() !== '');
  if (named.length === 0) return '';
  return JSON.stringify(Object.fromEntries(named.map(({ from, to }) => [from.trim(), to.trim()])), null, 2);
}

export function samePairs(left: readonly Pair[], right: readonly Pair[]): boolean {
  return textOfPairs(left) === textOfPairs(right);
}
