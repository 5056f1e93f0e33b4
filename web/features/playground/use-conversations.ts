/** The conversations of this user and the open one: send, stop, regenerate. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  addTurn,
  changeAnswer,
  loadingAnswer,
  newConversation,
  requestMessages,
  settled,
  type Answer,
  type Conversation,
} from './conversation.ts';
import { chatRequest } from './request.ts';
import type { PlaygroundSettings } from './settings.ts';
import { keepConversation, readConversations, removeConversation } from './store.ts';
import { streamAnswer } from './stream-answer.ts';

export interface AskOptions {
  settings: PlaygroundSettings;
  group: string;
  system: string;
  /** Dollars of an answer, where the price is known. */
  costOf: (answer: Answer) => number | undefined;
}

/** Those of this browser, newest first. */
function useStoredConversations(userId: number) {
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
  return { kept, keep, remove };
}

/** The running answers by turn and pane; they end with the page. */
function useStreams() {
  const running = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const streams = running.current;
    return () => {
      for (const stream of streams.values()) stream.abort();
    };
  }, []);
  const stop = useCallback(() => {
    for (const stream of running.current.values()) stream.abort();
  }, []);
  return { running, stop };
}

export function useConversations(userId: number) {
  const { t } = useTranslation('playground');
  const stored = useStoredConversations(userId);
  const { keep } = stored;
  const [current, setCurrent] = useState<Conversation>(() => newConversation(userId));
  const { running, stop } = useStreams();
  const latest = useRef(current);

  const change = useCallback((next: (before: Conversation) => Conversation) => {
    latest.current = next(latest.current);
    setCurrent(latest.current);
  }, []);

  const open = (conversation: Conversation) => {
    stop();
    change(() => conversation);
  };

  const answer = async (turnId: string, pane: number, model: string, options: AskOptions) => {
    const key = `${turnId}:${pane}`;
    const abort = new AbortController();
    running.current.set(key, abort);
    const { id: conversationId, turns } = latest.current;
    const isShown = () => latest.current.id === conversationId;
    const { settings, group, system, costOf } = options;
    await streamAnswer(chatRequest(settings, model, group, requestMessages(turns, pane, system, turnId)), {
      model,
      costOf,
      words: { unreachable: t('answer.unreachable'), broken: t('answer.broken') },
      signal: abort.signal,
      write: (next) => {
        if (isShown()) change((before) => changeAnswer(before, turnId, pane, next));
      },
      onEnd: () => running.current.delete(key),
      keep: () => {
        if (isShown()) keep(latest.current);
      },
    });
  };

  const ask = (prompt: { text: string; images: readonly string[] }, options: AskOptions) => {
    change((before) => addTurn(before, prompt, options.settings.models));
    const turn = latest.current.turns.at(-1);
    if (!turn) return;
    keep(latest.current);
    for (const [pane, model] of options.settings.models.entries()) void answer(turn.id, pane, model, options);
  };

  const again = (turnId: string, pane: number, options: AskOptions) => {
    const model = options.settings.models[pane];
    if (model === undefined) return;
    change((before) => changeAnswer(before, turnId, pane, () => loadingAnswer(model)));
    void answer(turnId, pane, model, options);
  };

  const remove = (conversation: Conversation) => {
    stored.remove(conversation.id);
    if (latest.current.id === conversation.id) open(newConversation(userId));
  };

  return {
    kept: stored.kept,
    current,
    ask,
    again,
    stop,
    open,
    remove,
    change,
    startNew: () => open(newConversation(userId)),
  };
}

export type Conversations = ReturnType<typeof useConversations>;
