/** The question that is being typed: what it would cost, and sending it. */
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { costOfCall } from '#contract/money/pricing.ts';
import { formatMoney, renderNumber } from '#web/ui/format/number.ts';
import type { Draft } from './composer.tsx';
import { cutAt, isBusy, requestMessages, type Turn } from './conversation.ts';
import { answerCost, promptTokens } from './prices.ts';
import { filled, variableNames } from './variables.ts';
import type { ChatModels } from './use-chat-models.ts';
import type { Conversations } from './use-conversations.ts';

const EMPTY_DRAFT: Draft = { text: '', images: [], files: [] };
/** Tokens of an answer assumed by the estimate. */
const USUAL_OUTPUT = 400;

export function useChatDraft(chat: ChatModels, conversations: Conversations) {
  const { t } = useTranslation('playground');
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const input = useRef<HTMLTextAreaElement>(null);
  const { settings, group, ratio, models, entryOf } = chat;
  const system = filled(chat.system, settings.variables);
  const { current } = conversations;
  const busy = isBusy(current);
  const hasDraft = draft.text.trim() !== '' || draft.images.length > 0 || draft.files.length > 0;
  const variables = variableNames(chat.system, draft.text);
  const isFilled = variables.every((name) => (settings.variables[name] ?? '') !== '');
  const canSend = hasDraft && isFilled && !busy && chat.isLoaded && chat.options.length > 0;
  const askOptions = {
    settings,
    group,
    system,
    costOf: (answer: Parameters<typeof answerCost>[0]) => answerCost(answer, entryOf(answer.model), ratio),
  };
  const prompt = { ...draft, text: filled(draft.text, settings.variables).trim() };
  const nextTurn: Turn = { id: 'next', ...prompt, answers: [] };
  const nextMessages = (pane: number) => requestMessages([...current.turns, nextTurn], pane, 'next');
  const begin = (next: Draft) => {
    setDraft(next);
    input.current?.focus();
  };
  const estimate = () => {
    if (!hasDraft || !chat.isLoaded) return null;
    const counts = models.map((_, pane) => promptTokens(system, nextMessages(pane)));
    const cost = models.reduce((sum, model, pane) => {
      const entry = entryOf(model);
      return entry
        ? sum + costOfCall(entry, ratio, { prompt: counts[pane] ?? 0, completion: USUAL_OUTPUT })
        : sum;
    }, 0);
    return t('composer.estimate', { cost: formatMoney(cost), tokens: renderNumber(counts[0] ?? 0) });
  };
  return {
    input,
    draft,
    setDraft,
    busy,
    canSend,
    nextMessages,
    system,
    variables,
    estimate,
    begin: (text: string) => begin({ ...draft, text }),
    send: () => {
      if (!canSend) return;
      conversations.ask(prompt, askOptions);
      setDraft(EMPTY_DRAFT);
    },
    again: (turnId: string, pane: number, model?: string) =>
      conversations.again(turnId, pane, askOptions, model),
    answerTools: (turnId: string, pane: number, results: readonly string[]) =>
      conversations.answerTools(turnId, pane, results, askOptions),
    edit: (turn: Turn) => {
      conversations.change((before) => cutAt(before, turn.id));
      begin({ text: turn.text, images: turn.images, files: turn.files ?? [] });
    },
  };
}
