// The documents of the build: the list of contents, one page in a language, and the search over titles, headings and error codes.
import {
  DOCUMENT_LIST,
  SAMPLE_ADDRESS,
  type DocumentArticle,
  type DocumentPage,
  type DocumentSection,
} from '#contract/admin/documents.ts';
import type { Language } from '#contract/language.ts';
import { PLACEHOLDER_MODEL } from '#contract/money/sample-model.ts';

/** Undefined where the console is not built. */
export type ReadDocument = (name: string) => Promise<string | undefined>;

/** What stands in the samples of a document. */
export interface Samples {
  /** Without a slash at its end. */
  readonly address: string;
  readonly model: string;
}

export async function listOfDocuments(read: ReadDocument): Promise<readonly DocumentSection[] | undefined> {
  const text = await read(DOCUMENT_LIST);
  return text === undefined ? undefined : (JSON.parse(text) as DocumentSection[]);
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export async function articleOf(
  read: ReadDocument,
  page: DocumentPage,
  { language, samples, link }: { language: Language; samples: Samples; link: (path: string) => string },
): Promise<DocumentArticle | undefined> {
  const text = await read(`${page.slug}.${page[language] === undefined ? 'en' : language}.json`);
  if (text === undefined) return undefined;
  const { html, description } = JSON.parse(text) as DocumentArticle;
  const address = escaped(samples.address);
  const shown = html
    .replaceAll(SAMPLE_ADDRESS, (_, scheme: string) =>
      scheme === 'ws' ? address.replace(/^http/, 'ws') : address,
    )
    .replaceAll(PLACEHOLDER_MODEL, () => escaped(samples.model))
    .replaceAll(/href="(\/docs\/[^"]*)"/g, (_, path: string) => `href="${escaped(link(path))}"`);
  return { html: shown, description };
}

export const indexIn = (page: DocumentPage, language: Language) => page[language] ?? page.en;

export interface Found {
  readonly path: string;
  readonly text: string;
  /** The title of the page, for a heading or a code. */
  readonly title?: string;
}

const MOST_FOUND = 40;

/** Every word of the query is in the text; titles first, then headings, then codes. */
export function findInDocuments(
  query: string,
  language: Language,
  pages: readonly DocumentPage[],
): readonly Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const all = pages.map((page) => ({ path: `/docs/${page.slug}`, index: indexIn(page, language) }));
  const within = (kind: 'headings' | 'codes'): Found[] =>
    all.flatMap(({ path, index }) =>
      (index[kind] ?? []).map(({ id, text }) => ({ path: `${path}#${id}`, text, title: index.title })),
    );
  const titles: Found[] = all.map(({ path, index }) => ({ path, text: index.title }));
  return [...titles, ...within('headings'), ...within('codes')]
    .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
    .slice(0, MOST_FOUND);
}
