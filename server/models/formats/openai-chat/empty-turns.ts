// Turns of which nothing is left in a chat: only reasoning, a picture, a search that another provider ran; empty instructions.
import type { CanonicalMessage, CanonicalPart, ConversionNote } from '#server/models/formats/canonical.ts';
import { drop } from '#server/models/formats/extras.ts';

/** Some upstreams refuse an assistant's turn without text and calls: it is left out, and its neighbours become one. */
export function withoutEmptyTurns(
  messages: readonly CanonicalMessage[],
  notes: ConversionNote[],
): CanonicalMessage[] {
  const kept: CanonicalMessage[] = [];
  let isGap = false;
  for (const message of messages) {
    const isInstruction = message.role === 'system' || message.role === 'developer';
    if (isInstruction && message.content.every(({ type }) => type === 'provider')) {
      if (message.content.length > 0) drop(notes, 'content.provider', 'an item of another provider’s own');
      continue;
    }
    if (message.role === 'assistant' && !message.content.some(isSaid)) {
      for (const part of message.content)
        if (part.type !== 'text') drop(notes, `content.${part.type}`, 'a turn of nothing else is left out');
      isGap = true;
      continue;
    }
    const last = kept.at(-1);
    if (isGap && message.role === 'user' && last?.role === 'user')
      kept[kept.length - 1] = { ...last, content: [...last.content, ...message.content] };
    else kept.push(message);
    isGap = false;
  }
  return kept;
}

function isSaid(part: CanonicalPart): boolean {
  return part.type === 'tool_call' || ((part.type === 'text' || part.type === 'refusal') && part.text !== '');
}
