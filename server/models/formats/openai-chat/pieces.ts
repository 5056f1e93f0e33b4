// Shared by whole and streamed chat answers: usage, finish reasons, citations, errors.
import type {
  CanonicalCitation,
  CanonicalEvent,
  CanonicalLogprob,
  CanonicalUsage,
  FinishReason,
} from '#server/models/formats/canonical.ts';
import type { EncodeOptions } from '#server/models/formats/codec.ts';
import { withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  cacheWrites,
  completionTokens,
  promptTokens,
  reported,
} from '#server/models/formats/openai-usage.ts';

export function encodeUsage(usage: CanonicalUsage): Json {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: withoutUndefined({
      cached_tokens: reported(usage, 'cacheRead'),
      cache_write_tokens: cacheWrites(usage),
      audio_tokens: reported(usage, 'audioInput'),
      image_tokens: reported(usage, 'imageInput'),
    }),
    completion_tokens_details: withoutUndefined({
      reasoning_tokens: reported(usage, 'reasoning'),
      audio_tokens: reported(usage, 'audioOutput'),
    }),
  };
}

export const RAW_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  error: 'stop',
  other: 'stop',
};

export const encodeErrorBody = (event: Extract<CanonicalEvent, { type: 'error' }>): Json => ({
  error: {
    message: event.message,
    type: event.kind ?? 'upstream_error',
    param: null,
    code: event.code === '' ? null : event.code,
  },
});

export function encodeAnnotation(citation: CanonicalCitation): Json[] {
  if (citation.url === undefined) return [];
  const cited = {
    start_index: citation.start ?? 0,
    end_index: citation.end ?? 0,
    url: citation.url,
    title: citation.title ?? '',
  };
  return [{ type: 'url_citation', url_citation: cited }];
}

export const encodeLogprob = ({ token, logprob, bytes, top }: CanonicalLogprob): Json => ({
  token,
  logprob,
  bytes: bytes ?? null,
  top_logprobs: (top ?? []).map((other) => ({ ...other, bytes: other.bytes ?? null })),
});

export const idOf = (id: string, options: EncodeOptions | undefined): string =>
  id || `chatcmpl-${options?.id ?? ''}`;

export function encodeImage(image: Extract<CanonicalEvent, { type: 'image' }>): Json {
  const url = image.url ?? `data:${image.mediaType};base64,${image.data ?? ''}`;
  return { type: 'image_url', image_url: { url } };
}
