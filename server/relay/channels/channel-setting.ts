// The free settings of a channel (`channels.setting`, JSON) as far as the relay follows them. Unknown names and wrong types
// are left alone: a channel with a strange setting still works.
import { isObject } from '#server/formats/json.ts';

export interface ChannelSetting {
  /** Answers are written anew in the standard shape of their format. */
  readonly forceFormat: boolean;
  /** Thoughts come as text between marks. */
  readonly thinkingToContent: boolean;
  /** The caller's body goes up as it is, but for the model's name. */
  readonly passThrough: boolean;
  readonly systemPrompt: string;
  /** The channel's prompt goes before the caller's; else it stands in only where the caller has none. */
  readonly systemPromptOverride: boolean;
  readonly proxy: string;
}

const usual: ChannelSetting = {
  forceFormat: false,
  thinkingToContent: false,
  passThrough: false,
  systemPrompt: '',
  systemPromptOverride: false,
  proxy: '',
};

export function channelSetting(json: string): ChannelSetting {
  if (json.trim() === '') return usual;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return usual;
  }
  if (!isObject(value)) return usual;
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
