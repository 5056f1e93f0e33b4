// The usage chunk a caller asked for when the upstream sent none: OpenAI's shape, no choices, last before the end.
import { completionTokens, promptTokens, type Usage } from '#server/money/prices/usage.ts';

export function usageChunk(head: Readonly<Record<string, unknown>>, usage: Usage): string {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  const chunk = {
    id: head['id'] ?? '',
    object: head['object'] ?? 'chat.completion.chunk',
    created: head['created'] ?? Math.floor(Date.now() / 1000),
    model: head['model'] ?? '',
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
