// The paths that serve a model, by its kind or its name.
import { builtInPrice, type ModelKind } from '#server/money/prices/price-list/index.ts';
import { formatOfModel } from '#server/models/providers/model-kind.ts';
import type { Format } from '#server/models/providers/provider.ts';

const PATHS: Record<ModelKind, readonly string[]> = {
  chat: ['/v1/chat/completions', '/v1/responses'],
  responses: ['/v1/responses'],
  completion: ['/v1/completions'],
  realtime: ['/v1/realtime'],
  embedding: ['/v1/embeddings'],
  rerank: ['/v1/rerank'],
  moderation: ['/v1/moderations'],
  image: ['/v1/images/generations'],
  speech: ['/v1/audio/speech'],
  transcription: ['/v1/audio/transcriptions'],
  task: [],
  video: ['/v1/videos'],
};

/** Of a model that is not in the built-in list, by what its name says. */
const PATHS_BY_NAME: Partial<Record<Format, readonly string[]>> = {
  midjourney: PATHS.task,
  suno: PATHS.task,
  video: PATHS.video,
  'openai-rerank': PATHS.rerank,
  'openai-embeddings': PATHS.embedding,
  'openai-images': PATHS.image,
  'openai-transcriptions': PATHS.transcription,
  'openai-speech': PATHS.speech,
  'openai-realtime': PATHS.realtime,
  'openai-moderations': PATHS.moderation,
};

/** The paths that serve a model. */
export function pathsOf(model: string): readonly string[] {
  const known = builtInPrice(model);
  return known ? PATHS[known.kind] : (PATHS_BY_NAME[formatOfModel(model)] ?? PATHS.chat);
}
