/**
 * The operator's content on screen: Markdown first, then the sanitiser, never the other way round. It runs before any of it
 * is parsed, so that the page's policy finds nothing to stop; what the parser made of the rest is judged once more. The
 * result is a DOM fragment, so no string of ours ever reaches an HTML sink.
 */
import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { safeHtml } from '#contract/safe-html.ts';

const CONFIG = {
  RETURN_DOM_FRAGMENT: true,
  USE_PROFILES: { html: true },
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'dialog'],
  FORBID_ATTR: ['style', 'id', 'name'],
  ALLOW_DATA_ATTR: false,
} as const;

// Links of the operator leave the console, and do not tell the target who came.
DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A' || !node.getAttribute('href')) return;
  if (node.getAttribute('href')?.startsWith('#')) return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

export function htmlFragment(html: string): DocumentFragment {
  return DOMPurify.sanitize(safeHtml(html, { ownOrigin: location.origin }), {
    ...CONFIG,
    FORBID_TAGS: [...CONFIG.FORBID_TAGS],
    FORBID_ATTR: [...CONFIG.FORBID_ATTR],
  });
}

export function markdownFragment(markdown: string): DocumentFragment {
  return htmlFragment(marked.parse(markdown, { async: false, gfm: true, breaks: true }));
}
