// The common language between caller and upstream formats: what a request asks, what a stream says, what was used.
// A format is decoded into this and encoded from it; nothing here belongs to one provider.

/** Disjoint token classes: no token is counted twice. `input` is uncached text, `output` is text without reasoning. */
export interface CanonicalUsage {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  imageInput: number;
  audioInput: number;
  output: number;
  reasoning: number;
  audioOutput: number;
  /** The usage object as the upstream wrote it. */
  raw: unknown;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'other';

export type CanonicalPart =
  | { type: 'text'; text: string; cache?: CacheHint }
  /** `url` may be a data URL. */
  | { type: 'image'; url: string; detail?: string; cache?: CacheHint }
  | { type: 'audio'; data: string; format: string }
  | { type: 'file'; data?: string; fileId?: string; filename?: string; mediaType?: string; cache?: CacheHint }
  | { type: 'reasoning'; text: string; signature?: string; redacted?: string }
  | { type: 'tool_call'; id: string; name: string; arguments: string; signature?: string; cache?: CacheHint }
  | { type: 'tool_result'; callId: string; content: CanonicalPart[]; isError?: boolean; cache?: CacheHint }
  | { type: 'refusal'; text: string };

/** A point up to which the provider is asked to keep the prompt. */
export interface CacheHint {
  ttl?: '5m' | '1h';
}

export interface CanonicalMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  name?: string;
  content: CanonicalPart[];
}

export interface CanonicalTool {
  name: string;
  description?: string;
  parameters: unknown;
  strict?: boolean;
  cache?: CacheHint;
}

export type CanonicalToolChoice = 'auto' | 'none' | 'required' | { name: string };

export interface CanonicalRequest {
  model: string;
  messages: CanonicalMessage[];
  stream: boolean;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  seed?: number;
  choices?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  tools?: CanonicalTool[];
  toolChoice?: CanonicalToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?:
    | { type: 'text' | 'json_object' }
    | { type: 'json_schema'; name: string; schema: unknown; strict?: boolean };
  reasoning?: { effort?: string; budgetTokens?: number };
  user?: string;
  /** Fields of the caller's format that this type does not name, by their own names: carried where formats match. */
  extra: Record<string, unknown>;
}

export type CanonicalEvent =
  | { type: 'start'; id: string; model: string; created: number }
  | { type: 'text-delta'; choice: number; text: string }
  | { type: 'reasoning-delta'; choice: number; text: string; signature?: string }
  | { type: 'refusal-delta'; choice: number; text: string }
  /** `id` and `name` come with the first piece of a call; `index` tells calls apart. */
  | { type: 'tool-call-delta'; choice: number; index: number; id?: string; name?: string; arguments: string }
  | { type: 'finish'; choice: number; reason: FinishReason; raw: string }
  | { type: 'usage'; usage: CanonicalUsage }
  | { type: 'error'; message: string; code: string; status: number };

/** What a conversion could not carry one to one; a caller may ask to see it, or to be refused instead. */
export interface ConversionNote {
  field: string;
  what: 'dropped' | 'approximated' | 'renamed';
  detail: string;
}
