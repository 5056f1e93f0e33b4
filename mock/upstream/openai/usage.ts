// The usage objects of each endpoint family, made from the same counts.
import type { MockUsage } from '#mock/upstream/behaviour.ts';
import type { Composition } from './compose.ts';

type Reported = Pick<Composition, 'usage' | 'shape' | 'reportedOutput'>;

export function chatUsage({ usage, shape, reportedOutput }: Reported): string {
  const total = usage.inputTokens + usage.outputTokens;
  const head = `{"prompt_tokens":${usage.inputTokens},"completion_tokens":${reportedOutput},"total_tokens":${total},`;
  if (shape === 'cached-at-top') return `${head}"cached_tokens":${usage.cachedInputTokens}}`;
  const text = usage.imageInputTokens > 0 ? `,"image_tokens":${usage.imageInputTokens}` : '';
  const written =
    usage.cacheWriteInputTokens > 0 ? `,"cache_write_tokens":${usage.cacheWriteInputTokens}` : '';
  return (
    `${head}"prompt_tokens_details":{"cached_tokens":${usage.cachedInputTokens},"audio_tokens":${usage.audioInputTokens}${written}${text}},` +
    `"completion_tokens_details":{"reasoning_tokens":${usage.reasoningTokens},"audio_tokens":${usage.audioOutputTokens},` +
    `"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`
  );
}

export function responsesUsage({ usage, reportedOutput }: Reported): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteInputTokens,
    },
    output_tokens: reportedOutput,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

export function realtimeUsage(usage: MockUsage): Record<string, unknown> {
  return {
    total_tokens: usage.inputTokens + usage.outputTokens,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    input_token_details: {
      text_tokens: usage.inputTokens - usage.audioInputTokens - usage.imageInputTokens,
      audio_tokens: usage.audioInputTokens,
      image_tokens: usage.imageInputTokens,
      cached_tokens: usage.cachedInputTokens,
      cached_tokens_details: { text_tokens: usage.cachedInputTokens, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: {
      text_tokens: usage.outputTokens - usage.audioOutputTokens,
      audio_tokens: usage.audioOutputTokens,
    },
  };
}
