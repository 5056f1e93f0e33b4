/**
 * Content on screen (the operator's texts, answers of models): Markdown first, then DOMPurify, never the other way round. It
 * passes the elements and attributes of contract/admin/content-markup.ts and no others. The result is a DOM fragment, so no string
 * reaches an HTML sink. The server's sanitiser cleaned the operator's texts when they were saved; this one does not rely on it.
 */
import DOMPurify, { type Config } from 'dompurify';
import { marked } from 'marked';
import { CONTENT_ATTRIBUTES, CONTENT_LOADING, CONTENT_TAGS } from '#contract/admin/content-markup.ts';
import { parseInert } from './trusted.ts';

const LOADING = [...new Set(Object.values(CONTENT_LOADING).flat())];

const CONFIG = {
  IN_PLACE: true,
  ALLOWED_TAGS: [...CONTENT_TAGS],
  ALLOWED_ATTR: [...CONTENT_ATTRIBUTES, ...LOADING, 'href', 'class'],
  ALLOW_DATA_ATTR: false,
} satisfies Config;

/** The highlighter's classes (`hljs-title function_`) and the language of a code block; never one of the console's own. */
const HIGHLIGHT_CLASS = /^(?:hljs(?:-[\w-]+)?|[a-z]+_|language-[\w+#-]{1,40})$/;
const LINK_SCHEMES: readonly string[] = ['http:', 'https:', 'mailto:', 'tel:'];

/** The page's policy loads pictures from its own origin, by https or as data; sound and film from its own origin only. */
function isLoadable(element: Element, name: string, address: string): boolean {
  const url = URL.parse(address, location.href);
  if (url === null || url.origin === location.origin) return url !== null;
  const isPicture = element.tagName === 'IMG' || name === 'poster';
  return isPicture && (url.protocol === 'https:' || url.protocol === 'data:');
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  for (const name of LOADING) {
    const address = node.getAttribute(name);
    if (address === null) continue;
    const mayHave = CONTENT_LOADING[node.tagName.toLowerCase()]?.includes(name) ?? false;
    if (!mayHave || !isLoadable(node, name, address)) node.removeAttribute(name);
  }
  keepHighlighting(node);
  guardLink(node);
});

function keepHighlighting(node: Element): void {
  if (!node.hasAttribute('class')) return;
  const kept = [...node.classList].filter((name) => HIGHLIGHT_CLASS.test(name));
  if (kept.length === 0) node.removeAttribute('class');
  else node.setAttribute('class', kept.join(' '));
}

/** Links leave the console without a referrer. */
function guardLink(node: Element): void {
  const href = node.getAttribute('href');
  if (href === null) return;
  const url = URL.parse(href, location.href);
  if (node.tagName !== 'A' || url === null || !LINK_SCHEMES.includes(url.protocol))
    return node.removeAttribute('href');
  if (href.startsWith('#')) return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
}

/**
 * Chromium reports event handlers to the page's policy as soon as it parses them, even in a document without a window. A
 * mark inside their names makes them unknown attributes.
 */
const MARK = '\u{fdd0}';

interface Loading {
  /** The operator's texts and our documents. What others wrote loads nothing: their pictures become links. */
  loadsPictures?: boolean;
}

export function htmlFragment(html: string, { loadsPictures = false }: Loading = {}): DocumentFragment {
  const body = parseInert(html.replaceAll(/\bon(?=[a-z]+[\s/]*=)/gi, `$&${MARK}`));
  // Before the check: what becomes of a value without its marks must be what was checked.
  removeMarks(body);
  DOMPurify.sanitize(body, CONFIG);
  if (!loadsPictures) linkMedia(body);
  // Still of the inert document: pictures load when the fragment is put into the page.
  const fragment = body.ownerDocument.createDocumentFragment();
  fragment.append(...body.childNodes);
  return fragment;
}

/** A field of a form may have the name of a property of the form; the prototype's own cannot be hidden. */
const attributesOf = (element: Element): NamedNodeMap =>
  Reflect.get(Element.prototype, 'attributes', element);

/** Attributes with a mark in the name are handlers; text and values lose the marks, and those they came with. */
function removeMarks(body: HTMLElement): void {
  const nodes = document.createNodeIterator(body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const attributes = node instanceof Element ? [...attributesOf(node)] : [];
    for (const { name } of attributes)
      if (name.includes(MARK)) Element.prototype.removeAttribute.call(node, name);
    for (const holder of node instanceof Element ? attributes : [node])
      if (holder.nodeValue?.includes(MARK) === true) holder.nodeValue = holder.nodeValue.replaceAll(MARK, '');
  }
}

/** A picture, sound or film becomes a link: showing a text sends no request, a click does. A picture in the text itself stays. */
function linkMedia(body: HTMLElement): void {
  for (const media of body.querySelectorAll('img, audio, video, picture')) {
    if (!body.contains(media)) continue;
    const sources = [media, ...media.querySelectorAll('[src]')].map((each) => each.getAttribute('src') ?? '');
    const address = sources.find((source) => source !== '') ?? '';
    if (media.tagName === 'IMG' && /^data:image\//i.test(address)) continue;
    const link = body.ownerDocument.createElement('a');
    link.textContent =
      media.getAttribute('alt') || media.querySelector('[alt]')?.getAttribute('alt') || address;
    if (address !== '') link.setAttribute('href', address);
    guardLink(link);
    media.replaceWith(link);
  }
  for (const source of body.querySelectorAll('source')) source.remove();
}

interface MarkdownOptions extends Loading {
  /** Texts of people keep their line breaks; documents are wrapped in their files, so their breaks mean nothing. */
  breaks?: boolean;
}

export function markdownFragment(markdown: string, options: MarkdownOptions = {}): DocumentFragment {
  const { breaks = true, ...loading } = options;
  return htmlFragment(marked.parse(markdown, { async: false, gfm: true, breaks }), loading);
}
