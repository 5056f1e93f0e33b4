// The operator's texts as HTML of a page: Markdown first, then `sanitize-html`, never the other way round. They were cleaned when
// they were saved; this does not rely on it, and the content security policy of the page runs no script in them either.
import { marked } from 'marked';
import sanitizeHtml from 'sanitize-html';
import { CONTENT_ATTRIBUTES, CONTENT_LOADING, CONTENT_TAGS } from '#contract/admin/content-markup.ts';

const RULES: sanitizeHtml.IOptions = {
  allowedTags: [...CONTENT_TAGS],
  allowedAttributes: {
    '*': [...CONTENT_ATTRIBUTES],
    a: ['href', 'target', 'rel'],
    ...Object.fromEntries(Object.entries(CONTENT_LOADING).map(([tag, names]) => [tag, [...names]])),
  },
  allowedSchemes: ['http', 'https'],
  // The page's policy loads pictures from its own origin, by https or as data.
  allowedSchemesByTag: { a: ['http', 'https', 'mailto', 'tel'], img: ['https', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'poster'],
  nestingLimit: 100,
  transformTags: {
    // A picture without words is an ornament.
    img: (tagName, attributes) => ({ tagName, attribs: { alt: '', ...attributes } }),
    a: (tagName, attributes) => ({
      tagName,
      attribs: attributes['href']?.startsWith('#')
        ? attributes
        : { ...attributes, target: '_blank', rel: 'noopener noreferrer' },
    }),
  },
};

export const htmlOf = (html: string): string => sanitizeHtml(html, RULES);

export function markdownOf(markdown: string): string {
  return htmlOf(marked.parse(markdown, { async: false, gfm: true, breaks: true }));
}

/** The first words of a text, for descriptions. */
export function plainStart(markdown: string, most = 160): string {
  const text = sanitizeHtml(marked.parse(markdown, { async: false }), { allowedTags: [] })
    .replaceAll(
      /&(amp|lt|gt|quot);/g,
      (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? '',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}
