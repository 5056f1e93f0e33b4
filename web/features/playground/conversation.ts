/**
 * A conversation: turns of one prompt and one answer per model. An answer is loading, then incomplete while its stream
 * runs, then complete or error. All state changes are here; the page only renders.
 */

export type AnswerStatus = 'loading' | 'incomplete' | 'complete' | 'error';

export interface AnswerUsage {
  prompt: number;
  cached: number;
  completion: number;
}

export interface Answer {
  model: string;
  status: AnswerStatus;
  content: string;
  reasoning: string;
  /** Set when the user stopped it. */
  isStopped?: boolean;
  firstTokenMs?: number;
  totalMs?: number;
  usage?: AnswerUsage;
  /** Dollars, by the price list at the time of the call. */
  cost?: number;
}

export interface Turn {
  id: string;
  text: string;
  /** Data addresses. */
  images: readonly string[];
  /** One per pane. */
  answers: readonly Answer[];
}

export interface Conversation {
  id: string;
  userId: number;
  title: string;
  updatedAt: number;
  turns: readonly Turn[];
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

export function addTurn(
  conversation: Conversation,
  prompt: { text: string; images: readonly string[] },
  models: readonly string[],
): Conversation {
  const turn: Turn = { id: crypto.randomUUID(), ...prompt, answers: models.map(loadingAnswer) };
  const title = conversation.title || prompt.text.trim().replaceAll(/\s+/g, ' ').slice(0, TITLE_LENGTH);
  return { ...conversation, title, updatedAt: Date.now(), turns: [...conversation.turns, turn] };
}

/** Removes this turn and all later ones; its prompt is edited and sent again. */
export function cutAt(conversation: Conversation, turnId: string): Conversation {
  const index = conversation.turns.findIndex((turn) => turn.id === turnId);
  return index < 0 ? conversation : { ...conversation, turns: conversation.turns.slice(0, index) };
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

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

export interface RequestMessage {
  role: 'system' | 'user' | 'assistant';
  content: string | Part[];
}

export function promptContent({ text, images }: Pick<Turn, 'text' | 'images'>): string | Part[] {
  if (images.length === 0) return text;
  const pictures = images.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
  return text === '' ? pictures : [{ type: 'text', text }, ...pictures];
}

/** The messages of a pane: the system prompt, and its own answers up to the given turn. Failed answers are left out. */
export function requestMessages(
  turns: readonly Turn[],
  pane: number,
  system: string,
  untilTurn?: string,
): RequestMessage[] {
  const messages: RequestMessage[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  for (const turn of turns) {
    messages.push({ role: 'user', content: promptContent(turn) });
    if (turn.id === untilTurn) break;
    const answer = turn.answers[pane] ?? turn.answers[0];
    if (answer?.status === 'complete' && answer.content !== '')
      messages.push({ role: 'assistant', content: answer.content });
  }
  return messages;
}

/** What code to copy asks: the question being written, else the last one that was sent, else a greeting. Never an empty one. */
export function messagesForCode(messages: readonly RequestMessage[]): RequestMessage[] {
  const isAsked = ({ role, content }: RequestMessage) => role === 'user' && content.length > 0;
  const last = messages.findLastIndex(isAsked);
  if (last >= 0) return messages.slice(0, last + 1);
  return [...messages.filter(({ role }) => role === 'system'), { role: 'user', content: 'Hello!' }];
}

export const conversationCost = (conversation: Conversation, pane?: number): number =>
  conversation.turns
    .flatMap((turn) => (pane === undefined ? turn.answers : turn.answers.slice(pane, pane + 1)))
    .reduce((sum, answer) => sum + (answer.cost ?? 0), 0);
