// xAI's Grok.
import { byToken, type Group } from './price.ts';

const fast = { input: 0.2, output: 0.5, cacheRead: 0.05 };
const fourTwenty = { input: 2, output: 6, cacheRead: 0.2 };

export const xai: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 500_000, maxOutput: 500_000 },
    { 'grok-4.5': { input: 2, output: 6, cacheRead: 0.5 } },
  ),
  byToken(
    { kind: 'chat', context: 1_000_000, maxOutput: 1_000_000 },
    { 'grok-4.3': { input: 1.25, output: 2.5, cacheRead: 0.2 } },
  ),
  byToken(
    { kind: 'chat', context: 2_000_000, maxOutput: 2_000_000 },
    {
      'grok-4.20-0309-reasoning': fourTwenty,
      'grok-4.20-beta-0309-reasoning': fourTwenty,
      'grok-4.20-beta-0309-non-reasoning': fourTwenty,
      'grok-4-1-fast': fast,
      'grok-4-1-fast-reasoning': fast,
      'grok-4-1-fast-non-reasoning': fast,
      'grok-4-fast-reasoning': fast,
      'grok-4-fast-non-reasoning': fast,
    },
  ),
  byToken(
    { kind: 'chat', context: 256_000, maxOutput: 256_000 },
    {
      'grok-4': { input: 3, output: 15, cacheRead: 0.75 },
      'grok-4-0709': { input: 3, output: 15, cacheRead: 0.75 },
      'grok-code-fast': { input: 0.2, output: 1.5, cacheRead: 0.02 },
      'grok-code-fast-1': { input: 0.2, output: 1.5, cacheRead: 0.02 },
    },
  ),
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 131_072 },
    {
      'grok-3': { input: 3, output: 15, cacheRead: 0.75 },
      'grok-3-beta': { input: 3, output: 15, cacheRead: 0.75 },
      'grok-3-fast': { input: 5, output: 25, cacheRead: 1.25 },
      'grok-3-mini': { input: 0.3, output: 0.5, cacheRead: 0.075 },
      'grok-3-mini-beta': { input: 0.3, output: 0.5, cacheRead: 0.075 },
      'grok-3-mini-fast': { input: 0.6, output: 4, cacheRead: 0.15 },
      'grok-2': { input: 2, output: 10 },
      'grok-2-1212': { input: 2, output: 10 },
    },
  ),
  byToken(
    { kind: 'chat', context: 32_768, maxOutput: 32_768 },
    { 'grok-2-vision': { input: 2, output: 10 }, 'grok-2-vision-1212': { input: 2, output: 10 } },
  ),
];
