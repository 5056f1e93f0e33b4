/** A conversation as a file: JSON with everything, Markdown to read. */
import { answerTotal, type Answer, type Conversation, type Turn } from './conversation.ts';
import { PANE_LETTERS } from './settings.ts';

export interface ExportWords {
  you: string;
  untitled: string;
  attached: string;
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function answerLines(answer: Answer, letter: string): string[] {
  const steps = (answer.steps ?? []).flatMap((step) => [
    ...(step.content === '' ? [] : [step.content]),
    ...step.calls.flatMap((call) => [
      `\`${call.name}\``,
      fenced(call.arguments, 'json'),
      fenced(call.result, ''),
    ]),
  ]);
  const open = (answer.calls ?? []).flatMap((call) => [`\`${call.name}\``, fenced(call.arguments, 'json')]);
  return [
    `## ${letter}${answer.model}`,
    ...steps,
    ...(answer.content === '' ? [] : [answer.content]),
    ...open,
  ];
}

function turnLines(turn: Turn, words: ExportWords): string[] {
  const names = [
    ...turn.images.map((_, index) => `image ${index + 1}`),
    ...(turn.files ?? []).map((file) => file.name),
  ];
  return [
    `## ${words.you}`,
    ...(turn.text === '' ? [] : [turn.text]),
    ...(names.length === 0 ? [] : [`_${words.attached} ${names.join(', ')}_`]),
    ...turn.answers.flatMap((answer, pane) =>
      answerLines(answer, turn.answers.length > 1 ? `${PANE_LETTERS[pane] ?? ''} · ` : ''),
    ),
  ];
}

export function asMarkdown(conversation: Conversation, words: ExportWords): string {
  const lines = conversation.turns.flatMap((turn) => turnLines(turn, words));
  return `${[`# ${conversation.title || words.untitled}`, ...lines].join('\n\n')}\n`;
}

export function asJson({ title, updatedAt, turns }: Conversation): string {
  const exported = {
    title,
    updated_at: new Date(updatedAt).toISOString(),
    turns: turns.map(({ text, images, files = [], answers }) => ({
      text,
      images,
      files,
      answers: answers.map((answer) => ({ ...answer, cost: answerTotal(answer) })),
    })),
  };
  return `${JSON.stringify(exported, null, 2)}\n`;
}

/** A name that every system takes. */
export const fileName = (title: string, ending: 'json' | 'md'): string =>
  `${
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 60) || 'conversation'
  }.${ending}`;
