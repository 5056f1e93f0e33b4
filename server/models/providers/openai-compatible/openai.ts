// OpenAI.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { openAiModel } from '#server/models/formats/openai-models.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';
import { openAiFormats, openAiStyle } from './style.ts';
import type { Format, ProviderChannel } from '#server/models/providers/provider.ts';

const responses: readonly Format[] = ['openai-responses', 'openai-batches'];
const formats: readonly Format[] = [...openAiFormats, 'video'];
const responsesFirst: readonly Format[] = [
  'openai-responses',
  ...formats.filter((format) => format !== 'openai-responses'),
];

export const openai = openAiStyle({
  type: CHANNEL_TYPE.openAi,
  speaks: formats,
  speaksFor: formatsFor,
  headers: (channel) => ({
    ...bearer(channel),
    ...(channel.organization === '' ? {} : { 'OpenAI-Organization': channel.organization }),
  }),
});

/** OpenAI's newer models refuse function tools on Chat while they reason; compatible servers mostly have Chat only. */
function formatsFor(model: string, channel: ProviderChannel): readonly Format[] {
  const { isResponsesOnly, isReasoning } = openAiModel(model);
  // A name with a path is that of another service, which may serve it in any format.
  if (isResponsesOnly && !model.includes('/')) return responses;
  return isReasoning && isOpenAiHost(channel) ? responsesFirst : formats;
}

/** Regions have hosts of their own, such as `eu.api.openai.com`. */
function isOpenAiHost(channel: ProviderChannel): boolean {
  const host = URL.parse(baseOf(channel, CHANNEL_TYPE.openAi))?.hostname ?? '';
  return /^(?:[\w-]+\.)?api\.openai\.com$/.test(host);
}
