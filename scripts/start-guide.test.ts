// The first guide names what a newcomer clicks: italics in English, “” in Chinese, → between the steps of a path. Each step must be a
// label of the console, letter for letter, in the language of the guide.
import { expect, test } from 'bun:test';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import { readDocument } from '#web/build/documents.ts';
import { allMessages } from '#web/i18n/all-messages.ts';

async function labelsOf(language: Language): Promise<Set<string>> {
  const settings = SETTING_KEYS.map((key) => settingOf(key).label[language]);
  return new Set([...settings, ...(await allMessages(language)).map(([, text]) => text)]);
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
