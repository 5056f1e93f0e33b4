// How one answer of the mock differs from the plain one.

export interface MockToolCall {
  name: string;
  /** JSON; the plain input of a custom tool. */
  arguments: string;
  /** A call of OpenAI's custom tools, whose input is plain text; only for requests that offer the tool as such. */
  isCustom?: boolean;
}

export interface MockUsage {
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteInputTokens: number;
  /** The one-hour part of the written tokens; only Anthropic reports it. */
  cacheWriteHourInputTokens: number;
  audioInputTokens: number;
  imageInputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  audioOutputTokens: number;
}

export interface Behaviour {
  /** Copied into the request's record, so that a test finds it. */
  tag?: string;

  // The answer itself.
  text?: string;
  outputTokens?: number;
  reasoning?: string;
  toolCalls?: MockToolCall[];
  /**
   * A model that needs a tool: a request with tools gets `calls` until its body contains `pattern`; then the answer is `text`
   * and what was found.
   */
  search?: { pattern: string; calls: MockToolCall[] };
  finishReason?: string;
  usage?: Partial<MockUsage>;
  /** A model that uses all it was asked for: what is not written is reasoning that nobody sees. */
  fillsLimit?: boolean;
  /** Other places of the same figures: reasoning only in the total (xAI), `cached_tokens` at the top level (Moonshot). */
  usageShape?: 'reasoning-outside' | 'cached-at-top';
  /** When usage is reported: `last` is OpenAI's default (in streams only on request). */
  usageReport?: 'last' | 'missing' | 'twice' | 'cumulative' | 'with-finish' | 'unasked';
  /** Anthropic: reasoning comes as an encrypted block. */
  redactsThinking?: boolean;
  /** Gemini: the prompt is blocked, there is no candidate. */
  blocksPrompt?: boolean;
  /** Terminal event of a Responses stream. */
  ending?: 'completed' | 'incomplete' | 'failed';
  /** A generated picture as base64; default: one pixel. */
  image?: string;

  // Refusals before any content.
  status?: number;
  errorCode?: string;
  errorMessage?: string;
  errorBody?: unknown;
  redirect?: string;

  // Pace. A stall is a pause longer than the other side's timeout.
  headersDelayMilliseconds?: number;
  firstTokenDelayMilliseconds?: number;
  chunkDelayMilliseconds?: number;
  /** So many events of a stream leave together, and each delay is before that many. */
  eventsPerWrite?: number;
  stall?: { afterEvents: number; milliseconds: number };
  endless?: boolean;

  // Broken streams.
  resetAtByte?: number;
  resetAfterEvents?: number;
  /** Ends the body properly but early: no finish reason, no usage, no [DONE]. */
  cutAfterEvents?: number;
  errorAfterEvents?: number;
  /** An error object with status 200, as JSON or as the first event of a stream. */
  errorInside200?: boolean;
  malformedAfterEvents?: number;
  hugeEventBytes?: number;
  omitDone?: boolean;

  // Bytes on the wire.
  sliceBytes?: number;
  lineEnding?: '\n' | '\r\n' | '\r';
  byteOrderMark?: boolean;
  comments?: boolean;
  multilineData?: boolean;
  omitFinalNewline?: boolean;
  gzip?: boolean;
  /** Instead of the answer: so many megabytes of spaces, compressed a thousandfold. */
  gzipBombMegabytes?: number;
  headers?: Record<string, string>;
}
