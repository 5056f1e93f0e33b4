// The texts an operator writes for visitors: how each is read, and what of it is kept. Notice, home and about are Markdown that
// may contain HTML, the footer is HTML; home and about can also be an address or a whole page, which are framed.
import { contentKind } from './content-kind.ts';
import { cleanedHtml, type Cleaned } from './safe-html.ts';
import type { SettingKey } from './settings.ts';

type ContentKey = Extract<SettingKey, 'Notice' | 'HomePageContent' | 'About' | 'Footer'>;
const FRAMED: readonly SettingKey[] = ['HomePageContent', 'About'] satisfies ContentKey[];
const CONTENT: readonly SettingKey[] = [...FRAMED, 'Notice', 'Footer'] satisfies SettingKey[];

/** The text as it is stored: without what no page would show. Texts that are no content are as they were. */
export function cleanedContent(key: SettingKey, text: string): Cleaned {
  if (!CONTENT.includes(key)) return { text, removed: [] };
  const kind = contentKind(text);
  if (FRAMED.includes(key) && (kind === 'url' || kind === 'document')) return { text, removed: [] };
  return key === 'Footer' ? cleanedHtml(text) : cleanedMarkdown(text);
}

/** A fenced block, ended or not; a span of code; an address in angle brackets: no markup, whatever it looks like. */
const LITERAL = new RegExp(
  [
    /^ {0,3}(?<ticks>`{3,})(?!`)[^\n]*(?:\n[^]*?)??(?:\n {0,3}\k<ticks>`*[ \t]*$|$(?![^]))/,
    /^ {0,3}(?<tildes>~{3,})(?!~)[^\n]*(?:\n[^]*?)??(?:\n {0,3}\k<tildes>~*[ \t]*$|$(?![^]))/,
    /(?<!`)(?<span>`+)(?!`)[^]*?(?<!`)\k<span>(?!`)/,
    /<(?:https?:\/\/|mailto:)[^\s<>]*>/,
    /<[\w.+-]+@[\w.-]+>/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gim',
);
/** Links that are code: inline, as an image, as a definition. */
const CODE_LINK = /(\]\(\s*<?|\]:\s*<?)\s*(?:javascript|vbscript|data:text)(?:\([^\s()]*\)|[^\s()>])*/gi;

export function cleanedMarkdown(markdown: string): Cleaned {
  const removed = new Set<string>();
  const parts: string[] = [];
  const clean = (text: string) => {
    const cleaned = cleanedHtml(text);
    for (const what of cleaned.removed) removed.add(what);
    parts.push(
      cleaned.text.replaceAll(CODE_LINK, (_, start: string) => {
        removed.add('[](javascript:)');
        return `${start}#`;
      }),
    );
  };
  let end = 0;
  for (const literal of markdown.matchAll(LITERAL)) {
    clean(markdown.slice(end, literal.index));
    parts.push(literal[0]);
    end = literal.index + literal[0].length;
  }
  clean(markdown.slice(end));
  return { text: parts.join(''), removed: [...removed] };
}
