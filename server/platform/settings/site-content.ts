// The texts an operator writes for visitors, cleaned when they are saved. Notice, home and about are Markdown that may
// contain HTML, the footer is HTML; home and about can also be an address or a whole page, which are framed and not
// cleaned. `sanitize-html` decides; a text from which it removes nothing is stored as written. The console sanitises
// again when it shows the text (web/ui/content/sanitise.ts).
import sanitizeHtml from 'sanitize-html';
import { contentKind } from '#contract/relay/content-kind.ts';
import { CONTENT_ATTRIBUTES, CONTENT_LOADING, CONTENT_TAGS } from '#contract/admin/content-markup.ts';
import type { SettingKey } from '#contract/settings.ts';

const FRAMED: readonly SettingKey[] = ['HomePageContent', 'HomePageContentEn', 'About', 'AboutEn'];
const HTML: readonly SettingKey[] = ['Footer', 'FooterEn'];
const LEGAL = ['TermsZh', 'TermsEn', 'PrivacyZh', 'PrivacyEn', 'ContactZh', 'ContactEn'] as const;
const CONTENT: readonly SettingKey[] = [...FRAMED, ...HTML, 'Notice', 'NoticeEn', ...LEGAL];

export interface Cleaned {
  text: string;
  /** Names of the removed parts for the operator: `<script>`, `<img onerror>`. */
  removed: string[];
}

/** Removed together with their content, which browsers do not read as markup. */
const REMOVED_WITH_CONTENT =
  'script style iframe noembed noframes noscript plaintext template textarea title xmp option'.split(' ');

const RULES = {
  allowedTags: [...CONTENT_TAGS],
  allowedAttributes: {
    '*': [...CONTENT_ATTRIBUTES, 'aria-*'],
    a: ['href'],
    ...Object.fromEntries(Object.entries(CONTENT_LOADING).map(([tag, names]) => [tag, [...names]])),
  },
  nonBooleanAttributes: [],
  allowedSchemes: ['http', 'https'],
  allowedSchemesByTag: { a: ['http', 'https', 'mailto', 'tel'], img: ['http', 'https', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'poster'],
  nonTextTags: REMOVED_WITH_CONTENT,
} satisfies sanitizeHtml.IOptions;

/** The text as it is stored. Settings that are not content are returned unchanged. */
export function cleanedContent(key: SettingKey, text: string): Cleaned {
  if (!CONTENT.includes(key)) return { text, removed: [] };
  const kind = contentKind(text);
  if (FRAMED.includes(key) && (kind === 'url' || kind === 'document')) return { text, removed: [] };
  return HTML.includes(key) ? cleanedHtml(text) : cleanedMarkdown(text);
}

/** Noncharacters of Unicode, removed from the source before they are used as marks. */
const END = '\u{fdd0}';
const LITERAL_MARK = '\u{fdd1}';
const MARKS = /[\u{fdd0}\u{fdd1}]/gu;
/** Each further pass is needed only for markup that was made to confuse; after the last one every `<` is text. */
const MAX_PASSES = 8;
/** Browsers nest no deeper, and the library's time grows with the square of the depth. */
const MAX_DEPTH = 500;

interface Parsed extends Cleaned {
  /** Everything outside of tags. */
  textOnly: string;
  /** The source ends inside a tag that has no `>`. */
  isUnfinished: boolean;
}

function sanitised(source: string): Parsed {
  const opened: { name: string; before: string[]; after: sanitizeHtml.Attributes }[] = [];
  const texts: string[] = [];
  let hidden = '';
  let depth = 0;
  const text = sanitizeHtml(source + END, {
    ...RULES,
    // The library deletes refused attributes from the object that it passes here.
    onOpenTag(name, attributes) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new RangeError('nested too deep');
      if (REMOVED_WITH_CONTENT.includes(name)) hidden ||= name;
      opened.push({ name, before: Object.keys(attributes), after: attributes });
    },
    onCloseTag(name, isImplied) {
      depth -= 1;
      if (name === hidden && !isImplied) hidden = '';
    },
    textFilter(text) {
      texts.push(text);
      // `>` begins quotes in Markdown and cannot begin a tag.
      return text.replaceAll('&gt;', '>');
    },
  });
  const removed = new Set<string>();
  for (const { name, before, after } of opened) {
    if (!CONTENT_TAGS.includes(name)) removed.add(`<${name.slice(0, 40)}>`);
    else
      for (const attribute of before)
        if (!(attribute in after)) removed.add(`<${name} ${attribute.slice(0, 40)}>`);
  }
  if (/<[!?]|<\/(?![a-z])/i.test(source)) removed.add('<!-- -->');
  const isUnfinished = hidden === '' && !texts.at(-1)?.endsWith(END);
  return { text: text.replaceAll(END, ''), removed: [...removed], textOnly: texts.join(''), isUnfinished };
}

export function cleanedHtml(source: string): Cleaned {
  const { text, removed } = cleaned(source.replaceAll(MARKS, ''));
  return { text, removed };
}

function cleaned(source: string): Parsed {
  try {
    return cleanedInPasses(source);
  } catch (error) {
    if (error instanceof RangeError) return sanitised(source.replaceAll('<', '&lt;'));
    throw error;
  }
}

function cleanedInPasses(source: string): Parsed {
  let text = source;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const parsed = sanitised(text);
    if (!parsed.isUnfinished) return parsed.removed.length === 0 ? { ...parsed, text } : parsed;
    // `a <b` is a comparison, not a tag: the library would drop it and everything after it.
    const last = text.lastIndexOf('<');
    text = `${text.slice(0, last)}&lt;${text.slice(last + 1)}`;
  }
  throw new RangeError('never finished');
}

/** Code blocks (also without an end), code spans and addresses in angle brackets: never markup. */
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
const MARKED_LITERAL = new RegExp(`${LITERAL_MARK}(\\d+)${LITERAL_MARK}`, 'g');
/** Links that run code: inline, as a picture, as a definition. */
const CODE_LINK = /(\]\(\s*<?|\]:\s*<?)\s*(?:javascript|vbscript|data:text)(?:\([^\s()]*\)|[^\s()>])*/gi;

/** Literals are replaced by marks before the HTML is cleaned and put back afterwards. */
export function cleanedMarkdown(markdown: string): Cleaned {
  const literals: string[] = [];
  let source = markdown.replaceAll(MARKS, '').replaceAll(LITERAL, (literal) => {
    literals.push(literal);
    return `${LITERAL_MARK}${literals.length - 1}${LITERAL_MARK}`;
  });
  let parsed = cleaned(source);
  // A mark that is not in the text is inside of a tag (`<b title="`" onclick="`">`): it is markup, so it is cleaned too.
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const inText = new Set(Array.from(parsed.textOnly.matchAll(MARKED_LITERAL), ([mark]) => mark));
    const restored = source.replaceAll(MARKED_LITERAL, (mark, index) =>
      inText.has(mark) && pass < MAX_PASSES - 1 ? mark : (literals[Number(index)] ?? ''),
    );
    if (restored === source) break;
    source = restored;
    parsed = cleaned(source);
  }
  const removed = new Set(parsed.removed);
  const text = parsed.text
    .replaceAll(CODE_LINK, (_, start: string) => {
      removed.add('[](javascript:)');
      return `${start}#`;
    })
    .replaceAll(MARKED_LITERAL, (_, index) => literals[Number(index)] ?? '');
  return { text, removed: [...removed] };
}
