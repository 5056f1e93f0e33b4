// OpenAI.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { openAiModel } from '#server/models/formats/openai-models.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';
import { OPEN_AI_FORMATS, openAiStyle } from './style.ts';
import type { Format, ProviderChannel } from '#server/models/providers/provider.ts';

const RESPONSES: readonly Format[] = ['openai-responses', 'openai-batches'];
const FORMATS: readonly Format[] = [...OPEN_AI_FORMATS, 'video'];
const responsesFirst: readonly Format[] = [
  'openai-responses',
  ...FORMATS.filter((format) => format !== 'openai-responses'),
];

export const openai = openAiStyle({
  type: CHANNEL_TYPE.openAi,
  speaks: FORMATS,
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
  if (isResponsesOnly && !model.includes('/')) return RESPONSES;
  return isReasoning && isOpenAiHost(channel) ? responsesFirst : FORMATS;
}

/** Regions have hosts of their own, such as `eu.api.openai.com`. */
function isOpenAiHost(channel: ProviderChannel): boolean {
  const host = URL.parse(baseOf(channel, CHANNEL_TYPE.openAi))?.hostname ?? '';
  return /^(?:[\w-]+\.)?api\.openai\.com$/.test(host);
}
