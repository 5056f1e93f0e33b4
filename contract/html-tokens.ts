// HTML cut into tags and text the way browsers do it, in one pass. Whoever writes the pieces down again does not depend on
// this being exact: what is not recognised as a tag is text.

export type Attribute = readonly [name: string, value: string];

export type HtmlToken =
  | { kind: 'text'; raw: string }
  | { kind: 'open'; raw: string; name: string; attributes: readonly Attribute[] }
  | { kind: 'close'; raw: string; name: string }
  /** Comments, declarations, and what stands inside of a script or another element whose content is no markup. */
  | { kind: 'hidden'; raw: string }
  /** A tag that never ends. */
  | { kind: 'broken'; raw: string };

/** Elements whose content browsers do not read as markup. */
const RAW_CONTENT = new Set([
  'script',
  'style',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
  'template',
  'textarea',
  'title',
  'xmp',
]);

const NAME = /[a-z][^\s/>]*/iy;
const BETWEEN = /[\s/]*/y;
const ATTRIBUTE_NAME = /=?[^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;
const COMMENT_END = /--!?>/g;

export function* htmlTokens(html: string): Generator<HtmlToken> {
  let position = 0;

  function take(pattern: RegExp): string {
    pattern.lastIndex = position;
    const found = pattern.exec(html)?.[0] ?? '';
    position += found.length;
    return found;
  }

  /** Undefined when the text ends first. */
  function takeAttributes(): Attribute[] | undefined {
    const attributes: Attribute[] = [];
    while (position < html.length) {
      take(BETWEEN);
      if (html[position] === '>') {
        position += 1;
        return attributes;
      }
      const name = take(ATTRIBUTE_NAME).toLowerCase();
      if (name === '') continue;
      if (take(EQUALS) === '') {
        attributes.push([name, '']);
        continue;
      }
      const quote = html[position];
      if (quote !== '"' && quote !== "'") {
        attributes.push([name, take(UNQUOTED)]);
        continue;
      }
      const end = html.indexOf(quote, position + 1);
      if (end === -1) return undefined;
      attributes.push([name, html.slice(position + 1, end)]);
      position = end + 1;
    }
    return undefined;
  }

  function endOfComment(from: number): number {
    // `<!-->` and `<!--->` are whole comments.
    const short = /^-?>/.exec(html.slice(from, from + 2));
    if (short) return from + short[0].length;
    COMMENT_END.lastIndex = from;
    const end = COMMENT_END.exec(html);
    return end ? end.index + end[0].length : html.length;
  }

  function endOf(text: string, from: number): number {
    const end = html.indexOf(text, from);
    return end === -1 ? html.length : end + text.length;
  }

  function endOfContent(name: string): number {
    const end = new RegExp(`</${name}[\\s/>]`, 'gi');
    end.lastIndex = position;
    return (name === 'plaintext' ? undefined : end.exec(html)?.index) ?? html.length;
  }

  while (position < html.length) {
    const start = position;
    const found = html.indexOf('<', start);
    const next = found === -1 ? html.length : found;
    if (next > start) {
      position = next;
      yield { kind: 'text', raw: html.slice(start, next) };
      continue;
    }
    const isClosing = html[start + 1] === '/';
    position = start + (isClosing ? 2 : 1);
    const name = take(NAME).toLowerCase();
    if (name !== '') {
      const attributes = takeAttributes();
      if (!attributes) {
        position = html.length;
        yield { kind: 'broken', raw: html.slice(start) };
        return;
      }
      const raw = html.slice(start, position);
      yield isClosing ? { kind: 'close', raw, name } : { kind: 'open', raw, name, attributes };
      if (isClosing || !RAW_CONTENT.has(name)) continue;
      const content = position;
      position = endOfContent(name);
      if (position > content) yield { kind: 'hidden', raw: html.slice(content, position) };
    } else if (html.startsWith('<!--', start)) {
      position = endOfComment(start + 4);
      yield { kind: 'hidden', raw: html.slice(start, position) };
    } else if (/^<(?:[!?]|\/(?!$))/.test(html.slice(start, start + 3))) {
      position = endOf('>', start + 1);
      yield { kind: 'hidden', raw: html.slice(start, position) };
    } else {
      position = start + 1;
      yield { kind: 'text', raw: '<' };
    }
  }
}
