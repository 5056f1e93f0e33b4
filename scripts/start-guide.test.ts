// The first guide names what a newcomer clicks: italics in English, “” in Chinese, → between the steps of a path. Each step must be a
// label of the console, letter for letter, in the language of the guide.
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import { readDocument } from '#web/build/documents.ts';

const WEB = Bun.fileURLToPath(new URL('../web/', import.meta.url));

type Tree = { [key: string]: string | Tree };

function* wordsOf(tree: Tree): Generator<string> {
  for (const value of Object.values(tree)) {
    if (typeof value === 'string') yield value;
    else yield* wordsOf(value);
  }
}

async function labelsOf(language: Language): Promise<Set<string>> {
  const labels = new Set(SETTING_KEYS.map((key) => settingOf(key).label[language]));
  for (const file of new Glob(`{i18n,features}/**/messages/**/${language}.ts`).scanSync(WEB)) {
    const { default: tree } = (await import(WEB + file)) as { default: Tree };
    for (const word of wordsOf(tree)) labels.add(word);
  }
  return labels;
}

const QUOTED = { en: /(?<![\w`])_([^_\n]+)_(?![\w`])/g, zh: /“([^”\n]+)”/g };

/** The table of pages names each in its first column, with its address. */
const pagesIn = (text: string) =>
  [...text.matchAll(/^\| ([^|]+?) *(?:[(（]`\/[\w-]+`[)）])? *\|/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !/^-+$/.test(name) && name !== 'where' && name !== '位置');

test.each(LANGUAGES)('the first guide quotes the console as it is written, in %s (N40)', async (language) => {
  const file = language === 'en' ? 'guides/start.md' : 'guides/start.zh.md';
  const text = readDocument(file).replaceAll(/^```[\s\S]*?^```$/gm, '');
  const quoted = [...text.matchAll(QUOTED[language])].flatMap(([, path = '']) => path.split(' → '));
  const pages = pagesIn(text);
  // The parts are found at all.
  expect([quoted.length >= 9, pages.length]).toEqual([true, 5]);
  const labels = await labelsOf(language);
  expect([...quoted, ...pages].filter((label) => !labels.has(label))).toEqual([]);
  // A path is quoted, never bold, so that it is compared.
  const bold = [...text.matchAll(/\*\*([^*\n]+)\*\*/g)].map(([, words]) => words);
  expect(bold.filter((words) => words?.includes('→'))).toEqual([]);
});
