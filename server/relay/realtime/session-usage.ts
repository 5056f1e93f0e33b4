// What a realtime session has used and can cost, and how counts are added.
import { TOKEN_CLASSES } from '#contract/money/token-classes.ts';
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import type { OutputClass } from '#server/relay/money/exposure.ts';
import type { PriceTranscription } from './transcription.ts';

/** What a session can cost. */
export interface SessionTerms {
  readonly priceOf: PriceTranscription;
  /** Tokens of the longest response, where caller and session name no limit. */
  readonly largestTokens: number;
  /** The class of output that costs most, of a response that may speak and of one that only writes. */
  readonly dearest: Readonly<Record<'spoken' | 'written', OutputClass>>;
}

/** What a session costs if it ends now. */
export interface SessionUsage {
  usage: Usage;
  isEstimated: boolean;
  /** Nothing was reported, begun or delivered. */
  isEmpty: boolean;
  /** Counts of reports that were not believed. */
  doubts: readonly UsageDoubt[];
}

export type TokenCounts = Pick<Usage, (typeof TOKEN_CLASSES)[number]>;

export function sumOf(left: Usage, right: TokenCounts): Usage {
  const both = { ...left };
  for (const name of TOKEN_CLASSES) both[name] += right[name];
  return both;
}

export function withOutput(usage: Usage, [name, tokens]: [OutputClass, number]): Usage {
  return tokens === 0 ? usage : { ...usage, [name]: usage[name] + tokens };
}
