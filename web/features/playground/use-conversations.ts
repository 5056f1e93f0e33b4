/** The conversations of this user and the open one: send, stop, regenerate. */
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import {
  addTurn,
  branchAt,
  changeAnswer,
  continuedAnswer,
  loadingAnswer,
  newConversation,
  requestMessages,
  settled,
  type Answer,
  type Conversation,
  type Prompt,
} from './conversation.ts';
import { queryClient } from '#web/api.ts';
import { callOf } from './call.ts';
import { parametersQuery } from './queries.ts';
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

type Change = (next: (before: Conversation) => Conversation) => void;

/** The open conversation; `latest` has it before the next render. */
function useCurrent(userId: number) {
  const [current, setCurrent] = useState<Conversation>(() => newConversation(userId));
  const latest = useRef(current);
  const change: Change = useCallback((next) => {
    latest.current = next(latest.current);
    setCurrent(latest.current);
  }, []);
  return { current, latest, change };
}

interface WriterParts {
  running: RefObject<Map<string, AbortController>>;
  latest: RefObject<Conversation>;
  change: Change;
  keep: (conversation: Conversation) => void;
}

/** Asks a model for the answer of one pane and writes it as it comes. */
function useWriter({ running, latest, change, keep }: WriterParts) {
  const { t } = useTranslation('playground');
  return async (turnId: string, pane: number, model: string, options: AskOptions): Promise<void> => {
    const key = `${turnId}:${pane}`;
    const abort = new AbortController();
    running.current.set(key, abort);
    const { id: conversationId, turns } = latest.current;
    const isShown = () => latest.current.id === conversationId;
    const { settings, group, system, costOf } = options;
    const start = turns.find((turn) => turn.id === turnId)?.answers[pane] ?? loadingAnswer(model);
    const facts = await queryClient.fetchQuery(parametersQuery(model)).catch(() => undefined);
    const call = callOf(settings, model, facts, system, requestMessages(turns, pane, turnId));
    await streamAnswer(chatRequest(call, group), {
      start,
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
}

export function useConversations(userId: number) {
  const stored = useStoredConversations(userId);
  const { keep } = stored;
  const { current, latest, change } = useCurrent(userId);
  const { running, stop } = useStreams();

  const open = (conversation: Conversation) => {
    stop();
    change(() => conversation);
  };

  const answer = useWriter({ running, latest, change, keep });

  const ask = (prompt: Prompt, options: AskOptions) => {
    change((before) => addTurn(before, prompt, options.settings.models));
    const turn = latest.current.turns.at(-1);
    if (!turn) return;
    keep(latest.current);
    for (const [pane, model] of options.settings.models.entries()) void answer(turn.id, pane, model, options);
  };

  /** Writes the answer of a pane anew, by its own model or another one. An earlier answer is written anew in a branch. */
  const again = (turnId: string, pane: number, options: AskOptions, otherModel?: string) => {
    const turn = latest.current.turns.find(({ id }) => id === turnId);
    const model = otherModel ?? options.settings.models[pane] ?? turn?.answers[pane]?.model;
    if (turn === undefined || model === undefined) return;
    if (turn !== latest.current.turns.at(-1)) change((before) => branchAt(before, turnId));
    change((before) => changeAnswer(before, turnId, pane, () => loadingAnswer(model)));
    void answer(turnId, pane, model, options);
  };

  /** Sends what the tools of an answer would have returned; the answer goes on. */
  const answerTools = (turnId: string, pane: number, results: readonly string[], options: AskOptions) => {
    const before = latest.current.turns.find(({ id }) => id === turnId)?.answers[pane];
    if (before === undefined) return;
    change((all) => changeAnswer(all, turnId, pane, (found) => continuedAnswer(found, results)));
    void answer(turnId, pane, before.model, options);
  };

  const branch = (turnId: string) => {
    stop();
    change((before) => branchAt(before, turnId));
    keep(latest.current);
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
    answerTools,
    branch,
    stop,
    open,
    remove,
    change,
    startNew: () => open(newConversation(userId)),
  };
}

export type Conversations = ReturnType<typeof useConversations>;
