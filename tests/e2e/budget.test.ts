// The download of a first visit, measured on the built console: JavaScript and CSS of the entry with one route, gzipped.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const KILOBYTE = 1024;
const FIRST_LOAD_SCRIPT_KB = 250;
const FIRST_LOAD_STYLE_KB = 45;
const ROUTE_SCRIPT_KB = 90;

interface Chunk {
  file: string;
  src?: string;
  isEntry?: boolean;
  isDynamicEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}

function manifest(): Record<string, Chunk> {
  const file = `${DIST}.vite/manifest.json`;
  if (!existsSync(file)) throw new Error('the console is not built: npm run build');
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Chunk>;
}

/** A chunk with all its static imports. */
function closure(chunks: Record<string, Chunk>, keys: readonly string[]): Set<string> {
  const found = new Set<string>();
  const waiting = [...keys];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    waiting.push(...(chunks[key]?.imports ?? []));
  }
  return found;
}

function gzipped(files: Iterable<string>): number {
  let bytes = 0;
  for (const file of new Set(files)) bytes += gzipSync(readFileSync(DIST + file)).length;
  return bytes / KILOBYTE;
}

function weigh(chunks: Record<string, Chunk>, keys: readonly string[]) {
  const all = [...closure(chunks, keys)].flatMap((key) => chunks[key] ?? []);
  return {
    script: gzipped([...all.map((chunk) => chunk.file), 'theme.js']),
    style: gzipped(all.flatMap((chunk) => chunk.css ?? [])),
  };
}

/** The messages of shell, ui and page in one language are part of the first load. */
function words(chunks: Record<string, Chunk>, ...namespaces: string[]): string[] {
  return namespaces.map((namespace) => {
    const key = Object.keys(chunks).find((name) => name.endsWith(`${namespace}.ts?zh`));
    if (!key) throw new Error(`no messages of ${namespace} in the build`);
    return key;
  });
}

const entry = 'index.html';
const routes = [
  ['login', 'features/account/login/login-page.tsx', 'features/account/messages'],
  ['tokens', 'features/tokens/route.tsx', 'features/tokens/messages'],
] as const;

describe('the budget of a first load', () => {
  for (const [name, page, messages] of routes) {
    test(`${name}: at most ${FIRST_LOAD_SCRIPT_KB} KB of JavaScript and ${FIRST_LOAD_STYLE_KB} KB of CSS`, () => {
      const chunks = manifest();
      expect(chunks[page]?.isDynamicEntry).toBe(true);
      const load = weigh(chunks, [
        entry,
        page,
        ...words(chunks, 'i18n/messages/shell', 'i18n/messages/ui', messages),
      ]);
      expect(load.script).toBeLessThanOrEqual(FIRST_LOAD_SCRIPT_KB);
      expect(load.style).toBeLessThanOrEqual(FIRST_LOAD_STYLE_KB);
      // A size near zero would mean that the manifest was misread.
      expect(load.script).toBeGreaterThan(60);
      expect(load.style).toBeGreaterThan(5);
    });
  }

  test(`no page adds more than ${ROUTE_SCRIPT_KB} KB of its own`, () => {
    const chunks = manifest();
    const shared = closure(chunks, [entry]);
    const pages = Object.keys(chunks).filter((key) => /^features\/.*page\.tsx$/.test(key));
    expect(pages.length).toBeGreaterThanOrEqual(5);
    for (const page of pages) {
      const own = [...closure(chunks, [page])].filter((key) => !shared.has(key));
      const size = gzipped(own.flatMap((key) => chunks[key]?.file ?? []));
      expect(size, page).toBeLessThanOrEqual(ROUTE_SCRIPT_KB);
    }
  });

  test('only one language is in the first load', () => {
    const chunks = manifest();
    for (const [, page] of routes) {
      expect([...closure(chunks, [entry, page])].filter((key) => /messages.*\?(zh|en)$/.test(key))).toEqual(
        [],
      );
    }
  });

  test('a first load is a handful of files', () => {
    const chunks = manifest();
    for (const [, page] of routes) expect(closure(chunks, [entry, page]).size).toBeLessThanOrEqual(25);
  });

  test('no chunk imports itself in a circle, which could run a module before what it needs', () => {
    const chunks = manifest();
    const circular = Object.keys(chunks).filter((key) =>
      closure(chunks, chunks[key]?.imports ?? []).has(key),
    );
    expect(circular).toEqual([]);
  });
});

test('the console does not contain the sanitiser of the server', () => {
  const files = new Set(Object.values(manifest()).map((chunk) => chunk.file));
  for (const file of files)
    expect([file, readFileSync(DIST + file, 'utf8').includes('disallowedTagsMode')]).toEqual([file, false]);
});
