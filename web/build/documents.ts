/**
 * The documents of docs/ as the console shows them. docs/contents.json is the order; `name.zh.md` beside `name.md` is
 * the Chinese version. Also used by the test of the documents.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LANGUAGES, type Language, type Text } from '#contract/language.ts';
import { anchorOf } from '#web/features/docs/anchor.ts';
import type { Audience, DocumentIndex, DocumentSection } from '#contract/admin/documents.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

interface ContentsSection {
  section: Text;
  audience: Audience;
  /** Files below docs/, without their ending. */
  pages: string[];
}

export const contents = (): ContentsSection[] =>
  JSON.parse(readFileSync(`${DOCS}contents.json`, 'utf8')) as ContentsSection[];

export const slugOf = (page: string): string => page.split('/').at(-1) ?? page;

/** The file of a page below docs/; undefined for a page without a version in that language. */
export function fileOf(page: string, language: Language): string | undefined {
  const file = `${page}${language === 'zh' ? '.zh' : ''}.md`;
  return existsSync(DOCS + file) ? file : undefined;
}

const withoutCode = (markdown: string): string => markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
/** Words of a heading or a cell without the marks of Markdown. */
const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|\\(?=\|)/g, '')
    .trim();

export function indexOf(markdown: string): DocumentIndex {
  const prose = withoutCode(markdown);
  const headings = [...prose.matchAll(/^(#{1,3}) (.+)$/gm)].map(([, marks = '', words = '']) => {
    const text = plain(words);
    return { level: marks.length, text, id: anchorOf(text) };
  });
  return { title: headings[0]?.text ?? '', headings: headings.slice(1) };
}

/** `| `code` | status | sentence | what to do |` */
const CODE_ROW = /^\| `(\w+)` +\| \d{3} +\| ((?:[^|\\]|\\.)*?) +\|/gm;

export const codesOf = (markdown: string): { id: string; text: string }[] =>
  [...markdown.matchAll(CODE_ROW)].map(([, id = '', sentence = '']) => ({
    id,
    text: `${id}: ${plain(sentence)}`,
  }));

export function sections(): DocumentSection[] {
  return contents().map(({ section, audience, pages }) => ({
    name: section,
    audience,
    pages: pages.map((page) => {
      const index = (language: Language): DocumentIndex | undefined => {
        const file = fileOf(page, language);
        if (file === undefined) return undefined;
        const markdown = readFileSync(DOCS + file, 'utf8');
        const codes = slugOf(page) === 'troubleshooting' ? { codes: codesOf(markdown) } : {};
        return { ...indexOf(markdown), ...codes };
      };
      const en = index('en');
      if (en === undefined) throw new Error(`docs/contents.json: there is no docs/${page}.md`);
      const zh = index('zh');
      return { slug: slugOf(page), en, ...(zh ? { zh } : {}) };
    }),
  }));
}

/** Links to other pages of the console; a link to a file that the console does not show becomes its words. */
export function shownText(file: string, markdown: string): string {
  const pages = new Map(
    contents().flatMap(({ pages: names }) =>
      names.flatMap((page) =>
        LANGUAGES.flatMap((language) => {
          const found = fileOf(page, language);
          return found === undefined ? [] : [[found, slugOf(page)] as const];
        }),
      ),
    ),
  );
  return markdown.replaceAll(
    /\[((?:[^\]\\]|\\.)*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g,
    (_, words: string, target: string, anchor = '') => {
      const slug = pages.get(path.posix.join(path.posix.dirname(file), target));
      return slug === undefined ? words : `[${words}](/docs/${slug}${anchor})`;
    },
  );
}

export function documentFile(slug: string, language: Language): string | undefined {
  const page = contents()
    .flatMap(({ pages }) => pages)
    .find((name) => slugOf(name) === slug);
  return page === undefined ? undefined : fileOf(page, language);
}

export const readDocument = (file: string): string => readFileSync(DOCS + file, 'utf8');
export const documentPath = (file: string): string => DOCS + file;
