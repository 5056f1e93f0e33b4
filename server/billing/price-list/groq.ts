// Groq, which hosts open weights under names of its own; Whisper is sold by the hour.
import { byToken, type Group } from './price.ts';

export const groq: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 32_768 },
    {
      'llama-3.3-70b-versatile': { input: 0.59, output: 0.79 },
      'llama-3.1-8b-instant': { input: 0.05, output: 0.08 },
      'meta-llama/llama-4-maverick-17b-128e-instruct': { input: 0.2, output: 0.6 },
      'meta-llama/llama-4-scout-17b-16e-instruct': { input: 0.11, output: 0.34 },
      'openai/gpt-oss-120b': { input: 0.15, output: 0.6 },
      'openai/gpt-oss-20b': { input: 0.075, output: 0.3 },
      'qwen/qwen3-32b': { input: 0.29, output: 0.59 },
    },
  ),
  byToken({ kind: 'chat', context: 8192, maxOutput: 8192 }, { 'gemma2-9b-it': { input: 0.2, output: 0.2 } }),
  byToken(
    { kind: 'transcription' },
    { 'whisper-large-v3': { input: 1.85 }, 'whisper-large-v3-turbo': { input: 0.67 } },
  ),
];
