// AI21's Jamba.
import { byToken, type Group } from './price.ts';

export const ai21: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 256_000, maxOutput: 256_000 },
    {
      'jamba-large-1.7': { input: 2, output: 8 },
      'jamba-large-1.6': { input: 2, output: 8 },
      'jamba-mini-1.7': { input: 0.2, output: 0.4 },
      'jamba-mini-1.6': { input: 0.2, output: 0.4 },
    },
  ),
];
