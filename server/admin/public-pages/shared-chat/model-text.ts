// Texts of models and of people who are not operators, as HTML of a page: Markdown first, then `sanitize-html`. Nothing in them
// is loaded: a picture becomes a link, so that reading a shared conversation sends no request elsewhere.
import { marked } from 'marked';
import sanitizeHtml from 'sanitize-html';

/** The page has its own two levels above. */
const LOWER_HEADINGS = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' } as const;

const RULES: sanitizeHtml.IOptions = {
  allowedTags: (
    'a b blockquote br code dd del details div dl dt em h3 h4 h5 h6 hr i kbd li mark ol p pre s samp span strong sub ' +
    'summary sup table tbody td tfoot th thead tr u ul var'
  ).split(' '),
  allowedAttributes: { a: ['href', 'target', 'rel'], ol: ['start'], td: ['align'], th: ['align'] },
  allowedSchemes: ['http', 'https'],
  allowProtocolRelative: false,
  nestingLimit: 100,
  transformTags: {
    ...Object.fromEntries(Object.entries(LOWER_HEADINGS).map(([from, to]) => [from, to])),
    img: (_, attributes) => ({
      tagName: 'a',
      attribs: linkTo(attributes['src']),
      text: attributes['alt'] || attributes['src'] || '',
    }),
    a: (tagName, attributes) => ({ tagName, attribs: linkTo(attributes['href']) }),
  },
};

function linkTo(address: string | undefined): sanitizeHtml.Attributes {
  if (address === undefined || !/^https?:\/\//i.test(address)) return {};
  return { href: address, target: '_blank', rel: 'noopener noreferrer nofollow ugc' };
}

export function modelHtml(markdown: string): string {
  return sanitizeHtml(marked.parse(markdown, { async: false, gfm: true, breaks: true }), RULES);
}
