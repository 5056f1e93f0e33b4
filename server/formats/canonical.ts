// The common language between caller and upstream formats: what a request asks, what a stream says, what was used.
// A format is decoded into this and encoded from it; nothing here belongs to one provider, except what is marked with
// its `origin` and can only be carried back to where it came from.

/** Whose word a thing is: signatures, hidden thoughts and built-in tools mean nothing to anybody else. */
export type Origin = 'openai' | 'anthropic' | 'google';

export type UsageClass =
  | 'input'
  | 'cacheRead'
  | 'cacheWrite5m'
  | 'cacheWrite1h'
  | 'imageInput'
  | 'audioInput'
  | 'output'
  | 'reasoning'
  | 'audioOutput';

/** Disjoint token classes: no token is counted twice. `input` is uncached text, `output` is text without reasoning. */
export interface CanonicalUsage extends Record<UsageClass, number> {
  /** Classes the upstream said nothing of: 0 in every sum, absent in an answer. */
  absent?: readonly UsageClass[];
  /** Searches the provider ran by itself. */
  webSearches?: number;
  /** The usage object as the upstream wrote it. */
  raw: unknown;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'other';

/** A point up to which the provider is asked to keep the prompt. */
export interface CacheHint {
  ttl?: '5m' | '1h';
}

/** Where a statement comes from. Places are character offsets in the text it belongs to. */
export interface CanonicalCitation {
  url?: string;
  title?: string;
  citedText?: string;
  start?: number;
  end?: number;
  origin: Origin;
  /** As its format wrote it. */
  raw: unknown;
}

export interface CanonicalLogprob {
  token: string;
  logprob: number;
  bytes?: readonly number[] | null;
  top?: readonly { token: string; logprob: number; bytes?: readonly number[] | null }[];
}

/** A picture, recording, film or document: by address (also a data URL), by content, or by the id of a file kept upstream. */
export interface MediaPart {
  type: 'image' | 'audio' | 'video' | 'file';
  url?: string;
  /** Base64 without a prefix. */
  data?: string;
  /** The file's id with this owner. */
  fileId?: string;
  mediaType?: string;
  filename?: string;
  detail?: string;
  /** A document that is plain text. */
  text?: string;
  /** What only documents of one format have: citations, context. */
  options?: Record<string, unknown>;
  cache?: CacheHint;
}

export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  /** Proof for whoever wrote it; without it some upstreams refuse the text. */
  signature?: string;
  /** Thoughts that only their author can read. */
  redacted?: string;
  origin?: Origin;
  id?: string;
}

export interface ToolCallPart {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON; for a custom tool the bare text. */
  arguments: string;
  isCustom?: boolean;
  /** Google's proof of the thought that led to the call. */
  signature?: string;
  cache?: CacheHint;
}

export interface ToolResultPart {
  type: 'tool_result';
  callId: string;
  name?: string;
  content: CanonicalPart[];
  isError?: boolean;
  isCustom?: boolean;
  cache?: CacheHint;
}

export type CanonicalPart =
  | { type: 'text'; text: string; cache?: CacheHint; citations?: CanonicalCitation[]; signature?: string }
  | MediaPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | { type: 'refusal'; text: string }
  /** A turn's item that only its own provider understands: a search it ran, a file it wrote. */
  | { type: 'provider'; origin: Origin; item: Record<string, unknown> };

export interface CanonicalMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  name?: string;
  content: CanonicalPart[];
}

export interface FunctionTool {
  type: 'function';
  /** Safe in every format: letters, digits, `_`, `-`, at most 64. */
  name: string;
  /** What the caller calls it, where that differs. */
  givenName?: string;
  /** The caller's group of tools it stands in. */
  namespace?: string;
  description?: string;
  parameters: unknown;
  strict?: boolean;
  cache?: CacheHint;
}

/** A tool that takes free text instead of JSON. */
export interface CustomTool {
  type: 'custom';
  name: string;
  givenName?: string;
  namespace?: string;
  description?: string;
  /** A grammar for the text. */
  format?: unknown;
  cache?: CacheHint;
}

export type ProviderToolKind = 'web_search' | 'web_fetch' | 'code_execution' | 'other';

/** A tool the provider runs by itself, or whose shape only it knows. */
export interface ProviderTool {
  type: 'provider';
  origin: Origin;
  kind: ProviderToolKind;
  /** The name in the provider's list: `web_search_20250305`, `googleSearch`. */
  name: string;
  config: Record<string, unknown>;
  cache?: CacheHint;
}

export type CanonicalTool = FunctionTool | CustomTool | ProviderTool;

export type CanonicalToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { name: string }
  | { allowed: string[]; mode: 'auto' | 'required' }
  /** One of the provider's own tools. */
  | { provider: Record<string, unknown>; origin: Origin };

export type CanonicalResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; name?: string; description?: string; schema: unknown; strict?: boolean };

export interface CanonicalReasoning {
  /** none, minimal, low, medium, high, xhigh, max. */
  effort?: string;
  budgetTokens?: number;
  /** The model decides how long it thinks. */
  isAdaptive?: boolean;
  /** Thoughts are to be shown, in this manner: auto, concise, detailed. */
  summary?: string;
}

/** Formats whose requests can be decoded. */
export type FormatName = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini-generate';

export interface CanonicalRequest {
  /** The caller's format. */
  format: FormatName;
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
  /** Probabilities are asked for, of so many alternatives. */
  logprobs?: { top?: number };
  tools?: CanonicalTool[];
  toolChoice?: CanonicalToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: CanonicalResponseFormat;
  reasoning?: CanonicalReasoning;
  verbosity?: string;
  user?: string;
  metadata?: Record<string, unknown>;
  serviceTier?: string;
  store?: boolean;
  previousResponseId?: string;
  include?: string[];
  truncation?: string;
  promptCacheKey?: string;
  /** The whole prompt is to be kept. */
  cache?: CacheHint;
  /** What the answer may consist of, when not only text: text, image, audio. */
  modalities?: string[];
  audio?: { voice?: unknown; format?: string };
  /** Fields of the caller's format that this type does not name, by their own names: carried where formats match. */
  extra: Record<string, unknown>;
  /** The request as the caller wrote it, for dialects whose answers repeat parts of it. */
  source: Record<string, unknown>;
}

export type CanonicalEvent =
  | { type: 'start'; id: string; model: string; created: number; serviceTier?: string }
  | {
      type: 'text-delta';
      choice: number;
      text: string;
      logprobs?: readonly CanonicalLogprob[];
      signature?: string;
    }
  | { type: 'citation'; choice: number; citation: CanonicalCitation }
  | { type: 'reasoning-delta'; choice: number; text: string }
  /** Ends a train of thought with its proof. */
  | { type: 'reasoning-signature'; choice: number; signature: string; origin: Origin; id?: string }
  /** A train of thought that only its author can read. */
  | { type: 'reasoning-redacted'; choice: number; data: string; origin: Origin; id?: string }
  | { type: 'refusal-delta'; choice: number; text: string }
  /** `id` and `name` come with the first piece of a call; `index` tells calls apart, counting calls only. */
  | {
      type: 'tool-call-delta';
      choice: number;
      index: number;
      id?: string;
      name?: string;
      arguments: string;
      isCustom?: boolean;
      signature?: string;
    }
  | { type: 'image'; choice: number; mediaType: string; data?: string; url?: string; signature?: string }
  | {
      type: 'audio-delta';
      choice: number;
      id?: string;
      data?: string;
      mediaType?: string;
      transcript?: string;
      expiresAt?: number;
    }
  | { type: 'provider-item'; choice: number; origin: Origin; item: Record<string, unknown> }
  | { type: 'finish'; choice: number; reason: FinishReason; raw: string; stopSequence?: string }
  | { type: 'usage'; usage: CanonicalUsage }
  | { type: 'error'; message: string; code: string; status: number; kind?: string };

/** What a conversion could not carry one to one; a caller may ask to see it, or to be refused instead. */
export interface ConversionNote {
  field: string;
  what: 'dropped' | 'approximated' | 'renamed';
  detail: string;
}
