/**
 * Content on screen (the operator's texts, answers of models): Markdown first, then DOMPurify, never the other way round.
 * The result is a DOM fragment, so no string reaches an HTML sink. The server's sanitiser cleaned the operator's texts when
 * they were saved; this one does not rely on it.
 */
import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { parseInert } from './trusted.ts';

const CONFIG = {
  IN_PLACE: true,
  USE_PROFILES: { html: true },
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'dialog', 'template'],
  FORBID_ATTR: ['style', 'id', 'name'],
  ALLOW_DATA_ATTR: false,
};

/** The page's policy loads pictures from its own origin, by https or as data; sound and film from its own origin only. */
function isLoadable(element: Element, name: string, address: string): boolean {
  const url = URL.parse(address, location.href);
  if (url === null || url.origin === location.origin) return url !== null;
  const isPicture = element.tagName === 'IMG' || name === 'poster';
  return isPicture && (url.protocol === 'https:' || url.protocol === 'data:');
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  for (const name of ['src', 'poster']) {
    const address = node.getAttribute(name);
    if (address !== null && !isLoadable(node, name, address)) node.removeAttribute(name);
  }
  // Links leave the console without a referrer.
  if (node.tagName !== 'A' || !node.getAttribute('href')) return;
  if (node.getAttribute('href')?.startsWith('#')) return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

/**
 * Chromium reports event handlers to the page's policy as soon as it parses them, even in a document without a window. A
 * mark inside their names makes them unknown attributes, which DOMPurify removes; text and values lose the mark again.
 */
const MARK = '\u{fdd0}';

export function htmlFragment(html: string): DocumentFragment {
  const body = parseInert(html.replaceAll(/\bon(?=[a-z]+[\s/]*=)/gi, `$&${MARK}`));
  DOMPurify.sanitize(body, CONFIG);
  removeMarks(body);
  // Still of the inert document: pictures load when the fragment is put into the page, so a caller can take them out.
  const fragment = body.ownerDocument.createDocumentFragment();
  fragment.append(...body.childNodes);
  return fragment;
}

function removeMarks(body: HTMLElement): void {
  const nodes = document.createNodeIterator(body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    for (const holder of node instanceof Text ? [node] : (node as Element).attributes)
      if (holder.nodeValue?.includes(MARK) === true) holder.nodeValue = holder.nodeValue.replaceAll(MARK, '');
  }
}

/** Texts of people keep their line breaks; documents are wrapped in their files, so their breaks mean nothing. */
export function markdownFragment(markdown: string, breaks = true): DocumentFragment {
  return htmlFragment(marked.parse(markdown, { async: false, gfm: true, breaks }));
}
