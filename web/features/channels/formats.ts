/** The formats of an upstream that calls can be converted between, and the operator's choice of them. */
import { isJsonObject } from '#contract/relay/channel-fields.ts';

export const FORMAT_NAMES = {
  'openai-chat': 'Chat',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  'gemini-generate': 'Gemini',
} as const;

export function formatName(format: string): string {
  return Object.hasOwn(FORMAT_NAMES, format) ? FORMAT_NAMES[format as keyof typeof FORMAT_NAMES] : format;
}

/** The formats in the setting of a channel; empty when the gateway finds out itself. */
export function chosenFormats(setting: string): string[] {
  if (!isJsonObject(setting)) return [];
  const { formats } = JSON.parse(setting) as { formats?: unknown };
  return Array.isArray(formats) ? formats.filter((each) => typeof each === 'string') : [];
}

/** The setting with the chosen formats; other members stay. */
export function withFormats(setting: string, formats: readonly string[]): string {
  const { formats: _before, ...others } = isJsonObject(setting)
    ? (JSON.parse(setting) as Record<string, unknown>)
    : {};
  const chosen = formats.length === 0 ? others : { ...others, formats };
  return Object.keys(chosen).length === 0 ? '' : JSON.stringify(chosen, null, 2);
}
