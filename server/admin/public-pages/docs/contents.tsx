/** @jsxImportSource hono/jsx */
// The list of contents with its search, the results, and the links to the pages before and after.
import type { Language } from '#contract/language.ts';
import type { DocumentPage, DocumentSection } from '#contract/admin/documents.ts';
import { Icon } from '#server/admin/public-pages/icons.tsx';
import { linkTo, type Asked } from '#server/admin/public-pages/page.ts';
import { WORDS as FRAME_WORDS } from '#server/admin/public-pages/words.ts';
import { indexIn, type Found } from './documents.ts';
import { WORDS } from './words.ts';

interface ContentsProps {
  asked: Asked;
  /** Those of the reader. */
  sections: readonly DocumentSection[];
  current: DocumentPage | undefined;
}

const headingsOf = (page: DocumentPage, language: Language) =>
  indexIn(page, language).headings.filter(({ level }) => level === 2);

function Headings({ asked, page }: { asked: Asked; page: DocumentPage }) {
  const headings = headingsOf(page, asked.language);
  if (headings.length === 0) return null;
  return (
    <ul class="headings">
      {headings.map(({ id, text }) => (
        <li>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

/** Beside the text, where a wide screen has room for both; the contents leave the headings out there. */
export function OnThisPage({ asked, page }: { asked: Asked; page: DocumentPage }) {
  if (headingsOf(page, asked.language).length === 0) return null;
  return (
    <nav class="on-page" aria-label={FRAME_WORDS.onThisPage[asked.language]}>
      <b>{FRAME_WORDS.onThisPage[asked.language]}</b>
      <Headings asked={asked} page={page} />
    </nav>
  );
}

export function Contents({ asked, sections, current }: ContentsProps) {
  const { language } = asked;
  return (
    <nav class="contents" aria-label={WORDS.contents[language]}>
      <form action="/docs" role="search" aria-label={WORDS.search[language]}>
        <input
          class="input"
          name="q"
          type="search"
          value={asked.query.get('q') ?? undefined}
          aria-label={WORDS.search[language]}
          placeholder={WORDS.search[language]}
        />
        {asked.isLanguageNamed ? <input type="hidden" name="lang" value={language} /> : null}
      </form>
      {sections.map((section) => (
        <section>
          <h2>{section.name[language]}</h2>
          <ul>
            {section.pages.map((page) => (
              <li>
                <a
                  href={linkTo(asked, `/docs/${page.slug}`)}
                  aria-current={page === current ? 'page' : undefined}
                  lang={page[language] === undefined ? 'en' : undefined}
                >
                  {indexIn(page, language).title}
                </a>
                {page === current ? <Headings asked={asked} page={page} /> : null}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** The contents above the text, where the screen has no room beside it. */
export function FoldedContents(props: ContentsProps) {
  return (
    <details class="folded-contents">
      <summary>{WORDS.contents[props.asked.language]}</summary>
      <Contents {...props} />
    </details>
  );
}

export function Results({ asked, found }: { asked: Asked; found: readonly Found[] }) {
  if (found.length === 0) return <p class="muted">{WORDS.nothing[asked.language]}</p>;
  return (
    <ul class="results">
      {found.map(({ path, text, title }) => (
        <li>
          <a href={linkTo(asked, path)}>
            {text}
            {title === undefined ? null : <small>{title}</small>}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface NeighboursProps {
  asked: Asked;
  pages: readonly DocumentPage[];
  current: DocumentPage;
}

export function Neighbours({ asked, pages, current }: NeighboursProps) {
  const at = pages.indexOf(current);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return (
    <nav class="neighbours" aria-label={WORDS.neighbours[asked.language]}>
      {before === undefined ? null : (
        <a href={linkTo(asked, `/docs/${before.slug}`)} rel="prev">
          <Icon name="back" />
          {indexIn(before, asked.language).title}
        </a>
      )}
      {after === undefined ? null : (
        <a href={linkTo(asked, `/docs/${after.slug}`)} rel="next">
          {indexIn(after, asked.language).title}
          <Icon name="arrow" />
        </a>
      )}
    </nav>
  );
}
