// Voyage: embeddings and reranking by the token.
import { byToken, type Group } from './price.ts';

export const voyage: readonly Group[] = [
  byToken(
    { kind: 'embedding', context: 32_000 },
    {
      'voyage-3.5': { input: 0.06 },
      'voyage-3.5-lite': { input: 0.02 },
      'voyage-3-large': { input: 0.18 },
      'voyage-3': { input: 0.06 },
      'voyage-3-lite': { input: 0.02 },
      'voyage-code-3': { input: 0.18 },
      'voyage-finance-2': { input: 0.12 },
      'voyage-multimodal-3': { input: 0.12 },
    },
  ),
  byToken(
    { kind: 'embedding', context: 16_000 },
    { 'voyage-law-2': { input: 0.12 }, 'voyage-code-2': { input: 0.12 } },
  ),
  byToken({ kind: 'embedding', context: 120_000 }, { 'voyage-context-3': { input: 0.18 } }),
  byToken(
    { kind: 'rerank', context: 32_000 },
    { 'rerank-2.5': { input: 0.05 }, 'rerank-2.5-lite': { input: 0.02 } },
  ),
  byToken({ kind: 'rerank', context: 16_000 }, { 'rerank-2': { input: 0.05 } }),
  byToken({ kind: 'rerank', context: 8000 }, { 'rerank-2-lite': { input: 0.02 } }),
];
