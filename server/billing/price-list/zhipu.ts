// Zhipu (Z.ai): the current models at their dollar prices, the older ones converted from yuan at 7.1.
import { byCall, byToken, type Group } from './price.ts';

export const zhipu: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 200_000, maxOutput: 128_000 },
    {
      'glm-5.1': { input: 1.4, output: 4.4, cacheRead: 0.26 },
      'glm-5': { input: 1, output: 3.2, cacheRead: 0.2 },
      'glm-5-code': { input: 1.2, output: 5, cacheRead: 0.3 },
      'glm-4.7': { input: 0.6, output: 2.2, cacheRead: 0.11 },
      'glm-4.6': { input: 0.6, output: 2.2, cacheRead: 0.11 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 32_000 },
    {
      'glm-4.6v': { input: 0.3, output: 0.9, cacheRead: 0.05 },
      'glm-4.5': { input: 0.6, output: 2.2, cacheRead: 0.11 },
      'glm-4.5-x': { input: 2.2, output: 8.9, cacheRead: 0.45 },
      'glm-4.5-air': { input: 0.2, output: 1.1, cacheRead: 0.03 },
      'glm-4.5-airx': { input: 1.1, output: 4.5, cacheRead: 0.22 },
      'glm-4.5v': { input: 0.6, output: 1.8, cacheRead: 0.11 },
      'glm-4-32b-0414-128k': { input: 0.1, output: 0.1 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 4096 },
    {
      'glm-4-plus': { input: 0.7, output: 0.7 },
      'glm-4-air': { input: 0.07, output: 0.07 },
      'glm-4-airx': { input: 1.4, output: 1.4 },
      'glm-4-long': { input: 0.14, output: 0.14 },
      'glm-4v-plus': { input: 0.56, output: 0.56 },
      'glm-4': { input: 14, output: 14 },
      'glm-4v': { input: 7, output: 7 },
      'glm-3-turbo': { input: 0.14, output: 0.14 },
    },
  ),
  byToken(
    { kind: 'embedding', context: 8192 },
    { 'embedding-3': { input: 0.07 }, 'embedding-2': { input: 0.07 } },
  ),
  byCall({ kind: 'image' }, { 'cogview-4': 0.01, 'cogview-3-plus': 0.0085 }),
];
