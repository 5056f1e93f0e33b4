// The table of relayed endpoints: path, format, defaults and size estimate of each. All of them go through one pipeline.
import type { Format } from '#server/models/providers/provider.ts';
import {
  chatEstimate,
  completionEstimate,
  geminiEstimate,
  imageEstimate,
  inputEstimate,
  messagesEstimate,
  rerankEstimate,
  responsesEstimate,
  speechEstimate,
  transcriptionEstimate,
  type Estimate,
} from './request-size.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface RelayEndpoint {
  readonly path: string;
  readonly format: Format;
  readonly body: 'json' | 'multipart';
  readonly defaultModel: string | undefined;
  /** The default where no channel of the group has the first one. */
  readonly otherDefaultModel?: string;
  /** Fields that limit the output, by precedence. */
  readonly outputLimits: readonly string[];
  /** The member that contains these fields, when not the top level. */
  readonly limitsIn: string | undefined;
  /** The path names the model. */
  readonly modelInPath: boolean;
  /** Usage in a stream must be requested (`stream_options`). */
  readonly asksForUsage: boolean;
  /** Prompts are checked against the sensitive words. */
  readonly isFiltered: boolean;
  estimate(fields: Fields, model: string): Estimate;
}

const endpoint = (
  path: string,
  format: Format,
  estimate: RelayEndpoint['estimate'],
  rest: Partial<RelayEndpoint> = {},
): RelayEndpoint => ({
  path,
  format,
  estimate,
  body: 'json',
  defaultModel: undefined,
  outputLimits: [],
  limitsIn: undefined,
  modelInPath: false,
  asksForUsage: false,
  isFiltered: true,
  ...rest,
});

const CHAT_LIMITS = ['max_completion_tokens', 'max_tokens'];

export const responsesEndpoint = endpoint('/v1/responses', 'openai-responses', responsesEstimate, {
  outputLimits: ['max_output_tokens'],
});

export const compactEndpoint = endpoint('/v1/responses/compact', 'openai-responses', responsesEstimate, {
  outputLimits: ['max_output_tokens'],
});

export const messagesEndpoint = endpoint('/v1/messages', 'anthropic-messages', messagesEstimate, {
  outputLimits: ['max_tokens'],
});

const gemini = (verb: string, format: Format, rest: Partial<RelayEndpoint> = {}): RelayEndpoint =>
  endpoint(`/v1beta/models/{model}:${verb}`, format, geminiEstimate, { modelInPath: true, ...rest });

const GEMINI_OUTPUT = { outputLimits: ['maxOutputTokens'], limitsIn: 'generationConfig' };

/** By the verb in the path. */
export const geminiEndpoints: Readonly<Record<string, RelayEndpoint>> = {
  generateContent: gemini('generateContent', 'gemini-generate', GEMINI_OUTPUT),
  streamGenerateContent: gemini('streamGenerateContent', 'gemini-generate', GEMINI_OUTPUT),
  embedContent: gemini('embedContent', 'gemini-embeddings', { isFiltered: false }),
  batchEmbedContents: gemini('batchEmbedContents', 'gemini-embeddings', { isFiltered: false }),
};

export const relayEndpoints: readonly RelayEndpoint[] = [
  endpoint('/v1/chat/completions', 'openai-chat', chatEstimate, {
    outputLimits: CHAT_LIMITS,
    asksForUsage: true,
  }),
  endpoint('/v1/completions', 'openai-completions', completionEstimate, {
    outputLimits: ['max_tokens'],
    asksForUsage: true,
  }),
  responsesEndpoint,
  messagesEndpoint,
  endpoint('/v1/embeddings', 'openai-embeddings', inputEstimate, { isFiltered: false }),
  endpoint('/v1/moderations', 'openai-moderations', inputEstimate, {
    defaultModel: 'text-moderation-stable',
    otherDefaultModel: 'omni-moderation-latest',
  }),
  endpoint('/v1/rerank', 'openai-rerank', rerankEstimate, { isFiltered: false }),
  endpoint('/v1/images/generations', 'openai-images', imageEstimate, { defaultModel: 'dall-e-2' }),
  endpoint('/v1/images/edits', 'openai-images', imageEstimate, {
    body: 'multipart',
    defaultModel: 'dall-e-2',
  }),
  endpoint('/v1/images/variations', 'openai-images', imageEstimate, {
    body: 'multipart',
    defaultModel: 'dall-e-2',
  }),
  endpoint('/v1/audio/speech', 'openai-speech', speechEstimate, { defaultModel: 'tts-1' }),
  endpoint('/v1/audio/transcriptions', 'openai-transcriptions', transcriptionEstimate, {
    body: 'multipart',
    defaultModel: 'whisper-1',
  }),
  endpoint('/v1/audio/translations', 'openai-transcriptions', transcriptionEstimate, {
    body: 'multipart',
    defaultModel: 'whisper-1',
  }),
];
