/** Conversations that the user keeps on the server: which there are, saving one after each answer, reading one. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { isBusy, type Conversation } from './conversation.ts';
import { chatsQuery } from './queries.ts';
import { chatSave, readChat } from './server-chats.ts';

interface ServerChatsParts {
  userId: number;
  /** Changes a conversation in the list of this browser and on the page. */
  patch: (id: string, change: (before: Conversation) => Conversation) => void;
}

const CHANGED = 'chat_changed_elsewhere';

/** This browser's text goes on under another name, so that neither is lost. */
const movedAside = (conversation: Conversation, id: string): Conversation => ({
  ...withoutRevision(conversation),
  id,
  isBranch: true,
});

export function useServerChats({ userId, patch }: ServerChatsParts) {
  const { t } = useTranslation('playground');
  const client = useQueryClient();
  const { data: heads = [] } = useQuery(chatsQuery(userId));
  /** By id; a save names the one that the last save returned. */
  const revisions = useRef(new Map<string, number>());
  const saves = useRef(new Map<string, Promise<void>>());

  const saveNow = async (conversation: Conversation): Promise<void> => {
    const { id, revision = 0 } = conversation;
    const body = chatSave(conversation, revisions.current.get(id) ?? revision);
    try {
      const saved = await api.chats.save({ params: { id }, body });
      revisions.current.set(id, saved.revision);
      patch(id, (before) => ({ ...before, revision: saved.revision }));
      await client.invalidateQueries({ queryKey: chatsQuery(userId).queryKey });
    } catch (error) {
      const isChanged = error instanceof ApiError && error.code === CHANGED;
      toast.warning(isChanged ? t('keep.changed') : t('keep.failed', { reason: errorMessage(error) }));
      const otherId = crypto.randomUUID();
      patch(id, (before) => (isChanged ? movedAside(before, otherId) : withoutRevision(before)));
    }
  };

  /** One after the other; a conversation that is being answered is saved at its end. */
  const save = (conversation: Conversation) => {
    if (conversation.revision === undefined || isBusy(conversation)) return;
    const before = saves.current.get(conversation.id) ?? Promise.resolve();
    saves.current.set(
      conversation.id,
      before.then(() => saveNow(conversation)),
    );
  };

  const remove = async (id: string): Promise<void> => {
    await saves.current.get(id);
    revisions.current.delete(id);
    await api.chats.remove({ params: { id } });
    // A save that was under way has just written it.
    patch(id, withoutRevision);
    await client.invalidateQueries({ queryKey: chatsQuery(userId).queryKey });
  };

  /** Undefined when it is gone or cannot be read here. */
  const read = async (id: string): Promise<Conversation | undefined> => {
    const head = heads.find((each) => each.id === id);
    if (head === undefined) return undefined;
    const { content, revision } = await api.chats.read({ params: { id } });
    revisions.current.set(id, revision);
    return readChat(content, { id, userId, title: head.title, updatedAt: head.updated_at, revision });
  };

  return { heads, save, remove, read };
}

export function withoutRevision(conversation: Conversation): Conversation {
  const { revision: _revision, ...rest } = conversation;
  return rest;
}
