/** The body of a playground call: the fields of the side panel, and nothing that was not set. */
import type { RequestMessage } from './conversation.ts';
import type { PlaygroundSettings } from './settings.ts';

export interface ChatRequest extends Record<string, unknown> {
  model: string;
  messages: RequestMessage[];
  stream: true;
}

export function chatRequest(
  settings: PlaygroundSettings,
  model: string,
  group: string,
  messages: RequestMessage[],
): ChatRequest {
  return {
    model,
    group,
    messages,
    stream: true,
    temperature: settings.temperature,
    // The server reads 0 as unset.
    max_tokens: settings.maxTokens,
    ...settings.extras,
    // Tokens and cost are shown under the answer.
    stream_options: { include_usage: true },
  };
}

/** The same request for a caller with a key: without group, and without a limit of 0. */
export function keyRequest(request: ChatRequest): Record<string, unknown> {
  const { group: _group, max_tokens, stream_options: _options, ...rest } = request;
  return max_tokens === 0 ? rest : { ...rest, max_tokens };
}
