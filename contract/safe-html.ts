// The one sanitiser of the operator's texts, for the server when they are saved and for the console when they are shown: what
// is not on the lists is left out. It works on text, so nothing dangerous is ever given to a parser of the browser.
import { htmlTokens, type Attribute, type HtmlToken } from './html-tokens.ts';

const TAGS = new Set(
  (
    'a abbr address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup dd del details ' +
    'dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol ' +
    'p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th ' +
    'thead time tr tt u ul var video wbr'
  ).split(' '),
);
const WITHOUT_END = new Set(['br', 'col', 'hr', 'img', 'source', 'wbr']);
/** End by themselves with what is around them; an end written for them where they have ended already would be one too many. */
const ENDS_BY_ITSELF = new Set('colgroup dd dt li p rp rt tbody td tfoot th thead tr'.split(' '));
const DEEPEST = 100;

const ATTRIBUTES = new Set(
  (
    'title lang dir class align valign width height colspan rowspan span scope headers start reversed open datetime ' +
    'alt loading controls loop muted color face size bgcolor border cellpadding cellspacing'
  ).split(' '),
);
const LABELLING = /^aria-[a-z]+$/;
/** Attributes that are addresses, and the elements that may have them. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  href: ['a'],
  src: ['img', 'audio', 'video', 'source'],
  poster: ['video'],
};
const LINKS = /^(?:https?|mailto|tel):/i;

export interface SafeOptions {
  /**
   * The origin of the page that will show it. Given, an address the page's policy would not load is left out, too: pictures
   * come from here, by https or as data, sound and film only from here.
   */
  ownOrigin?: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u{a0}',
  colon: ':',
  sol: '/',
  tab: '\t',
  newline: '\n',
};

/** What is not known here stays as it is written, and is written down again as text. */
function decoded(value: string): string {
  return value.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  });
}

function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The address as a browser would read it; undefined when it may not be there. */
function safeAddress(
  tag: string,
  attribute: string,
  value: string,
  { ownOrigin }: SafeOptions,
): string | undefined {
  // Browsers skip control characters and spaces when they look for the scheme.
  const text = Array.from(decoded(value))
    .filter((character) => character > ' ' && character !== '\u{7f}')
    .join('')
    .replaceAll('\\', '/');
  const address = text.startsWith('//') ? `https:${text}` : text;
  const scheme = /^[^/?#]*:/.exec(address)?.[0].toLowerCase();
  if (scheme === undefined) return address;
  if (tag === 'a') return LINKS.test(address) ? address : undefined;
  const isPicture = tag === 'img' || attribute === 'poster';
  if (isPicture && /^data:image\//i.test(address)) return address;
  if (scheme !== 'https:' && scheme !== 'http:') return undefined;
  if (ownOrigin === undefined) return address;
  const isOwn = address === ownOrigin || address.startsWith(`${ownOrigin}/`);
  return isOwn || (isPicture && scheme === 'https:') ? address : undefined;
}

interface SafeAttributes {
  kept: Attribute[];
  removed: string[];
}

function safeAttributes(tag: string, attributes: readonly Attribute[], options: SafeOptions): SafeAttributes {
  const kept: Attribute[] = [];
  const removed: string[] = [];
  const seen = new Set<string>();
  for (const [name, value] of attributes) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (ATTRIBUTES.has(name) || LABELLING.test(name)) kept.push([name, escaped(value)]);
    else if (ADDRESSES[name]?.includes(tag)) {
      const address = safeAddress(tag, name, value, options);
      if (address === undefined) removed.push(name);
      else kept.push([name, escaped(address.replaceAll('&', '&amp;'))]);
    } else removed.push(name);
  }
  return { kept, removed };
}

const tagText = (name: string, attributes: readonly Attribute[]) =>
  `<${[name, ...attributes.map(([attribute, value]) => `${attribute}="${value}"`)].join(' ')}>`;

/** HTML whose every tag and attribute is on the lists and written down anew, whatever it was made of. */
export function safeHtml(html: string, options: SafeOptions = {}): string {
  const parts: string[] = [];
  const open: string[] = [];
  for (const token of htmlTokens(html)) {
    if (token.kind === 'text') parts.push(escapedText(token.raw));
    else if (token.kind === 'open' && TAGS.has(token.name) && open.length < DEEPEST) {
      parts.push(tagText(token.name, safeAttributes(token.name, token.attributes, options).kept));
      if (!WITHOUT_END.has(token.name)) open.push(token.name);
    } else if (token.kind === 'close' && open.includes(token.name)) {
      const inside = open.splice(open.lastIndexOf(token.name) + 1);
      open.pop();
      parts.push(endsOf(inside), `</${token.name}>`);
    }
  }
  return parts.join('') + endsOf(open);
}

const endsOf = (names: readonly string[]) =>
  names
    .filter((name) => !ENDS_BY_ITSELF.has(name))
    .toReversed()
    .map((name) => `</${name}>`)
    .join('');

const escapedText = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export interface Cleaned {
  text: string;
  /** What was taken out, as a person would name it: `<script>`, `<img onerror>`. */
  removed: string[];
}

/** Taking something out can bring its neighbours together to something new. */
const MOST_PASSES = 8;

/** The same source without what would never be shown; everything else as it was written. */
export function cleanedHtml(source: string): Cleaned {
  const removed = new Set<string>();
  let text = source;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const cleaned = Array.from(htmlTokens(text), (token) => cleanedToken(token, removed)).join('');
    if (cleaned === text) return { text, removed: [...removed] };
    text = cleaned;
  }
  return { text: escapedText(text), removed: [...removed] };
}

function cleanedToken(token: HtmlToken, removed: Set<string>): string {
  if (token.kind === 'text') return token.raw;
  if (token.kind === 'broken') return `&lt;${token.raw.slice(1)}`;
  if (token.kind === 'hidden') {
    if (token.raw.startsWith('<!--')) removed.add('<!-- -->');
    return '';
  }
  if (!TAGS.has(token.name)) {
    removed.add(`<${token.name.slice(0, 40)}>`);
    return '';
  }
  if (token.kind === 'close') return token.raw;
  const { kept, removed: names } = safeAttributes(token.name, token.attributes, {});
  for (const name of names) removed.add(`<${token.name} ${name.slice(0, 40)}>`);
  return names.length === 0 ? token.raw : tagText(token.name, kept);
}
