/**
 * Build step: docs/ as modules. The index is one module; each page in each language is a separate chunk. The server's pages for
 * visitors have the same documents as HTML.
 */
import type { Plugin } from 'vite';
import { DOCUMENT_FOLDER, DOCUMENT_LIST } from '#contract/admin/documents.ts';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { articleOf } from './articles.ts';
import { documentFile, documentPath, readDocument, sections, shownText } from './documents.ts';

const INDEX = 'virtual:documents';
const PAGE = /^\0virtual:document\/([\w-]+)\.(zh|en)$/;

function indexModule(): string {
  const all = sections();
  const loaders = all.flatMap(({ pages }) =>
    pages.flatMap((page) =>
      LANGUAGES.filter((language) => page[language] !== undefined).map((language) => {
        const name = `${page.slug}.${language}`;
        return `${JSON.stringify(name)}: () => import('virtual:document/${name}')`;
      }),
    ),
  );
  return `export const sections = ${JSON.stringify(all)};\nexport const texts = {${loaders.join(',\n')}};`;
}

/** Name and text of every file that the server reads. */
function serverFiles(): [name: string, text: string][] {
  const all = sections();
  const articles = all.flatMap(({ pages }) =>
    pages.flatMap(({ slug }) =>
      LANGUAGES.flatMap((language): [string, string][] => {
        const file = documentFile(slug, language);
        if (file === undefined) return [];
        const article = articleOf(shownText(file, readDocument(file)), language);
        return [[`${slug}.${language}.json`, JSON.stringify(article)]];
      }),
    ),
  );
  return [[DOCUMENT_LIST, JSON.stringify(all)], ...articles];
}

export function documents(): Plugin {
  return {
    name: 'documents',
    resolveId: (id) => (id === INDEX || id.startsWith('virtual:document/') ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${INDEX}`) return indexModule();
      const [, slug, language] = PAGE.exec(id) ?? [];
      if (slug === undefined) return undefined;
      const file = documentFile(slug, language as Language);
      if (file === undefined) return undefined;
      this.addWatchFile(documentPath(file));
      return `export default ${JSON.stringify(shownText(file, readDocument(file)))};`;
    },
    generateBundle() {
      for (const [name, source] of serverFiles())
        this.emitFile({ type: 'asset', fileName: `${DOCUMENT_FOLDER.slice(1)}${name}`, source });
    },
  };
}
