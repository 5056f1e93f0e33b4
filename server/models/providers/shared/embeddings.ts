// Converts embeddings and reranking results of other shapes to OpenAI's (and, for reranking, Jina's) answer.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { isObject, member, type Json } from './json.ts';

/** The texts to embed. Token ids are valid only for OpenAI's models: they are dropped with a note. */
export function inputTexts(body: Json, notes: ConversionNote[]): string[] {
  const input = body['input'];
  const entries = Array.isArray(input) ? (input as unknown[]) : [input];
  const texts = entries.filter((entry): entry is string => typeof entry === 'string');
  if (texts.length < entries.length) {
    notes.push({ field: 'input', what: 'dropped', detail: 'token ids are not supported here' });
  }
  return texts;
}

/** `promptTokens` is undefined when the upstream did not report it. */
export function embeddingAnswer(
  vectors: readonly unknown[],
  request: Json,
  promptTokens: number | undefined,
): Json {
  const wantsBase64 = request['encoding_format'] === 'base64';
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: wantsBase64 ? base64Vector(vector) : vector,
  }));
  const usage =
    promptTokens === undefined ? {} : { usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } };
  return { object: 'list', data, model: request['model'], ...usage };
}

/** OpenAI's encoding: 32-bit floats, little-endian. */
function base64Vector(vector: unknown): unknown {
  if (!Array.isArray(vector)) return vector;
  return Buffer.from(new Float32Array(vector.map(Number)).buffer).toString('base64');
}

interface Ranked {
  readonly index: number;
  readonly score: number;
}

export function rerankAnswer(
  ranked: readonly Ranked[],
  request: Json,
  totalTokens: number | undefined,
): Json {
  const documents = Array.isArray(request['documents']) ? (request['documents'] as unknown[]) : [];
  const results = ranked.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(request['return_documents'] === true ? { document: documentOf(documents[index]) } : {}),
  }));
  const usage =
    totalTokens === undefined ? {} : { usage: { prompt_tokens: totalTokens, total_tokens: totalTokens } };
  return { model: request['model'], results, ...usage };
}

/** Index and score under their most common names. */
export function rankedIn(entries: readonly unknown[]): Ranked[] {
  return entries.map((entry) => ({
    index: Number(member(entry, 'index') ?? 0),
    score: Number(member(entry, 'relevance_score') ?? 0),
  }));
}

export function documentTexts(body: Json): string[] {
  const documents = Array.isArray(body['documents']) ? (body['documents'] as unknown[]) : [];
  return documents.map((document) => documentOf(document).text);
}

function documentOf(document: unknown): { text: string } {
  if (typeof document === 'string') return { text: document };
  return { text: isObject(document) && typeof document['text'] === 'string' ? document['text'] : '' };
}
