// The names of the wire formats, and the conversion of requests other than chat (embeddings, images, speech).
import type { ConversionNote } from './canonical.ts';

/** Request formats of the relay's endpoints. An upstream that accepts the caller's format gets the body unchanged. */
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
  /** Files and batches of requests, in OpenAI's API; the requests in them have formats of their own. */
  | 'openai-batches'
  /** Batches of Anthropic's messages. */
  | 'anthropic-batches'
  /** Drawings, which are tasks: submitted by one call, finished long after it. */
  | 'midjourney'
  /** Music, also tasks. */
  | 'suno'
  /** Videos, also tasks. */
  | 'video'
  /** The upstream's own protocol, converted by `ownCodec`. */
  | 'own';

/** An answer that is a file, such as speech. */
export interface TaskFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Converts a task of OpenAI's API (embeddings, rerank, images, speech …) to the upstream's format. */
export interface TaskConversion {
  encodeRequest(body: Record<string, unknown>, notes: ConversionNote[]): Record<string, unknown>;
  /** The answer in OpenAI's format. `request` is the caller's request. */
  decodeResponse(body: unknown, request: Record<string, unknown>): Record<string, unknown>;
  /** Instead of `decodeResponse` where OpenAI's answer is a file. */
  decodeFile?(body: unknown, request: Record<string, unknown>): TaskFile;
}
