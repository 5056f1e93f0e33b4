/** The body of a playground call: Chat's form of the call, and what only the console says. */
import type { Call } from './call.ts';
import { chat } from './dialects/chat.ts';

export interface ChatRequest extends Record<string, unknown> {
  model: string;
  stream: true;
}

export function chatRequest(call: Call, group: string): ChatRequest {
  const { body } = chat(call);
  const isNewLimit = call.facts?.limit_name === 'max_completion_tokens';
  return {
    ...body,
    model: call.model,
    stream: true,
    group,
    // The server reads 0 as unset.
    ...(isNewLimit ? {} : { max_tokens: call.maxTokens }),
    // Tokens and cost are shown under the answer.
    stream_options: { include_usage: true },
  };
}
