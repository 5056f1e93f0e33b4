// Tencent's Hunyuan, converted from yuan at 7.1.
import { byToken, type Group } from './price.ts';

export const tencent: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 28_000, maxOutput: 16_000 },
    {
      'hunyuan-turbos': { input: 0.11, output: 0.28 },
      'hunyuan-t1': { input: 0.14, output: 0.56 },
      'hunyuan-large': { input: 0.56, output: 1.69 },
      'hunyuan-standard': { input: 0.11, output: 0.28 },
    },
  ),
];
