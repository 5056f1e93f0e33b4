// Remembers how the prompts of this site began, in bounded memory: when it is full, only beginnings whose number is
// divisible by a growing step are remembered and looked for. Of those every one is known, so "never sent before" stays true.

import { DAY_SECONDS } from '#contract/time.ts';

/** More tokens than the beginning that is compared can have: a longer cache read contains all of it. */
export const LEAST_PROMPT_TOKENS = 640;

export interface PromptMemory {
  /** True when no prompt of the last day began like this; undefined when that is not known. */
  isNew(key: number): boolean | undefined;
}

export function createPromptMemory(
  now: () => number,
  {
    completeFrom,
    mostKeys = 50_000,
  }: {
    /** Unix seconds from which a beginning that is not remembered was not sent: earlier ones another process sent. */
    completeFrom: () => number;
    mostKeys?: number;
  },
): PromptMemory {
  let current = new Set<number>();
  let before = new Set<number>();
  let turnAt = now() + DAY_SECONDS;
  let step = 1;

  function thin(): void {
    step *= 2;
    current = new Set([...current].filter((key) => key % step === 0));
    before = new Set([...before].filter((key) => key % step === 0));
  }

  return {
    isNew(key) {
      const at = now();
      if (at >= turnAt) {
        before = current;
        current = new Set();
        turnAt = at + DAY_SECONDS;
      }
      if (key % step !== 0) return undefined;
      const isKnown = current.has(key) || before.has(key);
      current.add(key);
      if (current.size > mostKeys) thin();
      return at < completeFrom() ? undefined : !isKnown;
    },
  };
}
