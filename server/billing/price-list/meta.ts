// Meta's Llama by the names hosts commonly sell the open weights under.
import { byToken, type Group } from './price.ts';

export const meta: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 131_072 },
    {
      'llama-4-maverick': { input: 0.2, output: 0.6 },
      'llama-4-scout': { input: 0.11, output: 0.34 },
      'llama-3.3-70b-instruct': { input: 0.59, output: 0.79 },
      'llama-3.1-70b-instruct': { input: 1, output: 1 },
      'llama-3.1-8b-instruct': { input: 0.2, output: 0.2 },
    },
  ),
];
