/** @jsxImportSource hono/jsx */
// The frame of every public page: head, top bar, the index of its sections, content, footer.
import type { Child } from 'hono/jsx';
import type { HtmlEscapedString } from 'hono/utils/html';
import { inLanguage, type Language, type Text } from '#contract/language.ts';
import { Head, LANGUAGE_TAGS, type HeadProps } from './head.tsx';
import { TopBar, type PublicPlace } from './top-bar.tsx';
import { htmlOf } from './operator-html.ts';
import { linkTo, type Asked } from './page.ts';
import { credit, WORDS } from './words.ts';

interface LayoutProps extends HeadProps {
  /** Which link of the top bar is this page. */
  current?: PublicPlace | undefined;
  /** Sections with an id each; they make the index on the left. */
  sections?: readonly (readonly [id: string, name: Text])[] | undefined;
  /** Below the index. */
  aside?: Child;
  /** In the place of the index, such as facets. */
  side?: Child;
  /** At the end of the footer, such as when the figures were made. */
  footnote?: Child;
  /** The content takes all of the height and scrolls by itself. */
  isFramed?: boolean | undefined;
  children?: Child;
}

export const LEGAL_PAGES = ['terms', 'privacy', 'contact'] as const;
export type LegalPage = (typeof LEGAL_PAGES)[number];

/** The operator's text of a page in this language, else in the other one. */
export function legalText(
  { site: { settings } }: Pick<Asked, 'site'>,
  page: LegalPage,
  language: Language,
): string {
  const texts: Record<LegalPage, Text> = {
    terms: { zh: settings.TermsZh, en: settings.TermsEn },
    privacy: { zh: settings.PrivacyZh, en: settings.PrivacyEn },
    contact: { zh: settings.ContactZh, en: settings.ContactEn },
  };
  const { zh, en } = texts[page];
  return inLanguage(language, zh, en);
}

function Side({ asked, sections, aside, side }: Pick<LayoutProps, 'asked' | 'sections' | 'aside' | 'side'>) {
  const label = WORDS.onThisPage[asked.language];
  if (side !== undefined)
    return (
      <aside class="side" aria-label={label}>
        {side}
      </aside>
    );
  if (sections === undefined) return null;
  return (
    <aside class="side" aria-label={label}>
      <nav aria-label={label}>
        {sections.map(([id, name]) => (
          <a href={`#${id}`}>{name[asked.language]}</a>
        ))}
      </nav>
      {aside === undefined ? null : <div class="side-notes">{aside}</div>}
    </aside>
  );
}

function Footer({ asked, footnote }: Pick<LayoutProps, 'asked' | 'footnote'>) {
  const { site, language } = asked;
  const own = inLanguage(language, site.settings.Footer, site.settings.FooterEn).trim();
  return (
    <footer>
      <div class="footer-line">
        {own === '' ? (
          <span>{credit(site.name)[language]}</span>
        ) : (
          <div class="footer-html" dangerouslySetInnerHTML={{ __html: htmlOf(own) }} />
        )}
        <a href="/about">{WORDS.about[language]}</a>
        {LEGAL_PAGES.filter((page) => legalText(asked, page, language).trim() !== '').map((page) => (
          <a href={linkTo(asked, `/${page}`)}>{WORDS[page][language]}</a>
        ))}
        {footnote === undefined ? null : <span class="footnote">{footnote}</span>}
      </div>
    </footer>
  );
}

function Layout({ current, sections, aside, side, footnote, isFramed, children, ...head }: LayoutProps) {
  const { asked } = head;
  return (
    <html lang={LANGUAGE_TAGS[asked.language]} data-lang-named={asked.isLanguageNamed ? 'true' : undefined}>
      <Head {...head} />
      <body data-framed={isFramed ? 'true' : undefined} data-close={WORDS.close[asked.language]}>
        <a class="skip" href="#main">
          {WORDS.skip[asked.language]}
        </a>
        <TopBar asked={asked} current={current} />
        <div class="columns" data-side={sections === undefined && side === undefined ? undefined : 'true'}>
          <Side asked={asked} sections={sections} aside={aside} side={side} />
          <main id="main" tabindex={-1}>
            {children}
          </main>
        </div>
        <Footer asked={asked} footnote={footnote} />
      </body>
    </html>
  );
}

/** A whole document. Components are plain functions: nothing in them waits. */
export function pageHtml(props: LayoutProps): string {
  const page = (<Layout {...props} />) as unknown as HtmlEscapedString;
  return `<!doctype html>${page.toString()}`;
}
