// The documents that the console shows: the list of contents is complete, both languages have the same structure, code, links and names,
// and what is made from code equals it. UPDATE_DOCS=1 writes what is made.
import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Glob } from 'bun';
import { ERRORS } from '#contract/errors.ts';
import { LANGUAGES, type Language, type Text } from '#contract/language.ts';
import { errorObject, relayErrors, RelayError } from '#server/relay/errors/relay-error.ts';
import { MEASURED } from '#tests/bench/capacity/measured.ts';
import { scaleTables } from '#tests/bench/capacity/tables.ts';
import {
  contents,
  documentPath,
  fileOf,
  indexOf,
  readDocument,
  shownText,
  slugOf,
} from '#web/build/documents.ts';
import { CLIENT_NAMES, CLIENTS, guideOf } from '#web/features/tokens/connect/clients.ts';
import { fieldTables, optionTable, providerTable, squeezed, tableIn, withTable } from './chinese-tables.ts';

const DOCS = documentPath('');
const pages = contents().flatMap(({ pages: names }) => names);
/** For people who change the code, who read English. */
const ENGLISH_ONLY = new Set([
  'architecture',
  'glossary',
  'guides/add-a-setting',
  'guides/add-an-endpoint',
  'guides/add-a-migration',
  'guides/add-a-provider',
  'guides/add-a-job',
]);
const pairs = pages.filter((page) => !ENGLISH_ONLY.has(page));

describe('the list of contents', () => {
  test('has every guide once, and each address leads to one page', () => {
    const guides = [...new Glob('guides/*.md').scanSync({ cwd: DOCS })]
      .filter((file) => !file.endsWith('.zh.md'))
      .map((file) => file.replace(/\.md$/, ''));
    expect(guides.filter((guide) => !pages.includes(guide))).toEqual([]);
    expect(pages.filter((page) => fileOf(page, 'en') === undefined)).toEqual([]);
    expect(new Set(pages.map(slugOf)).size).toBe(pages.length);
  });

  test('pages for users and operators are in both languages; a Chinese page has its English one', () => {
    expect(pairs.filter((page) => fileOf(page, 'zh') === undefined)).toEqual([]);
    const chinese = [...new Glob('**/*.zh.md').scanSync({ cwd: DOCS })];
    expect(chinese.map((file) => file.replace(/\.zh\.md$/, '')).toSorted()).toEqual(pairs.toSorted());
  });
});

/** Blocks of code; comments of shells and configurations are in the language of the page. */
const codeOf = (text: string) =>
  [...text.matchAll(/^ *```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(([, info, code = '']) => [
    info,
    code.replaceAll(/ *# .*$/gm, ''),
  ]);
const tablesOf = (text: string) => [...text.matchAll(/(?:^ *\|.*\n?)+/gm)].map(([table]) => table);
const namesOf = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name).toSorted();
/** Options, fields, paths and commands that the text names: a paragraph that one language lacks usually names one. */
const proseNames = (text: string) =>
  [...new Set(namesOf(text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')))].toSorted();
const targetsOf = (text: string) =>
  [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
    .map(([, target = '']) => target.replace(/\.zh\.md$/, '.md'))
    .toSorted();

describe.each(pairs)('%s in two languages', (page) => {
  const english = readDocument(fileOf(page, 'en')!);
  const chinese = readDocument(fileOf(page, 'zh')!);

  test('has the same headings, code, names in tables and links', () => {
    const levels = (text: string) => indexOf(text).headings.map(({ level }) => level);
    expect(levels(chinese)).toEqual(levels(english));
    expect(codeOf(chinese)).toEqual(codeOf(english));
    // The table of options has other columns in English: the test that sees each effect.
    if (page !== 'options') {
      expect(tablesOf(chinese).map(namesOf)).toEqual(tablesOf(english).map(namesOf));
      expect(proseNames(chinese)).toEqual(proseNames(english));
      expect(targetsOf(chinese)).toEqual(targetsOf(english));
    }
  });

  test('Chinese links lead to Chinese pages, English ones to English pages', () => {
    const wrong = (text: string, isWrong: (target: string) => boolean) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+\.md)/g)].filter(([, target = '']) => isWrong(target));
    const isShown = (target: string) =>
      pairs.includes(path.posix.join(path.posix.dirname(page), target).replace(/\.md$/, ''));
    expect(wrong(chinese, isShown)).toEqual([]);
    expect(wrong(english, (target) => target.endsWith('.zh.md'))).toEqual([]);
  });

  test('the Chinese text has no word that the glossary forbids, and no half-width punctuation', () => {
    const prose = chinese
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
      .replaceAll(/`[^`]*`|\]\([^)]*\)|<!--[\s\S]*?-->/g, '');
    for (const word of ['注销', '剪切板', '通道', '帐户', '帐号', '登陆', '通行证'])
      expect(prose).not.toContain(word);
    expect(prose.match(/[\u4e00-\u9fff][,;:!?]|[,;!?][\u4e00-\u9fff]/g)).toBeNull();
  });

  test('every link of the shown page leads to a page of the console', () => {
    const slugs = new Set(pages.map(slugOf));
    for (const language of ['en', 'zh'] as const) {
      const file = fileOf(page, language)!;
      const shown = shownText(file, readDocument(file));
      for (const [, target = ''] of shown.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
        expect(slugs).toContain(target.replace('/docs/', ''));
    }
  });
});

describe('made from code', () => {
  /** Compares, or writes with UPDATE_DOCS. */
  function expectMade(file: string, made: (text: string) => string): void {
    const text = readDocument(file);
    if (process.env['UPDATE_DOCS']) writeFileSync(documentPath(file), made(text));
    else expect(squeezed(text)).toBe(squeezed(made(text)));
  }

  test('the Chinese tables of fields, upstreams and options', () => {
    expectMade('guides/fields.zh.md', (text) =>
      withTable(text, fieldTables(readDocument('guides/fields.md')).trim()),
    );
    expectMade('providers.zh.md', (text) => withTable(text, providerTable(readDocument('providers.md'))));
    expectMade('options.zh.md', (text) => withTable(text, optionTable()));
    expect(tableIn(readDocument('options.zh.md')).split('\n').length).toBeGreaterThan(100);
  });

  test('the figures of the scale guide, from the capacity model', () => {
    for (const language of LANGUAGES)
      expectMade(fileOf('guides/scale', language)!, (text) =>
        withTable(text, scaleTables(language, MEASURED)),
      );
  });

  const rowsOf = (text: string, heading: string) => {
    const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
    return [
      ...section.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| ((?:[^|\\]|\\.)*?) +\| ((?:[^|\\]|\\.)*?) +\|$/gm),
    ];
  };
  const cases: [Language, string, Record<string, Text & { status: number }>][] = [
    ['en', 'Errors of model calls', relayErrors],
    ['zh', '模型调用的错误', relayErrors],
    ['en', 'Errors of the admin API', ERRORS],
    ['zh', '管理 API 的错误', ERRORS],
  ];
  test.each(cases)(
    'troubleshooting in %s: "%s" has every error once, with its sentence and a remedy',
    (language, heading, errors) => {
      const rows = rowsOf(readDocument(fileOf('guides/troubleshooting', language)!), heading);
      const documented = rows.map(([, code, status, sentence]) => [code, Number(status), sentence]);
      const declared = Object.entries(errors).map(([code, entry]) => [
        code,
        entry.status,
        entry[language].replaceAll('|', '\\|'),
      ]);
      const byCode = (list: unknown[][]) => list.toSorted(([a], [b]) => String(a).localeCompare(String(b)));
      expect(byCode(documented)).toEqual(byCode(declared));
      expect(rows.filter(([, , , , remedy = '']) => remedy.length < 4)).toEqual([]);
    },
  );

  test.each(['en', 'zh'] as const)(
    'troubleshooting in %s: a code that a call answers with the sentence of another error lists that sentence (N38)',
    (language) => {
      const rows = rowsOf(
        readDocument(fileOf('guides/troubleshooting', language)!),
        cases.find(([each]) => each === language)![1],
      );
      const error = new RelayError(
        'no_channel',
        { group: '{group}', model: '{model}' },
        { isUnknownModel: true },
      );
      const { code } = errorObject(error, language, 'x').error;
      const remedy = rows.find(([, each]) => each === code)?.[4] ?? '';
      expect([code, remedy]).toEqual([
        'model_not_found',
        expect.stringContaining(relayErrors.no_channel[language]),
      ]);
    },
  );

  test.each(['en', 'zh'] as const)(
    'connect in %s: every client is set up as the Connect wizard says',
    (language) => {
      const text = readDocument(fileOf('guides/connect', language)!);
      const connection = {
        key: 'sk-…',
        host: 'http://localhost:3000',
        model: 'gpt-4o-mini',
        siteName: 'Tollgate',
        system: 'posix',
      } as const;
      for (const client of CLIENTS) {
        const section = text.split(/^## /m).find((part) => part.startsWith(`${CLIENT_NAMES[client]}\n`));
        expect(section, client).toBeDefined();
        for (const step of guideOf(client, connection).steps) {
          // The link of NextChat carries the key; curl is shown in the other formats.
          if (client === 'curl' || (step.kind === 'text' && step.text.startsWith('#/'))) continue;
          const said = step.kind === 'fields' ? step.path : step.text;
          // The formatter prefers single quotes.
          expect(section?.replaceAll('"', "'")).toContain(said.replaceAll('"', "'"));
        }
      }
    },
  );
});

test('the index of docs/ in the repository lists the same pages', () => {
  const index = readFileSync(documentPath('README.md'), 'utf8');
  const listed = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  const expected = pages.flatMap((page) =>
    (['en', 'zh'] as const).flatMap((language) => fileOf(page, language) ?? []),
  );
  expect(expected.filter((file) => !listed.includes(file))).toEqual([]);
});
