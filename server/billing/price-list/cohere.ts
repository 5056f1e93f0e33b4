// Cohere; a rerank is sold by the search.
import { byCall, byToken, type Group } from './price.ts';

export const cohere: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 256_000, maxOutput: 8000 },
    { 'command-a-03-2025': { input: 2.5, output: 10 } },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 4096 },
    {
      'command-r-plus': { input: 2.5, output: 10 },
      'command-r-plus-08-2024': { input: 2.5, output: 10 },
      'command-r': { input: 0.15, output: 0.6 },
      'command-r-08-2024': { input: 0.15, output: 0.6 },
      'command-r7b-12-2024': { input: 0.0375, output: 0.15 },
    },
  ),
  byToken(
    { kind: 'chat', context: 4096, maxOutput: 4096 },
    { command: { input: 1, output: 2 }, 'command-light': { input: 0.3, output: 0.6 } },
  ),
  byToken({ kind: 'embedding', context: 128_000 }, { 'embed-v4.0': { input: 0.12 } }),
  byToken(
    { kind: 'embedding', context: 1024 },
    {
      'embed-english-v3.0': { input: 0.1 },
      'embed-english-light-v3.0': { input: 0.1 },
      'embed-multilingual-v3.0': { input: 0.1 },
      'embed-multilingual-light-v3.0': { input: 0.1 },
    },
  ),
  byCall(
    { kind: 'rerank', context: 4096 },
    { 'rerank-v3.5': 0.002, 'rerank-english-v3.0': 0.002, 'rerank-multilingual-v3.0': 0.002 },
  ),
];
