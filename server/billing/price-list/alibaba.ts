// Alibaba's Qwen at the prices of Model Studio's international site; the first tier where the price grows
// with the prompt.
import { byCall, byToken, type Group } from './price.ts';

export const alibaba: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 991_808, maxOutput: 65_536 },
    {
      'qwen3.7-max': { input: 2.5, output: 7.5, cacheRead: 0.5 },
      'qwen3.6-plus': { input: 0.5, output: 3 },
      'qwen3.5-plus': { input: 0.4, output: 2.4 },
    },
  ),
  byToken(
    { kind: 'chat', context: 258_048, maxOutput: 65_536 },
    { 'qwen3-max': { input: 1.2, output: 6, cacheRead: 0.24 } },
  ),
  byToken(
    { kind: 'chat', context: 997_952, maxOutput: 65_536 },
    {
      'qwen3-coder-plus': { input: 1, output: 5, cacheRead: 0.2 },
      'qwen3-coder-flash': { input: 0.3, output: 1.5, cacheRead: 0.06 },
    },
  ),
  byToken(
    { kind: 'chat', context: 997_952, maxOutput: 32_768 },
    {
      'qwen-plus': { input: 0.4, output: 1.2, cacheRead: 0.08 },
      'qwen-flash': { input: 0.05, output: 0.4, cacheRead: 0.01 },
    },
  ),
  byToken(
    { kind: 'chat', context: 1_000_000, maxOutput: 16_384 },
    { 'qwen-turbo': { input: 0.05, output: 0.2, cacheRead: 0.01 } },
  ),
  byToken(
    { kind: 'chat', context: 30_720, maxOutput: 8192 },
    { 'qwen-max': { input: 1.6, output: 6.4, cacheRead: 0.32 } },
  ),
  byToken(
    { kind: 'chat', context: 1_000_000, maxOutput: 16_384 },
    { 'qwen-coder': { input: 0.3, output: 1.5 } },
  ),
  byToken({ kind: 'chat', context: 98_304, maxOutput: 8192 }, { 'qwq-plus': { input: 0.8, output: 2.4 } }),
  byToken(
    { kind: 'chat', context: 262_144, maxOutput: 65_536 },
    {
      'qwen3-next-80b-a3b-instruct': { input: 0.15, output: 1.2 },
      'qwen3-next-80b-a3b-thinking': { input: 0.15, output: 1.2 },
    },
  ),
  byToken(
    { kind: 'chat', context: 260_096, maxOutput: 32_768 },
    {
      'qwen3-vl-plus': { input: 0.2, output: 1.6, cacheRead: 0.04 },
      'qwen3-vl-flash': { input: 0.05, output: 0.4, cacheRead: 0.01 },
    },
  ),
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 32_768 },
    {
      'qwen3-vl-235b-a22b-instruct': { input: 0.4, output: 1.6 },
      'qwen3-vl-235b-a22b-thinking': { input: 0.4, output: 4 },
      'qwen3-vl-32b-instruct': { input: 0.16, output: 0.64 },
      'qwen3-vl-32b-thinking': { input: 0.16, output: 2.87 },
    },
  ),
  byToken(
    { kind: 'chat', context: 129_024, maxOutput: 16_384 },
    {
      'qwen3-235b-a22b': { input: 0.7, output: 2.8 },
      'qwen3-32b': { input: 0.7, output: 2.8 },
      'qwen3-30b-a3b': { input: 0.2, output: 0.8 },
    },
  ),
  byToken(
    { kind: 'chat', context: 129_024, maxOutput: 8192 },
    {
      'qwen-vl-max': { input: 0.8, output: 3.2 },
      'qwen-vl-plus': { input: 0.21, output: 0.63 },
      'qwen2.5-72b-instruct': { input: 1.4, output: 5.6 },
      'qwen2.5-32b-instruct': { input: 0.7, output: 2.8 },
      'qwen2.5-14b-instruct': { input: 0.35, output: 1.4 },
      'qwen2.5-7b-instruct': { input: 0.175, output: 0.7 },
    },
  ),
  byToken(
    { kind: 'embedding', context: 8192 },
    { 'text-embedding-v4': { input: 0.07 }, 'text-embedding-v3': { input: 0.07 } },
  ),
  byToken({ kind: 'rerank', context: 30_000 }, { 'gte-rerank-v2': { input: 0.1 } }),
  byCall({ kind: 'image' }, { 'qwen-image': 0.035, 'qwen-image-plus': 0.03, 'qwen-image-edit': 0.045 }),
];
