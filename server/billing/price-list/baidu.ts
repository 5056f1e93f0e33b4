// Baidu's ERNIE, converted from yuan at 7.1.
import { byToken, type Group } from './price.ts';

export const baidu: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 12_288 },
    {
      'ernie-4.5-turbo-128k': { input: 0.11, output: 0.45 },
      'ernie-4.5-turbo-vl': { input: 0.42, output: 1.27 },
    },
  ),
  byToken(
    { kind: 'chat', context: 32_768, maxOutput: 12_288 },
    {
      'ernie-4.5-turbo-32k': { input: 0.11, output: 0.45 },
      'ernie-x1-turbo-32k': { input: 0.14, output: 0.56 },
    },
  ),
  byToken(
    { kind: 'chat', context: 8192, maxOutput: 2048 },
    { 'ernie-3.5-8k': { input: 0.11, output: 0.28 } },
  ),
];
