// What one call consumed, as disjoint token classes: each token is counted in one class, so it is priced once.
import type { TokenClass } from '#contract/money/token-classes.ts';

/** A thing billed per piece beside the tokens, such as a web search; the price is in dollars for one piece. */
export interface Surcharge {
  name: string;
  count: number;
  dollarsEach: number;
}

/** `input` is the uncached text of the prompt; `output` is visible text without reasoning. */
export type Usage = Record<TokenClass, number> & {
  /** How many times a fixed price applies: pictures × size and quality factors, or seconds of a video. */
  pieces: number;
  /** Of a video, such as `1080p`: a fixed price may differ by it. */
  resolution?: string;
  surcharges: readonly Surcharge[];
  /** Work of other models in the same call. It is charged by surcharges at selling prices; its cost is counted from here. */
  otherModels?: readonly { readonly model: string; readonly usage: Usage }[];
};

export function usageOf(part: Partial<Usage>): Usage {
  const usage: Usage = {
    input: part.input ?? 0,
    cacheRead: part.cacheRead ?? 0,
    cacheWrite5m: part.cacheWrite5m ?? 0,
    cacheWrite1h: part.cacheWrite1h ?? 0,
    imageInput: part.imageInput ?? 0,
    audioInput: part.audioInput ?? 0,
    output: part.output ?? 0,
    reasoning: part.reasoning ?? 0,
    audioOutput: part.audioOutput ?? 0,
    pieces: part.pieces ?? 1,
    surcharges: part.surcharges ?? [],
  };
  if (part.resolution !== undefined) usage.resolution = part.resolution;
  return usage;
}

/** What logs call prompt tokens: everything that went in. */
export function promptTokens(usage: Usage): number {
  return (
    usage.input +
    usage.cacheRead +
    usage.cacheWrite5m +
    usage.cacheWrite1h +
    usage.imageInput +
    usage.audioInput
  );
}

/** What logs call completion tokens: everything that came out. */
export function completionTokens(usage: Usage): number {
  return usage.output + usage.reasoning + usage.audioOutput;
}
