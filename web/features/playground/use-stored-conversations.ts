/** The conversations of this browser, newest first. */
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settled, type Conversation } from './conversation.ts';
import { keepConversation, readConversations, removeConversation } from './store.ts';

export function useStoredConversations(userId: number) {
  const { t } = useTranslation('playground');
  const [kept, setKept] = useState<readonly Conversation[]>([]);
  useEffect(() => {
    let isHere = true;
    const broken = t('answer.broken');
    void readConversations(userId).then((found) => {
      if (isHere) setKept(found.map((conversation) => settled(conversation, broken)));
    });
    return () => {
      isHere = false;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- a change of language does not read them again
  }, [userId]);
  const keep = useCallback((conversation: Conversation) => {
    void keepConversation(conversation);
    setKept((before) => [conversation, ...before.filter((other) => other.id !== conversation.id)]);
  }, []);
  const remove = useCallback((id: string) => {
    void removeConversation(id);
    setKept((before) => before.filter((other) => other.id !== id));
  }, []);
  /** Under another id it takes the place of the one before. */
  const patch = useCallback((id: string, change: (before: Conversation) => Conversation) => {
    setKept((all) =>
      all.map((before) => {
        if (before.id !== id) return before;
        const after = change(before);
        if (after.id !== id) void removeConversation(id);
        void keepConversation(after);
        return after;
      }),
    );
  }, []);
  return { kept, keep, remove, patch };
}
