// OpenAI itself.
import { openAiStyle } from './openai-style.ts';

export const openai = openAiStyle({
  type: 1,
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  headers: (channel) => ({
    Authorization: `Bearer ${channel.key}`,
    ...(channel.organization === '' ? {} : { 'OpenAI-Organization': channel.organization }),
  }),
});
