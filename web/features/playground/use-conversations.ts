/** The conversations of this user and the open one: send, stop, regenerate, keep. */
import { useCallback, useRef, useState } from 'react';
import {
  addTurn,
  branchAt,
  changeAnswer,
  continuedAnswer,
  loadingAnswer,
  newConversation,
  type Conversation,
  type Prompt,
} from './conversation.ts';
import { useKeeping } from './use-keeping.ts';
import { useStreams, useWriter, type AskOptions, type Change } from './use-writer.ts';

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

export function useConversations(userId: number) {
  const { current, latest, change } = useCurrent(userId);
  const { running, stop } = useStreams();

  const open = (conversation: Conversation) => {
    stop();
    change(() => conversation);
  };
  const kept = useKeeping({ userId, latest, change, open });
  const { keep } = kept;
  const answer = useWriter({ running, latest, change, keep });

  const ask = (prompt: Prompt, options: AskOptions) => {
    const begins = latest.current.turns.length === 0;
    change((before) => {
      const asked = addTurn(before, prompt, options.settings.models);
      return begins && options.settings.keepsOnServer ? { ...asked, revision: 0 } : asked;
    });
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

  return {
    listed: kept.listed,
    current,
    ask,
    again,
    answerTools,
    branch,
    stop,
    open: kept.openListed,
    remove: kept.remove,
    keepOnServer: kept.keepOnServer,
    change,
    startNew: () => open(newConversation(userId)),
  };
}

export type Conversations = ReturnType<typeof useConversations>;
