// ByteDance's Doubao, converted from yuan at 7.1; the first tier (prompts up to 32,000 tokens).
import { byCall, byToken, type Group } from './price.ts';

export const bytedance: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 256_000, maxOutput: 128_000 },
    {
      'doubao-seed-2-0-pro': { input: 0.45, output: 2.25, cacheRead: 0.09 },
      'doubao-seed-2-0-code-preview': { input: 0.45, output: 2.25, cacheRead: 0.09 },
      'doubao-seed-2-0-lite': { input: 0.085, output: 0.51, cacheRead: 0.017 },
      'doubao-seed-2-0-mini': { input: 0.028, output: 0.28, cacheRead: 0.006 },
    },
  ),
  byToken(
    { kind: 'chat', context: 256_000, maxOutput: 32_000 },
    {
      'doubao-seed-1-8': { input: 0.11, output: 1.13, cacheRead: 0.023 },
      'doubao-seed-1-6': { input: 0.11, output: 1.13, cacheRead: 0.023 },
      'doubao-seed-1-6-thinking': { input: 0.11, output: 1.13, cacheRead: 0.023 },
      'doubao-seed-1-6-vision': { input: 0.11, output: 1.13, cacheRead: 0.023 },
      'doubao-seed-1-6-flash': { input: 0.021, output: 0.21, cacheRead: 0.004 },
      'doubao-seed-code-preview': { input: 0.17, output: 1.13, cacheRead: 0.034 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 16_384 },
    {
      'doubao-1-5-thinking-pro': { input: 0.56, output: 2.25 },
      'doubao-1-5-vision-pro': { input: 0.42, output: 1.27 },
    },
  ),
  byToken(
    { kind: 'chat', context: 32_768, maxOutput: 12_288 },
    {
      'doubao-1-5-pro-32k': { input: 0.11, output: 0.28, cacheRead: 0.023 },
      'doubao-1-5-lite-32k': { input: 0.042, output: 0.085, cacheRead: 0.009 },
    },
  ),
  byToken(
    { kind: 'chat', context: 262_144, maxOutput: 12_288 },
    { 'doubao-1-5-pro-256k': { input: 0.7, output: 1.27 } },
  ),
  byToken(
    { kind: 'embedding', context: 4096 },
    {
      'doubao-embedding': { input: 0.07 },
      'doubao-embedding-text': { input: 0.07 },
      'doubao-embedding-large': { input: 0.1 },
      'doubao-embedding-large-text': { input: 0.1 },
    },
  ),
  byCall(
    { kind: 'image' },
    { 'doubao-seedream-4-5': 0.035, 'doubao-seedream-4-0': 0.028, 'doubao-seedream-3-0-t2i': 0.0365 },
  ),
];
