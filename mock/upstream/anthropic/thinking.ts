// Signatures of reasoning blocks. Like Anthropic, a returned block must have its original signature, and a turn with tool
// calls must return its reasoning first.
import { createHmac } from 'node:crypto';
import { isObject } from '#mock/upstream/openai/prompt.ts';

const SECRET = 'the mock signs with this';

export function signatureOf(text: string): string {
  return createHmac('sha256', SECRET).update(text).digest('base64');
}

export function redactedOf(text: string): string {
  return `redacted.${Buffer.from(text).toString('base64url')}.${signatureOf(text).slice(0, 16)}`;
}

function isOurRedaction(data: unknown): boolean {
  if (typeof data !== 'string') return false;
  const [, body = ''] = data.split('.');
  return data === redactedOf(Buffer.from(body, 'base64url').toString());
}

/** The fault in the reasoning of these messages, in Anthropic's words. */
export function thinkingFault(messages: readonly unknown[], isThinking: boolean): string | undefined {
  for (const [at, message] of messages.entries()) {
    if (!isObject(message) || message['role'] !== 'assistant' || !Array.isArray(message['content'])) continue;
    const blocks = (message['content'] as unknown[]).filter(isObject);
    for (const [index, block] of blocks.entries()) {
      const where = `messages.${at}.content.${index}`;
      if (block['type'] === 'thinking') {
        if (typeof block['signature'] !== 'string' || block['signature'] === '')
          return `${where}.thinking.signature: Field required`;
        if (block['signature'] !== signatureOf(String(block['thinking'])))
          return `${where}: Invalid \`signature\` in \`thinking\` block`;
      }
      if (block['type'] === 'redacted_thinking' && !isOurRedaction(block['data']))
        return `${where}: Invalid \`data\` in \`redacted_thinking\` block`;
    }
    const first = blocks[0]?.['type'];
    const usesTool = blocks.some((block) => block['type'] === 'tool_use');
    const isCurrentTurn = !messages.slice(at + 1).some(isPlainUserTurn);
    if (isThinking && usesTool && isCurrentTurn && first !== 'thinking' && first !== 'redacted_thinking') {
      return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`;
    }
  }
  return undefined;
}

function isPlainUserTurn(message: unknown): boolean {
  if (!isObject(message) || message['role'] !== 'user') return false;
  const { content } = message;
  if (!Array.isArray(content)) return true;
  return !(content as unknown[]).some((block) => isObject(block) && block['type'] === 'tool_result');
}
