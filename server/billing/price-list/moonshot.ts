// Moonshot's Kimi.
import { byToken, type Group } from './price.ts';

export const moonshot: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 262_144, maxOutput: 262_144 },
    {
      'kimi-k2.6': { input: 0.95, output: 4, cacheRead: 0.16 },
      'kimi-k2.5': { input: 0.6, output: 3, cacheRead: 0.1 },
      'kimi-k2-thinking': { input: 0.6, output: 2.5, cacheRead: 0.15 },
      'kimi-k2-thinking-turbo': { input: 1.15, output: 8, cacheRead: 0.15 },
      'kimi-k2-turbo-preview': { input: 1.15, output: 8, cacheRead: 0.15 },
      'kimi-k2-0905-preview': { input: 0.6, output: 2.5, cacheRead: 0.15 },
    },
  ),
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 131_072 },
    {
      'kimi-k2-0711-preview': { input: 0.6, output: 2.5, cacheRead: 0.15 },
      'kimi-latest': { input: 2, output: 5, cacheRead: 0.15 },
      'kimi-latest-128k': { input: 2, output: 5, cacheRead: 0.15 },
      'moonshot-v1-128k': { input: 2, output: 5 },
      'moonshot-v1-128k-vision-preview': { input: 2, output: 5 },
      'moonshot-v1-auto': { input: 2, output: 5 },
    },
  ),
  byToken(
    { kind: 'chat', context: 32_768, maxOutput: 32_768 },
    {
      'kimi-latest-32k': { input: 1, output: 3, cacheRead: 0.15 },
      'moonshot-v1-32k': { input: 1, output: 3 },
      'moonshot-v1-32k-vision-preview': { input: 1, output: 3 },
    },
  ),
  byToken(
    { kind: 'chat', context: 8192, maxOutput: 8192 },
    {
      'kimi-latest-8k': { input: 0.2, output: 2, cacheRead: 0.15 },
      'moonshot-v1-8k': { input: 0.2, output: 2 },
      'moonshot-v1-8k-vision-preview': { input: 0.2, output: 2 },
    },
  ),
];
