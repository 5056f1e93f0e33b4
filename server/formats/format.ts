// The names of the wire formats, and the conversion of requests that are no chat (embeddings, images, speech).
import type { ConversionNote } from './canonical.ts';

/** Request formats of the relay's endpoints. An upstream that speaks the caller's format gets the bytes as they are. */
export type Format =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'openai-completions'
  | 'openai-embeddings'
  | 'gemini-embeddings'
  | 'openai-moderations'
  | 'openai-images'
  | 'openai-speech'
  | 'openai-transcriptions'
  | 'openai-rerank'
  | 'openai-realtime'
  /** Drawings, which are tasks: submitted by one call, finished long after it. */
  | 'midjourney'
  /** A language of this supplier alone; `ownCodec` knows it. */
  | 'own';

/** An answer that is a file, such as spoken text. */
export interface TaskFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A task of OpenAI's API (embeddings, rerank, pictures, speech …) in the supplier's own words. */
export interface TaskConversion {
  encodeRequest(body: Record<string, unknown>, notes: ConversionNote[]): Record<string, unknown>;
  /** The answer as OpenAI would have given it. `request` is what the caller sent. */
  decodeResponse(body: unknown, request: Record<string, unknown>): Record<string, unknown>;
  /** In place of `decodeResponse` where OpenAI answers a file. */
  decodeFile?(body: unknown, request: Record<string, unknown>): TaskFile;
}
