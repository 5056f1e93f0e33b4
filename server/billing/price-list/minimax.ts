// MiniMax; speech is sold by the character.
import { byToken, type Group } from './price.ts';

export const minimax: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 1_000_000, maxOutput: 128_000 },
    { 'MiniMax-M3': { input: 0.3, output: 1.2, cacheRead: 0.06 } },
  ),
  byToken(
    { kind: 'chat', context: 200_000, maxOutput: 128_000 },
    { 'MiniMax-M2.7': { input: 0.3, output: 1.2, cacheRead: 0.06, cacheWrite5m: 0.375 } },
  ),
  byToken(
    { kind: 'chat', context: 1_000_000, maxOutput: 8192 },
    {
      'MiniMax-M2.5': { input: 0.3, output: 1.2, cacheRead: 0.03, cacheWrite5m: 0.375 },
      'MiniMax-M2.5-lightning': { input: 0.3, output: 2.4, cacheRead: 0.03, cacheWrite5m: 0.375 },
      'MiniMax-M2.1': { input: 0.3, output: 1.2, cacheRead: 0.03, cacheWrite5m: 0.375 },
      'MiniMax-M2.1-lightning': { input: 0.3, output: 2.4, cacheRead: 0.03, cacheWrite5m: 0.375 },
      'MiniMax-M1': { input: 0.4, output: 2.2 },
      'MiniMax-Text-01': { input: 0.2, output: 1.1 },
    },
  ),
  byToken(
    { kind: 'chat', context: 200_000, maxOutput: 8192 },
    {
      'MiniMax-M2': { input: 0.3, output: 1.2, cacheRead: 0.03, cacheWrite5m: 0.375 },
      'abab6.5s-chat': { input: 0.14, output: 0.14 },
    },
  ),
  byToken(
    { kind: 'speech' },
    {
      'speech-2.6-hd': { input: 100 },
      'speech-2.6-turbo': { input: 60 },
      'speech-02-hd': { input: 100 },
      'speech-02-turbo': { input: 60 },
    },
  ),
];
