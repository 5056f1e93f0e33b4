// What Mistral refuses in OpenAI's chat: long ids of tool calls, and the newer name of the token limit.
import { isObject } from '#server/models/providers/shared/json.ts';
import { sha256Hex } from '#server/models/providers/signing/hashes.ts';

const ID_LENGTH = 9;

export function mistralBody(body: Record<string, unknown>): Record<string, unknown> {
  const { max_completion_tokens: limit, stream_options: _options, messages, ...rest } = body;
  return {
    ...rest,
    ...(limit === undefined ? {} : { max_tokens: limit }),
    ...(messages === undefined
      ? {}
      : { messages: Array.isArray(messages) ? messages.map(withShortIds) : messages }),
  };
}

function withShortIds(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { tool_call_id: id, tool_calls: calls } = message;
  return {
    ...message,
    ...(typeof id === 'string' ? { tool_call_id: shortId(id) } : {}),
    ...(Array.isArray(calls)
      ? {
          tool_calls: calls.map((call: unknown) =>
            isObject(call) ? { ...call, id: shortId(String(call['id'])) } : call,
          ),
        }
      : {}),
  };
}

/** Nine letters or digits; equal ids stay equal, so results still match their calls. */
function shortId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : sha256Hex(id).slice(0, ID_LENGTH);
}
