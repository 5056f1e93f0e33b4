/** What the list of conversations shows: those of this browser and those of the server, each once, newest first. */
import type { ChatHead } from '#contract/admin/chats.ts';
import type { Conversation } from './conversation.ts';

export interface ListedConversation {
  id: string;
  title: string;
  turns: number;
  updatedAt: number;
  isOnServer: boolean;
  /** Another browser saved it after this one. */
  isNewer: boolean;
  /** Undefined: it is on the server only. */
  conversation: Conversation | undefined;
}

export function listedConversations(
  local: readonly Conversation[],
  heads: readonly ChatHead[],
): ListedConversation[] {
  const known = new Map(heads.map((head) => [head.id, head]));
  const here = local.map((conversation): ListedConversation => {
    const head = known.get(conversation.id);
    known.delete(conversation.id);
    const isNewer = head !== undefined && head.revision > (conversation.revision ?? 0);
    return {
      id: conversation.id,
      title: conversation.title,
      turns: isNewer ? head.turns : conversation.turns.length,
      updatedAt: isNewer ? head.updated_at : conversation.updatedAt,
      isOnServer: head !== undefined,
      isNewer,
      conversation,
    };
  });
  const there = [...known.values()].map(({ id, title, turns, updated_at }): ListedConversation => ({
    id,
    title,
    turns,
    updatedAt: updated_at,
    isOnServer: true,
    isNewer: true,
    conversation: undefined,
  }));
  return [...here, ...there].toSorted((left, right) => right.updatedAt - left.updatedAt);
}
