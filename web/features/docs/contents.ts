/** The list of contents and the search over titles, headings and error codes. */
import { sections } from 'virtual:documents';
import type { Language } from '#contract/language.ts';
import type { Audience, DocumentPage } from '#contract/admin/documents.ts';

export { sections, texts } from 'virtual:documents';

export const pages: readonly DocumentPage[] = sections.flatMap((section) => section.pages);

/** What one kind of reader finds in the list of contents. */
export const pagesFor = (audience: Audience): readonly DocumentPage[] =>
  sections.filter((section) => section.audience === audience).flatMap((section) => section.pages);

export const audienceOf = (page: DocumentPage): Audience =>
  sections.find((section) => section.pages.includes(page))?.audience ?? 'customers';

/** English where the page has no version in the language. */
export const indexIn = (page: DocumentPage, language: Language) => page[language] ?? page.en;

export interface Found {
  page: string;
  /** Undefined for the page itself. */
  hash?: string;
  text: string;
  /** The title of the page, for a heading or a code. */
  title?: string;
}

const MOST_FOUND = 40;

/** Every word of the query is in the text; titles first, then headings, then codes. */
export function findInDocuments(
  query: string,
  language: Language,
  among: readonly DocumentPage[] = pages,
): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const all = among.map((page) => ({ page: page.slug, index: indexIn(page, language) }));
  const titles = all.map(({ page, index }) => ({ page, text: index.title }));
  const headings = all.flatMap(({ page, index }) =>
    index.headings.map(({ text, id }) => ({ page, hash: id, text, title: index.title })),
  );
  const codes = all.flatMap(({ page, index }) =>
    (index.codes ?? []).map(({ text, id }) => ({ page, hash: id, text, title: index.title })),
  );
  return [...titles, ...headings, ...codes].filter(({ text }) => matches(text)).slice(0, MOST_FOUND);
}
