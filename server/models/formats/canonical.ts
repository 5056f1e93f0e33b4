// The common form between caller and upstream formats: request, stream events, usage. Each format is decoded into this and
// encoded from it. Nothing here belongs to one provider, except what is marked with its `origin` and can only be sent back
// to it.
import type { OwnDeclaration } from './own-declaration.ts';

/** The vendor that issued a value: signatures, encrypted reasoning and built-in tools are valid only there. */
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
  /** Classes the upstream did not report: 0 in sums, absent in an answer. */
  absent?: readonly UsageClass[];
  /** The part of `output` that only the total has: neither the prompt, nor the answer, nor its reasoning counts it. */
  inTotalOnly?: number;
  /** The report is a total and nothing else; all of it counts as `input`. */
  isTotalAlone?: true;
  /** Searches that the provider ran. */
  webSearches?: number;
  /** The upstream's usage object, unchanged. */
  raw: unknown;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'other';

/** A point up to which the provider should cache the prompt. */
export interface CacheHint {
  ttl?: '5m' | '1h';
}

/** A source of a statement. Positions are character offsets in its text. */
export interface CanonicalCitation {
  url?: string;
  title?: string;
  citedText?: string;
  start?: number;
  end?: number;
  origin: Origin;
  /** In the original format. */
  raw: unknown;
}

export interface CanonicalLogprob {
  token: string;
  logprob: number;
  bytes?: readonly number[] | null;
  top?: readonly { token: string; logprob: number; bytes?: readonly number[] | null }[];
}

/** An image, recording, video or document: by URL (also a data URL), by content, or by the id of a file kept upstream. */
export interface MediaPart {
  type: 'image' | 'audio' | 'video' | 'file';
  url?: string;
  /** Base64 without a prefix. */
  data?: string;
  /** The file's id at the `origin`. */
  fileId?: string;
  mediaType?: string;
  filename?: string;
  detail?: string;
  /** A plain-text document. */
  text?: string;
  /** Members of documents in one format only: citations, context. */
  options?: Record<string, unknown>;
  /** Google's signature of the reasoning before the picture. */
  signature?: string;
  cache?: CacheHint;
}

export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  /** The issuer's signature; some upstreams refuse reasoning without it. */
  signature?: string;
  /** Encrypted reasoning that only the issuer can read. */
  redacted?: string;
  origin?: Origin;
  id?: string;
}

export interface ToolCallPart {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON; for a custom tool plain text. */
  arguments: string;
  isCustom?: boolean;
  /** Google's signature of the reasoning before the call. */
  signature?: string;
  cache?: CacheHint;
  own?: OwnDeclaration;
}

export interface ToolResultPart {
  type: 'tool_result';
  callId: string;
  name?: string;
  content: CanonicalPart[];
  isError?: boolean;
  isCustom?: boolean;
  cache?: CacheHint;
  own?: OwnDeclaration;
}

export type CanonicalPart =
  | { type: 'text'; text: string; cache?: CacheHint; citations?: CanonicalCitation[]; signature?: string }
  | MediaPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | { type: 'refusal'; text: string }
  /** An item that only its own provider understands: a search it ran, a file it wrote. */
  | { type: 'provider'; origin: Origin; item: Record<string, unknown> };

export interface CanonicalMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  name?: string;
  content: CanonicalPart[];
}

export interface FunctionTool {
  type: 'function';
  /** Valid in every format: letters, digits, `_`, `-`, at most 64. */
  name: string;
  /** The caller's name of the tool, if different. */
  givenName?: string;
  /** The caller's namespace of the tool. */
  namespace?: string;
  namespaceDescription?: string;
  description?: string;
  parameters: unknown;
  strict?: boolean;
  cache?: CacheHint;
  own?: OwnDeclaration;
}

/** A tool with plain text instead of JSON as input. */
export interface CustomTool {
  type: 'custom';
  name: string;
  givenName?: string;
  namespace?: string;
  namespaceDescription?: string;
  description?: string;
  /** A grammar of the input. */
  format?: unknown;
  cache?: CacheHint;
}

export type ProviderToolKind = 'web_search' | 'web_fetch' | 'code_execution' | 'other';

/** A tool that the provider runs, or whose shape only the provider knows. */
export interface ProviderTool {
  type: 'provider';
  origin: Origin;
  kind: ProviderToolKind;
  /** The name in the provider's API: `web_search_20250305`, `googleSearch`. */
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
  /** The model decides how long it reasons. */
  isAdaptive?: boolean;
  /** Reasoning is returned in this form: auto, concise, detailed. */
  summary?: string;
  /** Reasoning must not be returned. */
  isHidden?: boolean;
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
  /** Log probabilities are requested, for this many alternatives. */
  logprobs?: { top?: number };
  tools?: CanonicalTool[];
  toolChoice?: CanonicalToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: CanonicalResponseFormat;
  reasoning?: CanonicalReasoning;
  verbosity?: string;
  user?: string;
  /** A stable id of the person behind the caller, for checks of abuse. */
  safetyIdentifier?: string;
  metadata?: Record<string, unknown>;
  serviceTier?: string;
  store?: boolean;
  previousResponseId?: string;
  include?: string[];
  truncation?: string;
  promptCacheKey?: string;
  /** The whole prompt should be cached. */
  cache?: CacheHint;
  /** The parts of the answer if not only text: text, image, audio. */
  modalities?: string[];
  audio?: { voice?: unknown; format?: string };
  /** Fields of the caller's format without a member here, under their own names: sent when the formats match. */
  extra: Record<string, unknown>;
  /** Paths of members inside objects that the caller's codec does not know: no upstream gets them. */
  unread?: readonly string[];
  /** The caller's request, for formats whose answers repeat parts of it. */
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
  /** Ends a block of reasoning with its signature. */
  | { type: 'reasoning-signature'; choice: number; signature: string; origin: Origin; id?: string }
  /** A block of reasoning that only its issuer can read. */
  | { type: 'reasoning-redacted'; choice: number; data: string; origin: Origin; id?: string }
  | { type: 'refusal-delta'; choice: number; text: string }
  /** `id` and `name` come with the first piece of a call; `index` counts calls only. */
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

/** What a conversion lost or changed; a caller may ask to see it, or to be refused instead. */
export interface ConversionNote {
  field: string;
  what: 'dropped' | 'approximated' | 'renamed';
  detail: string;
  /** The caller's picture, recording or document is lost: an answer without it would be about nothing. */
  isAttachment?: true;
}
