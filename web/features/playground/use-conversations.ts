/** The conversations of this user and the open one: send, stop, regenerate. At most one state change per frame while streaming. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { display } from '#web/ui/format/display.ts';
import { quotaToMoney } from '#web/ui/format/number.ts';
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
import { readCharge } from './charge.ts';
import { loggedCharge } from './queries.ts';
import { chatRequest } from './request.ts';
import type { PlaygroundSettings } from './settings.ts';
import { keepConversation, readConversations, removeConversation } from './store.ts';
import { streamChat, StreamFailure } from './stream.ts';

const FRAME_MILLISECONDS = 40;

export interface AskOptions {
  settings: PlaygroundSettings;
  group: string;
  system: string;
  /** Dollars of an answer, where the price is known. */
  costOf: (answer: Answer) => number | undefined;
}

export function useConversations(userId: number) {
  const { t } = useTranslation('playground');
  const [kept, setKept] = useState<readonly Conversation[]>([]);
  const [current, setCurrent] = useState<Conversation>(() => newConversation(userId));
  const running = useRef(new Map<string, AbortController>());
  const latest = useRef(current);

  const change = useCallback((next: (before: Conversation) => Conversation) => {
    latest.current = next(latest.current);
    setCurrent(latest.current);
  }, []);

  const keep = useCallback((conversation: Conversation) => {
    void keepConversation(conversation);
    setKept((before) => [conversation, ...before.filter((other) => other.id !== conversation.id)]);
  }, []);

  useEffect(() => {
    let isHere = true;
    const broken = t('answer.broken');
    void readConversations(userId).then((found) => {
      if (isHere) setKept(found.map((conversation) => settled(conversation, broken)));
    });
    const streams = running.current;
    return () => {
      isHere = false;
      for (const stream of streams.values()) stream.abort();
    };
    // oxlint-disable-next-line react/exhaustive-deps -- a change of language does not read them again
  }, [userId]);

  const stop = useCallback(() => {
    for (const stream of running.current.values()) stream.abort();
  }, []);

  const open = (conversation: Conversation) => {
    stop();
    change(() => conversation);
  };

  const answer = async (turnId: string, pane: number, model: string, options: AskOptions) => {
    const key = `${turnId}:${pane}`;
    const abort = new AbortController();
    running.current.set(key, abort);
    const { id: conversationId } = latest.current;
    const write = (next: (answer: Answer) => Answer) => {
      if (latest.current.id === conversationId) change((before) => changeAnswer(before, turnId, pane, next));
    };
    const startedAt = performance.now();
    const since = () => performance.now() - startedAt;
    let draft: Answer = { ...loadingAnswer(model) };
    let requestId: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        const shown = draft;
        write(() => shown);
      }, FRAME_MILLISECONDS);
    };
    const grow = (part: Partial<Answer>) => {
      draft = { ...draft, status: 'incomplete', firstTokenMs: draft.firstTokenMs ?? since(), ...part };
      soon();
    };
    const finish = (end: Partial<Answer>) => {
      clearTimeout(timer);
      running.current.delete(key);
      const done = { ...draft, totalMs: since(), ...end };
      write(() => ({ ...done, cost: options.costOf(done) }));
      if (latest.current.id === conversationId) keep(latest.current);
      void queryClient.invalidateQueries({ queryKey: selfQuery.queryKey });
      const isCut = done.isStopped === true || done.status === 'error';
      if (isCut && done.usage === undefined && requestId !== undefined) void showCharge(requestId);
    };
    /** The upstream reports no usage when a call is cut, but what was delivered is charged. */
    const showCharge = async (id: string) => {
      const charge = await readCharge(() => loggedCharge(id));
      if (!charge) return;
      const { usage, quota } = charge;
      write((before) => ({ ...before, usage, cost: quotaToMoney(quota, display()) }));
      if (latest.current.id === conversationId) keep(latest.current);
    };
    const { settings, group, system } = options;
    const messages = requestMessages(latest.current.turns, pane, system, turnId);
    try {
      await streamChat(
        chatRequest(settings, model, group, messages),
        {
          onText: (text) => grow({ content: draft.content + text }),
          onReasoning: (text) => grow({ reasoning: draft.reasoning + text }),
          onUsage: (usage) => {
            draft = { ...draft, usage };
          },
          onRequestId: (found) => {
            requestId = found;
          },
        },
        { unreachable: t('answer.unreachable'), broken: t('answer.broken') },
        abort.signal,
      );
      finish({ status: 'complete' });
    } catch (error) {
      if (abort.signal.aborted) {
        finish({ status: 'complete', isStopped: true });
        return;
      }
      // Text received before the failure stays above the error.
      const text = errorMessage(error);
      finish({ status: 'error', content: draft.content === '' ? text : `${draft.content}\n\n${text}` });
      // The shared client handles a lost session for the whole console.
      if (error instanceof StreamFailure && error.status === 401) void queryClient.fetchQuery(selfQuery);
    }
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
    void removeConversation(conversation.id);
    setKept((before) => before.filter((other) => other.id !== conversation.id));
    if (latest.current.id === conversation.id) open(newConversation(userId));
  };

  return {
    kept,
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
