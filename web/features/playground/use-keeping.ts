/** Where conversations are kept: in this browser, and those that the user wants there on the server. */
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { newConversation, type Conversation } from './conversation.ts';
import { listedConversations, type ListedConversation } from './listed.ts';
import { useServerChats } from './use-server-chats.ts';
import { useStoredConversations } from './use-stored-conversations.ts';
import type { Change } from './use-writer.ts';

interface KeepingParts {
  userId: number;
  latest: RefObject<Conversation>;
  change: Change;
  open: (conversation: Conversation) => void;
}

export function useKeeping({ userId, latest, change, open }: KeepingParts) {
  const { t } = useTranslation('playground');
  const stored = useStoredConversations(userId);
  const server = useServerChats({
    userId,
    patch: (id, next) => {
      stored.patch(id, next);
      if (latest.current.id === id) change(next);
    },
  });
  const keep = (conversation: Conversation) => {
    stored.keep(conversation);
    server.save(conversation);
  };

  const remove = (id: string) => {
    const isOnServer = server.heads.some((head) => head.id === id);
    stored.remove(id);
    if (isOnServer) void server.remove(id).catch((error: unknown) => toast.error(errorMessage(error)));
    if (latest.current.id === id) open(newConversation(userId));
  };

  /** The newest of this browser and the server. */
  const openListed = async (listed: ListedConversation) => {
    if (listed.conversation && !listed.isNewer) {
      open(listed.conversation);
      return;
    }
    const found = await server.read(listed.id).catch(() => undefined);
    if (found) stored.keep(found);
    const shown = found ?? listed.conversation;
    if (shown) open(shown);
    else toast.warning(t('keep.unreadable'));
  };

  const keepOnServer = async (wants: boolean) => {
    if (wants) {
      change((before) => ({ ...before, revision: 0 }));
      keep(latest.current);
      return;
    }
    await server.remove(latest.current.id).catch((error: unknown) => toast.error(errorMessage(error)));
  };

  const listed = listedConversations(stored.kept, server.heads);
  return { listed, keep, remove, openListed, keepOnServer };
}
