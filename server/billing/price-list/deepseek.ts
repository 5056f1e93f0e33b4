// DeepSeek; under `deepseek-ai/` the names other hosts sell the open weights by.
import { byToken, type Group } from './price.ts';

export const deepseek: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 1_000_000, maxOutput: 8192 },
    {
      'deepseek-v4-pro': { input: 0.435, output: 0.87, cacheRead: 0.003625 },
      'deepseek-v4-flash': { input: 0.14, output: 0.28, cacheRead: 0.0028 },
    },
  ),
  byToken(
    { kind: 'chat', context: 163_840, maxOutput: 163_840 },
    { 'deepseek-v3.2': { input: 0.28, output: 0.4 }, 'deepseek-v3.1': { input: 0.56, output: 1.68 } },
  ),
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 8192 },
    { 'deepseek-chat': { input: 0.28, output: 0.42, cacheRead: 0.028 } },
  ),
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 65_536 },
    { 'deepseek-reasoner': { input: 0.28, output: 0.42, cacheRead: 0.028 } },
  ),
  byToken(
    { kind: 'chat', context: 65_536, maxOutput: 8192 },
    {
      'deepseek-v3': { input: 0.27, output: 1.1, cacheRead: 0.07 },
      'deepseek-r1': { input: 0.55, output: 2.19, cacheRead: 0.14 },
      'deepseek-ai/DeepSeek-V3': { input: 0.28, output: 1.12 },
      'deepseek-ai/DeepSeek-R1': { input: 0.56, output: 2.24 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 4096 },
    { 'deepseek-coder': { input: 0.14, output: 0.28 } },
  ),
];
