// Guesses from a model's name which kind of call it serves.
import type { Format } from './provider.ts';

const KINDS: readonly (readonly [RegExp, Format])[] = [
  [/^mj_|^swap_face$/, 'midjourney'],
  [/^suno_/, 'suno'],
  [/^sora|^veo-|kling|seedance|vidu|jimeng|hailuo|^wan[\dx]|^gen\da?[_-]|[its]2v-01/i, 'video'],
  [/rerank/i, 'openai-rerank'],
  [/embed|bge-|m3e|ada-002/i, 'openai-embeddings'],
  [/dall-e|image/i, 'openai-images'],
  [/whisper|transcri/i, 'openai-transcriptions'],
  [/tts/i, 'openai-speech'],
  [/realtime/i, 'openai-realtime'],
  [/moderation/i, 'openai-moderations'],
];

export function formatOfModel(model: string): Format {
  return KINDS.find(([pattern]) => pattern.test(model))?.[1] ?? 'openai-chat';
}
