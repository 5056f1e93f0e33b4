// Perplexity's search-backed models; its fee per search comes on top and is not part of the list.
import { byToken, type Group } from './price.ts';

export const perplexity: readonly Group[] = [
  byToken({ kind: 'chat', context: 200_000, maxOutput: 8000 }, { 'sonar-pro': { input: 3, output: 15 } }),
  byToken(
    { kind: 'chat', context: 128_000 },
    {
      sonar: { input: 1, output: 1 },
      'sonar-reasoning': { input: 1, output: 5 },
      'sonar-reasoning-pro': { input: 2, output: 8 },
      'sonar-deep-research': { input: 2, output: 8, reasoning: 3 },
    },
  ),
  byToken(
    { kind: 'embedding', context: 32_768 },
    { 'pplx-embed-v1-4b': { input: 0.03 }, 'pplx-embed-v1-0.6b': { input: 0.004 } },
  ),
];
