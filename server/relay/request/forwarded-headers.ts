// Headers of the caller that an upstream of each format understands; no others are sent.
import type { Format } from '#server/models/providers/provider.ts';

export const FORWARDED_HEADERS: Partial<Record<Format, readonly string[]>> = {
  'openai-chat': ['openai-beta'],
  'openai-responses': ['openai-beta'],
  'openai-completions': ['openai-beta'],
  'anthropic-messages': ['anthropic-beta', 'anthropic-version'],
};
