// Adds the channel's system prompt to a request: when the caller sends none, or before the caller's own.
import type { CanonicalRequest } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { Format } from '#server/models/providers/provider.ts';
import type { ChannelSetting } from '#server/relay/channels/channel-setting.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The members to replace. */
export function promptMembers(
  format: Format,
  fields: Fields,
  setting: ChannelSetting,
): Record<string, unknown> {
  const { systemPrompt: prompt, systemPromptOverride: isFirst } = setting;
  if (prompt === '') return {};
  switch (format) {
    case 'openai-chat': {
      const messages = Array.isArray(fields['messages']) ? (fields['messages'] as unknown[]) : [];
      const hasOwn = messages.some(
        (each) => isObject(each) && (each['role'] === 'system' || each['role'] === 'developer'),
      );
      if (hasOwn && !isFirst) return {};
      return { messages: [{ role: 'system', content: prompt }, ...messages] };
    }
    case 'openai-responses': {
      const own = fields['instructions'];
      if (typeof own !== 'string' || own === '') return { instructions: prompt };
      return isFirst ? { instructions: `${prompt}\n\n${own}` } : {};
    }
    case 'anthropic-messages': {
      const { system } = fields;
      if (system === undefined || system === null || system === '') return { system: prompt };
      if (!isFirst) return {};
      if (typeof system === 'string') return { system: `${prompt}\n\n${system}` };
      return {
        system: [{ type: 'text', text: prompt }, ...(Array.isArray(system) ? (system as unknown[]) : [])],
      };
    }
    case 'gemini-generate': {
      const own = fields['systemInstruction'] ?? fields['system_instruction'];
      const parts = isObject(own) && Array.isArray(own['parts']) ? (own['parts'] as unknown[]) : [];
      if (parts.length > 0 && !isFirst) return {};
      return {
        systemInstruction: { parts: [{ text: prompt }, ...parts] },
        ...(fields['system_instruction'] === undefined ? {} : { system_instruction: undefined }),
      };
    }
    default:
      return {};
  }
}

export function withPrompt(request: CanonicalRequest, setting: ChannelSetting): CanonicalRequest {
  const { systemPrompt: text, systemPromptOverride: isFirst } = setting;
  if (text === '') return request;
  const hasOwn = request.messages.some(({ role }) => role === 'system' || role === 'developer');
  if (hasOwn && !isFirst) return request;
  return {
    ...request,
    messages: [{ role: 'system', content: [{ type: 'text', text }] }, ...request.messages],
  };
}
