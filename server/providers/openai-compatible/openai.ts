// OpenAI.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { bearer } from '#server/providers/shared/base-url.ts';
import { openAiFormats, openAiStyle } from './style.ts';
import type { Format } from '#server/providers/provider.ts';

/** Models available through Responses only: other formats are converted to it. */
const responsesOnly =
  /^(?:o\d+-pro|o\d(?:-mini)?-deep-research|gpt-5(?:\.\d)?-pro|gpt-5(?:\.\d)?-codex|codex-|computer-use)/;
const responses: readonly Format[] = ['openai-responses', 'openai-batches'];
const formats: readonly Format[] = [...openAiFormats, 'video'];

export const openai = openAiStyle({
  type: CHANNEL_TYPE.openAi,
  speaks: formats,
  speaksFor: (model) => (responsesOnly.test(model) ? responses : formats),
  headers: (channel) => ({
    ...bearer(channel),
    ...(channel.organization === '' ? {} : { 'OpenAI-Organization': channel.organization }),
  }),
});
