/**
 * Build step: for every first part of an address, the files that its page loads, as a list in `early.js`, which starts them at
 * once; otherwise the page's code waits for the frame's, its words for its code, and the parts it joins for it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';
import { LANGUAGES, type Language } from '#contract/language.ts';

const WEB = fileURLToPath(new URL('..', import.meta.url));

interface RoutePage {
  /** The first part of the address. */
  place: string;
  module: string;
  namespaces: string[];
}

/** Of every route that is loaded by one part of its address: its page and its words. */
export function routePages(source: string): RoutePage[] {
  return source
    .split('createRoute({')
    .slice(1)
    .flatMap((text) => {
      const place = /\bpath: '(\/[\w-]+)'/.exec(text)?.[1];
      const module = /\bimport\('(?:#web|\.)\/([^']+)'\)/.exec(text);
      if (place === undefined || module === null) return [];
      const file = module[0].includes("'./") ? `app/${module[1]}` : (module[1] ?? '');
      const words = /loadMessages\(([^)]*)\)/.exec(text)?.[1] ?? '';
      return [
        { place, module: file, namespaces: [...words.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name) },
      ];
    });
}

type Chunk = Rolldown.OutputChunk & { viteMetadata?: { importedCss?: Set<string> } };
type Parts = Partial<Record<'all' | Language, number[]>>;

/** Everything a module loads with it: chunks and styles. */
function createLoads(bundle: Rolldown.OutputBundle) {
  const chunks = Object.values(bundle).filter((each): each is Chunk => each.type === 'chunk');
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const byModule = new Map(
    chunks.flatMap((chunk) =>
      chunk.facadeModuleId === null ? [] : [[chunk.facadeModuleId, chunk] as const],
    ),
  );
  const of = (file: string): string[] => {
    const found = new Set<string>();
    const waiting = [file];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const chunk = byFile.get(next);
      if (found.has(next) || chunk === undefined) continue;
      found.add(next);
      for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
      waiting.push(...chunk.imports);
    }
    return [...found];
  };
  return {
    entry: chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => of(fileName)),
    /** `withParts`: also what the module itself loads later, as the pages of app/ do that join features. */
    module(name: string, { withParts = false } = {}): string[] {
      const chunk = byModule.get(path.join(WEB, name));
      if (chunk === undefined) return [];
      // Of the parts only the code: browsers complain of styles that a visit takes late or not at all.
      const parts = withParts ? chunk.dynamicImports.filter((file) => !/messages/.test(file)) : [];
      return [...of(chunk.fileName), ...parts.flatMap(of).filter((file) => !file.endsWith('.css'))];
    },
    words: (namespace: string, language: Language): string[] =>
      [`features/${namespace}/messages.ts`, `i18n/messages/${namespace}.ts`]
        .map((file) => byModule.get(`${path.join(WEB, file)}?${language}`))
        .flatMap((chunk) => (chunk ? [chunk.fileName] : [])),
  };
}

/** Parts of the frame that are loaded on every page: the bell. */
const SHELL = { module: 'features/announcements/bell.tsx', namespaces: ['announcements'] };

/** Further words of the features that a page of app/ joins. */
const JOINED: Record<string, string[]> = {
  '/overview': ['tokens', 'logs'],
  '/topup': ['personal', 'account', 'plans'],
  '/setting': ['personal', 'account', 'notices'],
};

/** What `early.js` needs of a build, as files and places in their list. */
function listOf(bundle: Rolldown.OutputBundle) {
  const loads = createLoads(bundle);
  const known = new Set(loads.entry);
  const files: string[] = [];
  const numbers = (names: readonly string[]): number[] =>
    [...new Set(names)]
      .filter((name) => !known.has(name))
      .map((name) => {
        if (!files.includes(name)) files.push(name);
        return files.indexOf(name);
      });
  const parts = (all: readonly string[], namespaces: readonly string[]): Parts => ({
    all: numbers(all),
    ...Object.fromEntries(
      LANGUAGES.map((language) => [
        language,
        numbers(namespaces.flatMap((namespace) => loads.words(namespace, language))),
      ]),
    ),
  });
  const routes = readdirSync(`${WEB}app`)
    .filter((name) => name.endsWith('routes.tsx'))
    .flatMap((name) => routePages(readFileSync(`${WEB}app/${name}`, 'utf8')))
    .map(({ place, module, namespaces }): [string, Parts] => {
      const code = loads.module(module, { withParts: module.startsWith('app/') });
      return [place, parts(code, [...namespaces, ...(JOINED[place] ?? [])])];
    });
  return {
    words: parts([], ['shell', 'ui']),
    shell: parts(loads.module(SHELL.module), SHELL.namespaces),
    routes: Object.fromEntries(routes),
    files,
  };
}

const SCRIPT = 'early.js';
const NO_LIST = '{ words: {}, shell: {}, routes: {}, files: [] }';

export function earlyLoads(): Plugin {
  return {
    name: 'early-loads',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['index.html'];
        if (page?.type !== 'asset') throw new Error('the build has no index.html');
        const script = readFileSync(`${WEB}public/${SCRIPT}`, 'utf8');
        const source = script.replace(NO_LIST, () => JSON.stringify(listOf(bundle)));
        if (source === script) throw new Error('early.js has no place for its list');
        const digest = createHash('sha256').update(source).digest('hex').slice(0, 8);
        const fileName = `assets/early-${digest}.js`;
        this.emitFile({ type: 'asset', fileName, source });
        page.source = String(page.source).replace(`"/${SCRIPT}"`, `"/${fileName}"`);
      },
    },
  };
}
