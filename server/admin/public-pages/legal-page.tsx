/** @jsxImportSource hono/jsx */
// Terms, privacy and contact: the operator's texts, each in both languages. An empty one has no page.
import { LEGAL_PAGES, legalText, pageHtml, type LegalPage } from './layout.tsx';
import { markdownOf, plainStart } from './operator-html.ts';
import type { PublicPage, Site } from './page.ts';
import { WORDS } from './words.ts';

const pageOf = (path: string): LegalPage | undefined => LEGAL_PAGES.find((page) => path === `/${page}`);

const hasText = (site: Site, page: LegalPage): boolean => legalText({ site }, page, 'zh').trim() !== '';

export const legalPage: PublicPage = {
  matches: (path) => pageOf(path) !== undefined,
  listed: (site) => LEGAL_PAGES.filter((page) => hasText(site, page)).map((page) => `/${page}`),
  render(asked) {
    const page = pageOf(asked.path);
    const text = page === undefined ? '' : legalText(asked, page, asked.language);
    if (page === undefined || text.trim() === '') return undefined;
    const html = markdownOf(text);
    const title = WORDS[page][asked.language];
    return {
      body: pageHtml({
        asked,
        title,
        description: plainStart(text),
        children: (
          <article class="prose">
            {html.includes('<h1') ? null : <h1>{title}</h1>}
            <div dangerouslySetInnerHTML={{ __html: html }} />
          </article>
        ),
      }),
    };
  },
};
