/** What was decided when the first token of a call was late, and in which words. */
import { HEDGE_REFUSALS, type HedgeRefusal } from '#contract/relay/hedging.ts';

export interface HedgeDetails {
  /** Milliseconds. */
  after: number;
  /** Of the second attempt; 0: there was none. */
  channel: number;
  refused: HedgeRefusal | undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

export function hedgeOf(value: unknown): HedgeDetails | undefined {
  if (!isObject(value)) return undefined;
  return {
    after: number(value['after']),
    channel: number(value['channel']),
    refused: HEDGE_REFUSALS.find((known) => known === value['refused']),
  };
}

/** `channel`: that the row names; `isAnswered`: the call was answered. */
export function hedgeWord(
  { channel, refused }: HedgeDetails,
  row: { channel: number; isAnswered: boolean },
): HedgeRefusal | 'second' | 'first' | 'failed' {
  if (channel === 0) return refused ?? 'no_channel';
  if (!row.isAnswered) return 'failed';
  return row.channel === channel ? 'second' : 'first';
}
