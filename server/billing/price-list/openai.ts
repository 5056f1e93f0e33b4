// OpenAI's text models. Where long prompts cost more this is the price of the first tier.
import { byCall, byToken, type Group } from './price.ts';

export const openai: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 1_050_000, maxOutput: 128_000 },
    {
      'gpt-5.6': { input: 5, output: 30, cacheRead: 0.5, cacheWrite5m: 6.25 },
      'gpt-5.6-sol': { input: 5, output: 30, cacheRead: 0.5, cacheWrite5m: 6.25 },
      'gpt-5.6-terra': { input: 2, output: 12, cacheRead: 0.2, cacheWrite5m: 2.5 },
      'gpt-5.6-luna': { input: 0.2, output: 1.2, cacheRead: 0.02, cacheWrite5m: 0.25 },
      'gpt-5.5': { input: 5, output: 30, cacheRead: 0.5 },
      'gpt-5.4': { input: 2.5, output: 15, cacheRead: 0.25 },
    },
  ),
  byToken(
    { kind: 'responses', context: 1_050_000, maxOutput: 128_000 },
    {
      'gpt-5.5-pro': { input: 30, output: 180, cacheRead: 3 },
      'gpt-5.4-pro': { input: 30, output: 180, cacheRead: 3 },
    },
  ),
  byToken(
    { kind: 'chat', context: 272_000, maxOutput: 128_000 },
    {
      'gpt-5.4-mini': { input: 0.75, output: 4.5, cacheRead: 0.075 },
      'gpt-5.4-nano': { input: 0.2, output: 1.25, cacheRead: 0.02 },
      'gpt-5.2': { input: 1.75, output: 14, cacheRead: 0.175 },
      'gpt-5.1': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
      'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
      'gpt-5-search-api': { input: 1.25, output: 10, cacheRead: 0.125 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 16_384 },
    {
      'gpt-5.3-chat': { input: 1.75, output: 14, cacheRead: 0.175 },
      'gpt-5.2-chat': { input: 1.75, output: 14, cacheRead: 0.175 },
      'gpt-5.1-chat': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gpt-5-chat': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
      'gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
      'gpt-4o-search-preview': { input: 2.5, output: 10, cacheRead: 1.25 },
      'gpt-4o-mini-search-preview': { input: 0.15, output: 0.6, cacheRead: 0.075 },
    },
  ),
  byToken(
    { kind: 'responses', context: 272_000, maxOutput: 128_000 },
    {
      'gpt-5.3-codex': { input: 1.75, output: 14, cacheRead: 0.175 },
      'gpt-5.2-codex': { input: 1.75, output: 14, cacheRead: 0.175 },
      'gpt-5.2-pro': { input: 21, output: 168 },
      'gpt-5.1-codex': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gpt-5.1-codex-max': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gpt-5.1-codex-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
      'gpt-5-codex': { input: 1.25, output: 10, cacheRead: 0.125 },
    },
  ),
  byToken(
    { kind: 'responses', context: 400_000, maxOutput: 128_000 },
    { 'gpt-5-pro': { input: 15, output: 120 } },
  ),
  byToken(
    { kind: 'chat', context: 1_047_576, maxOutput: 32_768 },
    {
      'gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
      'gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
      'gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025 },
    },
  ),
  byToken(
    { kind: 'chat', context: 200_000, maxOutput: 100_000 },
    {
      o1: { input: 15, output: 60, cacheRead: 7.5 },
      o3: { input: 2, output: 8, cacheRead: 0.5 },
      'o3-mini': { input: 1.1, output: 4.4, cacheRead: 0.55 },
      'o4-mini': { input: 1.1, output: 4.4, cacheRead: 0.275 },
    },
  ),
  byToken(
    { kind: 'responses', context: 200_000, maxOutput: 100_000 },
    {
      'o1-pro': { input: 150, output: 600 },
      'o3-pro': { input: 20, output: 80 },
      'o3-deep-research': { input: 10, output: 40, cacheRead: 2.5 },
      'o4-mini-deep-research': { input: 2, output: 8, cacheRead: 0.5 },
      'codex-mini': { input: 1.5, output: 6, cacheRead: 0.375 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 65_536 },
    { 'o1-mini': { input: 1.1, output: 4.4, cacheRead: 0.55 } },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 32_768 },
    { 'o1-preview': { input: 15, output: 60, cacheRead: 7.5 } },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 16_384 },
    { 'gpt-4.5-preview': { input: 75, output: 150, cacheRead: 37.5 } },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 4096 },
    {
      'chatgpt-4o': { input: 5, output: 15 },
      // The first gpt-4o was dearer than its successors and stayed so.
      'gpt-4o-2024-05-13': { input: 5, output: 15 },
      'gpt-4-turbo': { input: 10, output: 30 },
      'gpt-4-turbo-preview': { input: 10, output: 30 },
      'gpt-4-0125-preview': { input: 10, output: 30 },
      'gpt-4-1106-preview': { input: 10, output: 30 },
      'gpt-4-vision-preview': { input: 10, output: 30 },
    },
  ),
  byToken(
    { kind: 'chat', context: 8192, maxOutput: 4096 },
    {
      'gpt-4': { input: 30, output: 60 },
      'gpt-4-0613': { input: 30, output: 60 },
      'gpt-4-0314': { input: 30, output: 60 },
    },
  ),
  byToken(
    { kind: 'chat', context: 32_768, maxOutput: 4096 },
    { 'gpt-4-32k': { input: 60, output: 120 }, 'gpt-4-32k-0613': { input: 60, output: 120 } },
  ),
  byToken(
    { kind: 'chat', context: 16_385, maxOutput: 4096 },
    {
      'gpt-3.5-turbo': { input: 0.5, output: 1.5 },
      'gpt-3.5-turbo-0125': { input: 0.5, output: 1.5 },
      'gpt-3.5-turbo-1106': { input: 1, output: 2 },
      'gpt-3.5-turbo-0613': { input: 1.5, output: 2 },
      'gpt-3.5-turbo-16k': { input: 3, output: 4 },
      'gpt-3.5-turbo-16k-0613': { input: 3, output: 4 },
    },
  ),
  // Custom assistants carry their own id; billing asks for the whole family by this name.
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 16_384 },
    { 'gpt-4o-gizmo-*': { input: 2.5, output: 10 } },
  ),
  byCall({ kind: 'chat', context: 32_768, maxOutput: 4096 }, { 'gpt-4-gizmo-*': 0.1 }),
  byToken(
    { kind: 'completion', context: 8192, maxOutput: 4096 },
    {
      'gpt-3.5-turbo-instruct': { input: 1.5, output: 2 },
      'gpt-3.5-turbo-instruct-0914': { input: 1.5, output: 2 },
    },
  ),
  byToken(
    { kind: 'completion', context: 16_384, maxOutput: 4096 },
    { 'davinci-002': { input: 2, output: 2 }, 'babbage-002': { input: 0.4, output: 0.4 } },
  ),
  byToken(
    { kind: 'embedding', context: 8191 },
    {
      'text-embedding-3-large': { input: 0.13 },
      'text-embedding-3-small': { input: 0.02 },
      'text-embedding-ada-002': { input: 0.1 },
    },
  ),
  // OpenAI gives moderation away; a price of zero lets callers use it.
  byToken(
    { kind: 'moderation', context: 32_768 },
    {
      'omni-moderation': { input: 0 },
      'text-moderation': { input: 0 },
      'text-moderation-stable': { input: 0 },
      'text-moderation-007': { input: 0 },
    },
  ),
];
