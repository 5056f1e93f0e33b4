/**
 * A conversation: turns of one prompt and one answer per model. An answer is loading, then incomplete while its stream
 * runs, then complete or error. All state changes are here; the page only renders.
 */

import { splitData, type AttachedFile } from './attachments.ts';
import type { CallMessage, CallPart, ToolCall } from './call.ts';

export type AnswerStatus = 'loading' | 'incomplete' | 'complete' | 'error';

export interface AnswerUsage {
  prompt: number;
  cached: number;
  completion: number;
}

/** What the model wrote before its tools were answered, and their answers. */
export interface AnswerStep {
  content: string;
  reasoning: string;
  calls: readonly (ToolCall & { result: string })[];
  cost?: number;
}

export interface Answer {
  model: string;
  status: AnswerStatus;
  content: string;
  reasoning: string;
  /** Earlier steps of the same answer. */
  steps?: readonly AnswerStep[];
  /** Tools that wait for their answers. */
  calls?: readonly ToolCall[];
  /** Set when the user stopped it. */
  isStopped?: boolean;
  firstTokenMs?: number;
  totalMs?: number;
  usage?: AnswerUsage;
  /** Dollars of the last step, by the price list at the time of the call. */
  cost?: number;
}

export interface Prompt {
  text: string;
  /** Data addresses. */
  images: readonly string[];
  files?: readonly AttachedFile[];
}

export interface Turn extends Prompt {
  id: string;
  /** One per pane. */
  answers: readonly Answer[];
}

export interface Conversation {
  id: string;
  userId: number;
  title: string;
  updatedAt: number;
  turns: readonly Turn[];
  /** Begun at a message of another conversation. */
  isBranch?: boolean;
  /** Kept on the server: its last save there; 0 before the first. */
  revision?: number;
}

const TITLE_LENGTH = 40;

export function newConversation(userId: number): Conversation {
  return { id: crypto.randomUUID(), userId, title: '', updatedAt: Date.now(), turns: [] };
}

export const loadingAnswer = (model: string): Answer => ({
  model,
  status: 'loading',
  content: '',
  reasoning: '',
});

export function isRunning(answer: Answer): boolean {
  return answer.status === 'loading' || answer.status === 'incomplete';
}

export const isBusy = (conversation: Conversation): boolean =>
  conversation.turns.some((turn) => turn.answers.some(isRunning));

export function addTurn(conversation: Conversation, prompt: Prompt, models: readonly string[]): Conversation {
  const turn: Turn = { id: crypto.randomUUID(), ...prompt, answers: models.map(loadingAnswer) };
  const title = conversation.title || prompt.text.trim().replaceAll(/\s+/g, ' ').slice(0, TITLE_LENGTH);
  return { ...conversation, title, updatedAt: Date.now(), turns: [...conversation.turns, turn] };
}

/** Removes this turn and all later ones; its prompt is edited and sent again. */
export function cutAt(conversation: Conversation, turnId: string): Conversation {
  const index = conversation.turns.findIndex((turn) => turn.id === turnId);
  return index < 0 ? conversation : { ...conversation, turns: conversation.turns.slice(0, index) };
}

/** A conversation of its own with everything up to and with this turn. */
export function branchAt(conversation: Conversation, turnId: string): Conversation {
  const index = conversation.turns.findIndex((turn) => turn.id === turnId);
  const turns = conversation.turns.slice(0, index + 1);
  const { revision, ...rest } = conversation;
  return {
    ...rest,
    id: crypto.randomUUID(),
    updatedAt: Date.now(),
    isBranch: true,
    turns,
    // A branch of a conversation on the server is kept there too, as one of its own.
    ...(revision === undefined ? {} : { revision: 0 }),
  };
}

export function changeAnswer(
  conversation: Conversation,
  turnId: string,
  pane: number,
  change: (answer: Answer) => Answer,
): Conversation {
  return {
    ...conversation,
    updatedAt: Date.now(),
    turns: conversation.turns.map((turn) =>
      turn.id === turnId
        ? {
            ...turn,
            answers: turn.answers.map((answer, index) => (index === pane ? change(answer) : answer)),
          }
        : turn,
    ),
  };
}

/** A stored conversation cannot be streaming: answers that were open when the page closed are marked as interrupted. */
export function settled(conversation: Conversation, brokenText: string): Conversation {
  if (!isBusy(conversation)) return conversation;
  return {
    ...conversation,
    turns: conversation.turns.map((turn) => ({
      ...turn,
      answers: turn.answers.map((answer) =>
        isRunning(answer)
          ? { ...answer, status: 'error' as const, content: answer.content || brokenText }
          : answer,
      ),
    })),
  };
}

/** The text of a prompt, then its pictures and files. A text file is told as text, which every dialect takes. */
export function promptParts({ text, images, files = [] }: Prompt): CallPart[] {
  const pictures = images.map((image): CallPart => ({ type: 'image', ...splitData(image) }));
  // A conversation from another browser has only the names of its attachments.
  const attached = files
    .filter((file) => file.data !== '')
    .map((file): CallPart => {
      if (file.kind === 'text') return { type: 'text', text: `${file.name}\n\n${file.data}` };
      return file.kind === 'pdf'
        ? { type: 'pdf', name: file.name, data: file.data }
        : { type: 'audio', mediaType: file.mediaType, data: file.data };
    });
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...pictures, ...attached];
}

const stepMessages = (answer: Answer | undefined): CallMessage[] =>
  (answer?.steps ?? []).flatMap((step): CallMessage[] => [
    { role: 'assistant', text: step.content, calls: step.calls },
    ...step.calls.map(({ id, name, result }): CallMessage => ({ role: 'tool', id, name, result })),
  ]);

/** The messages of a pane: its own answers up to the given turn. Failed answers are left out, and calls nobody answered. */
export function requestMessages(turns: readonly Turn[], pane: number, untilTurn?: string): CallMessage[] {
  const messages: CallMessage[] = [];
  for (const turn of turns) {
    messages.push({ role: 'user', parts: promptParts(turn) });
    const answer = turn.answers[pane] ?? turn.answers[0];
    if (turn.id === untilTurn) return [...messages, ...stepMessages(turn.answers[pane])];
    if (answer?.status !== 'complete') continue;
    messages.push(...stepMessages(answer));
    if (answer.content !== '') messages.push({ role: 'assistant', text: answer.content, calls: [] });
  }
  return messages;
}

/** What code to copy asks: the question being written, else the last one that was sent, else a greeting. Never an empty one. */
export function messagesForCode(messages: readonly CallMessage[]): CallMessage[] {
  const last = messages.findLastIndex((message) => message.role === 'user' && message.parts.length > 0);
  if (last >= 0) return messages.slice(0, last + 1);
  return [{ role: 'user', parts: [{ type: 'text', text: 'Hello!' }] }];
}

/** Dollars of all steps of an answer; undefined while none is known. */
export function answerTotal({ cost, steps = [] }: Answer): number | undefined {
  const known = [...steps.map((step) => step.cost), cost].filter((each) => each !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0);
}

export const conversationCost = (conversation: Conversation, pane?: number): number =>
  conversation.turns
    .flatMap((turn) => (pane === undefined ? turn.answers : turn.answers.slice(pane, pane + 1)))
    .reduce((sum, answer) => sum + (answerTotal(answer) ?? 0), 0);

/** The answer goes on after its tools were answered; what it cost until now stays with its step. */
export function continuedAnswer(before: Answer, results: readonly string[]): Answer {
  const { content, reasoning, cost, calls = [], steps = [] } = before;
  const step: AnswerStep = {
    content,
    reasoning,
    calls: calls.map((call, index) => ({ ...call, result: results[index] ?? '' })),
    ...(cost === undefined ? {} : { cost }),
  };
  return { ...loadingAnswer(before.model), steps: [...steps, step] };
}
