// Jina: embeddings and reranking by the token.
import { byToken, type Group } from './price.ts';

export const jina: readonly Group[] = [
  byToken(
    { kind: 'embedding', context: 8192 },
    { 'jina-embeddings-v3': { input: 0.018 }, 'jina-clip-v2': { input: 0.018 } },
  ),
  byToken({ kind: 'rerank', context: 1024 }, { 'jina-reranker-v2-base-multilingual': { input: 0.018 } }),
];
