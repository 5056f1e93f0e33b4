/** Asks a model for the answer of one pane and writes it as it comes. */
import { useCallback, useEffect, useRef, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '#web/api.ts';
import { callOf } from './call.ts';
import {
  changeAnswer,
  loadingAnswer,
  requestMessages,
  type Answer,
  type Conversation,
} from './conversation.ts';
import { parametersQuery } from './queries.ts';
import { chatRequest } from './request.ts';
import type { PlaygroundSettings } from './settings.ts';
import { streamAnswer } from './stream-answer.ts';

export interface AskOptions {
  settings: PlaygroundSettings;
  group: string;
  system: string;
  /** Dollars of an answer, where the price is known. */
  costOf: (answer: Answer) => number | undefined;
}

export type Change = (next: (before: Conversation) => Conversation) => void;

/** The running answers by turn and pane; they end with the page. */
export function useStreams() {
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

interface WriterParts {
  running: RefObject<Map<string, AbortController>>;
  latest: RefObject<Conversation>;
  change: Change;
  keep: (conversation: Conversation) => void;
}

export function useWriter({ running, latest, change, keep }: WriterParts) {
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
