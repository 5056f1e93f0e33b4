// The time in Unix seconds. Tests set another clock.

import { unixSeconds } from '#contract/time.ts';

export interface Clock {
  now?: () => number;
}

export const nowSeconds = ({ now = unixSeconds }: Clock): number => now();
