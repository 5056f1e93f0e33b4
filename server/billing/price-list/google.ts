// Google. Prices of the first tier (prompts up to 200,000 tokens) where longer ones cost more.
import { byCall, byToken, type Group } from './price.ts';

export const google: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 1_048_576, maxOutput: 65_536 },
    {
      'gemini-3.6-flash': { input: 1.5, output: 7.5, cacheRead: 0.15 },
      'gemini-3.5-flash': { input: 1.5, output: 9, cacheRead: 0.15, audioIn: 1.5 },
      'gemini-3.5-flash-lite': { input: 0.3, output: 2.5, cacheRead: 0.03 },
      'gemini-3.1-pro-preview': { input: 2, output: 12, cacheRead: 0.2 },
      'gemini-3.1-pro-preview-customtools': { input: 2, output: 12, cacheRead: 0.2 },
      'gemini-3.1-flash-lite': { input: 0.25, output: 1.5, cacheRead: 0.025, audioIn: 0.5 },
      'gemini-3-pro-preview': { input: 2, output: 12, cacheRead: 0.2 },
      'gemini-3-flash-preview': { input: 0.5, output: 3, cacheRead: 0.05, audioIn: 1 },
      'gemini-omni-flash-preview': { input: 1.5, output: 9, audioIn: 1.5 },
      'gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03, audioIn: 1 },
      'gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cacheRead: 0.01, audioIn: 0.3 },
    },
  ),
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 65_536 },
    {
      'gemini-robotics-er-2-preview': { input: 2, output: 10, cacheRead: 0.2, audioIn: 2 },
      'gemini-robotics-er-1.6-preview': { input: 1, output: 5, audioIn: 2 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 64_000 },
    { 'gemini-2.5-computer-use-preview-10-2025': { input: 1.25, output: 10 } },
  ),
  byToken(
    { kind: 'chat', context: 1_048_576, maxOutput: 8192 },
    {
      'gemini-2.0-flash': { input: 0.1, output: 0.4, cacheRead: 0.025, audioIn: 0.7 },
      'gemini-2.0-flash-001': { input: 0.1, output: 0.4, cacheRead: 0.025, audioIn: 0.7 },
      'gemini-2.0-flash-lite': { input: 0.075, output: 0.3, cacheRead: 0.01875 },
      'gemini-2.0-flash-lite-001': { input: 0.075, output: 0.3, cacheRead: 0.01875 },
      'gemini-1.5-flash': { input: 0.075, output: 0.3, cacheRead: 0.01875 },
      'gemini-1.5-flash-8b': { input: 0.0375, output: 0.15, cacheRead: 0.01 },
    },
  ),
  byToken(
    { kind: 'chat', context: 2_097_152, maxOutput: 8192 },
    { 'gemini-1.5-pro': { input: 1.25, output: 5, cacheRead: 0.3125 } },
  ),
  byToken(
    { kind: 'realtime', context: 131_072, maxOutput: 65_536 },
    {
      'gemini-3.1-flash-live-preview': { input: 0.75, output: 4.5, audioIn: 3, audioOut: 12 },
      'gemini-2.5-flash-native-audio': { input: 0.5, output: 2, audioIn: 3, audioOut: 12 },
    },
  ),
  // These answer with images, which cost more than their text: `output` is the price of image tokens.
  byToken(
    { kind: 'image', context: 65_536, maxOutput: 32_768 },
    {
      'gemini-3-pro-image': { input: 2, output: 120 },
      'gemini-3-pro-image-preview': { input: 2, output: 120 },
      'gemini-3.1-flash-image': { input: 0.5, output: 60 },
      'gemini-3.1-flash-image-preview': { input: 0.5, output: 60 },
    },
  ),
  byToken(
    { kind: 'image', context: 32_768, maxOutput: 32_768 },
    { 'gemini-2.5-flash-image': { input: 0.3, output: 30, cacheRead: 0.03 } },
  ),
  byCall(
    { kind: 'image' },
    {
      'imagen-4.0-ultra-generate-001': 0.06,
      'imagen-4.0-generate-001': 0.04,
      'imagen-4.0-fast-generate-001': 0.02,
      'imagen-3.0-generate-002': 0.04,
      'imagen-3.0-generate-001': 0.04,
      'imagen-3.0-fast-generate-001': 0.02,
    },
  ),
  byToken(
    { kind: 'speech' },
    {
      'gemini-2.5-flash-preview-tts': { input: 0.5, output: 10, audioOut: 10 },
      'gemini-2.5-pro-preview-tts': { input: 1, output: 20, audioOut: 20 },
    },
  ),
  byToken({ kind: 'embedding', context: 8192 }, { 'gemini-embedding-2': { input: 0.2 } }),
  byToken({ kind: 'embedding', context: 2048 }, { 'gemini-embedding-001': { input: 0.15 } }),
];
