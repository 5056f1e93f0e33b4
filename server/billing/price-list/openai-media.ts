// OpenAI's models for images, speech and live audio.
import { byCall, byToken, type Group } from './price.ts';

export const openaiMedia: readonly Group[] = [
  // The output of these is an image, so `output` is the price of image tokens.
  byToken(
    { kind: 'image' },
    {
      'gpt-image-2': { input: 5, output: 30, cacheRead: 1.25, image: 8 },
      'gpt-image-1.5': { input: 5, output: 32, cacheRead: 1.25, image: 8 },
      'gpt-image-1': { input: 5, output: 40, cacheRead: 1.25, image: 10 },
      'gpt-image-1-mini': { input: 2, output: 8, cacheRead: 0.2, image: 2.5 },
      'chatgpt-image': { input: 5, output: 32, cacheRead: 1.25, image: 8 },
    },
  ),
  byCall({ kind: 'image' }, { 'dall-e-3': 0.04, 'dall-e-2': 0.02 }),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 16_384 },
    {
      'gpt-audio': { input: 2.5, output: 10, audioIn: 32, audioOut: 64 },
      'gpt-audio-1.5': { input: 2.5, output: 10, audioIn: 32, audioOut: 64 },
      'gpt-audio-mini': { input: 0.6, output: 2.4, audioIn: 10, audioOut: 20 },
      'gpt-4o-audio-preview': { input: 2.5, output: 10, audioIn: 40, audioOut: 80 },
      'gpt-4o-mini-audio-preview': { input: 0.15, output: 0.6, audioIn: 10, audioOut: 20 },
    },
  ),
  byToken(
    { kind: 'realtime', context: 128_000, maxOutput: 32_000 },
    { 'gpt-realtime-2.1': { input: 4, output: 24, cacheRead: 0.4, image: 5, audioIn: 32, audioOut: 64 } },
  ),
  byToken(
    { kind: 'realtime', context: 32_000, maxOutput: 4096 },
    {
      'gpt-realtime-2': { input: 4, output: 16, cacheRead: 0.4, image: 5, audioIn: 32, audioOut: 64 },
      'gpt-realtime-1.5': { input: 4, output: 16, cacheRead: 0.4, image: 5, audioIn: 32, audioOut: 64 },
      'gpt-realtime': { input: 4, output: 16, cacheRead: 0.4, image: 5, audioIn: 32, audioOut: 64 },
    },
  ),
  byToken(
    { kind: 'realtime', context: 128_000, maxOutput: 4096 },
    {
      'gpt-realtime-2.1-mini': {
        input: 0.6,
        output: 2.4,
        cacheRead: 0.06,
        image: 0.8,
        audioIn: 10,
        audioOut: 20,
      },
      'gpt-realtime-mini': {
        input: 0.6,
        output: 2.4,
        cacheRead: 0.06,
        image: 0.8,
        audioIn: 10,
        audioOut: 20,
      },
      'gpt-4o-realtime-preview': { input: 5, output: 20, cacheRead: 2.5, audioIn: 40, audioOut: 80 },
      'gpt-4o-mini-realtime-preview': { input: 0.6, output: 2.4, cacheRead: 0.3, audioIn: 10, audioOut: 20 },
    },
  ),
  byToken(
    { kind: 'transcription', context: 16_000, maxOutput: 2000 },
    {
      'gpt-4o-transcribe': { input: 2.5, output: 10, audioIn: 6 },
      'gpt-4o-transcribe-diarize': { input: 2.5, output: 10, audioIn: 6 },
      'gpt-4o-mini-transcribe': { input: 1.25, output: 5, audioIn: 3 },
    },
  ),
  byToken({ kind: 'transcription' }, { 'whisper-1': { input: 6 } }),
  byToken(
    { kind: 'speech' },
    {
      'gpt-4o-mini-tts': { input: 0.6, output: 12, audioOut: 12 },
      'tts-1': { input: 15 },
      'tts-1-1106': { input: 15 },
      'tts-1-hd': { input: 30 },
      'tts-1-hd-1106': { input: 30 },
    },
  ),
];
