// The members of `channels.setting` (JSON) that the relay uses. Unknown names and wrong types are ignored, so that a
// channel with a bad setting still works.
import { isObject } from '#server/models/formats/json.ts';

export interface ChannelSetting {
  /** Rewrite answers into the standard shape of their format. */
  readonly forceFormat: boolean;
  /** Send reasoning as text between `<think>` tags. */
  readonly thinkingToContent: boolean;
  /** Forward the caller's body unchanged except for the model's name. */
  readonly passThrough: boolean;
  readonly systemPrompt: string;
  /** Put the channel's system prompt before the caller's; otherwise use it only when the caller sends none. */
  readonly systemPromptOverride: boolean;
  readonly proxy: string;
}

const USUAL: ChannelSetting = {
  forceFormat: false,
  thinkingToContent: false,
  passThrough: false,
  systemPrompt: '',
  systemPromptOverride: false,
  proxy: '',
};

export function channelSetting(json: string): ChannelSetting {
  if (json.trim() === '') return USUAL;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return USUAL;
  }
  if (!isObject(value)) return USUAL;
  const { system_prompt: prompt, proxy } = value;
  return {
    forceFormat: value['force_format'] === true,
    thinkingToContent: value['thinking_to_content'] === true,
    passThrough: value['pass_through_body_enabled'] === true || value['pass_through'] === true,
    systemPrompt: typeof prompt === 'string' ? prompt.trim() : '',
    systemPromptOverride: value['system_prompt_override'] === true,
    proxy: typeof proxy === 'string' ? proxy.trim() : '',
  };
}
