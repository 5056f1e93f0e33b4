/** Conversations on the server: what is sent of one, and how one is read back. Attachments stay in the browser. */
import type { SharedChat } from '#contract/admin/chats.ts';
import type { Answer, Conversation, Turn } from './conversation.ts';

/** The API takes no control characters but tabs and line breaks. */
const CONTROL = new RegExp(String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]`, 'g');
const plain = (text: string): string => text.replaceAll(CONTROL, '');

/** Names without content: another browser shows that something was attached, and cannot send it again. */
function namedOnly({ images, files = [], ...turn }: Turn): Turn {
  const pictures = images.map((image, index) => ({
    kind: 'text' as const,
    name: `image ${index + 1}`,
    mediaType: 'image',
    data: '',
    bytes: Math.floor(image.length * 0.75),
  }));
  return { ...turn, images: [], files: [...pictures, ...files.map((file) => ({ ...file, data: '' }))] };
}

export interface ChatSave {
  revision: number;
  title: string;
  turns: number;
  updated_at: number;
  content: string;
}

export function chatSave(conversation: Conversation, revision: number): ChatSave {
  const { title, updatedAt, turns, isBranch } = conversation;
  const content = { title, isBranch, turns: turns.map(namedOnly) };
  return {
    revision,
    title: plain(title),
    turns: turns.length,
    updated_at: Math.floor(updatedAt),
    content: plain(JSON.stringify(content)),
  };
}

const isTurn = (value: unknown): value is Turn => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, text, images, answers } = value as Partial<Record<keyof Turn, unknown>>;
  const isAnswer = (each: unknown) =>
    typeof each === 'object' && each !== null && typeof (each as Answer).content === 'string';
  return (
    typeof id === 'string' &&
    typeof text === 'string' &&
    Array.isArray(images) &&
    Array.isArray(answers) &&
    answers.every(isAnswer)
  );
};

/** Undefined when another release of the console wrote something that this one does not know. */
export function readChat(
  content: string,
  head: Pick<Conversation, 'id' | 'userId' | 'title' | 'updatedAt'> & { revision: number },
): Conversation | undefined {
  try {
    const { turns, isBranch } = JSON.parse(content) as { turns?: unknown; isBranch?: unknown };
    if (!Array.isArray(turns) || !turns.every(isTurn)) return undefined;
    return { ...head, turns, ...(isBranch === true ? { isBranch } : {}) };
  } catch {
    return undefined;
  }
}

function sharedAnswer({
  model,
  content,
  steps = [],
  calls = [],
}: Answer): SharedChat['turns'][number]['answers'][number] {
  const before = steps.map((step) => step.content).filter((text) => text !== '');
  return {
    model: plain(model),
    content: plain([...before, content].join('\n\n')),
    tools: [...steps.flatMap((step) => step.calls), ...calls].map((call) => ({
      name: plain(call.name),
      arguments: plain(call.arguments),
      ...('result' in call && typeof call.result === 'string' ? { result: plain(call.result) } : {}),
    })),
  };
}

/** What a link shows: questions and answers; failed answers are left out. */
export function sharedChat({ title, turns }: Conversation): SharedChat {
  return {
    title: plain(title),
    turns: turns.map((turn) => ({
      text: plain(turn.text),
      attachments: (namedOnly(turn).files ?? []).map((file) => plain(file.name).slice(0, 200)),
      answers: turn.answers.filter((answer) => answer.status === 'complete').map(sharedAnswer),
    })),
  };
}
