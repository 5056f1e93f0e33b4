// The words of the console follow docs/glossary.md: no forbidden word, Chinese punctuation in Chinese, singular forms in English.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Glob } from 'bun';
import { ERRORS } from '#contract/errors.ts';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import { allMessages } from './all-messages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GLOSSARY = fileURLToPath(new URL('../../docs/glossary.md', import.meta.url));

async function messages(language: Language): Promise<[string, string][]> {
  const found = await allMessages(language);
  for (const [code, entry] of Object.entries(ERRORS)) found.push([`error ${code}`, entry[language]]);
  for (const key of SETTING_KEYS)
    found.push(
      [`label of ${key}`, settingOf(key).label[language]],
      [`help of ${key}`, settingOf(key).help[language]],
    );
  return found;
}

const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** What callers, mails and notifications say: sentences stand in the sources, so their literals are read. */
function sentences(language: Language): [string, string][] {
  const found: [string, string][] = [];
  const places = [
    'relay/errors/*.ts',
    'platform/notices/*.ts',
    'admin/mail/*.ts',
    'admin/session/*.ts',
    'admin/public-pages/**/*.{ts,tsx}',
    // Titles of jobs.
    'app/jobs/*.ts',
  ];
  const files = places.flatMap((place) => [...new Glob(`server/${place}`).scanSync(ROOT)]);
  for (const file of [...files, 'contract/fact-words.ts', 'contract/admin/attention-words.ts']) {
    if (file.endsWith('.test.ts')) continue;
    for (const [, single, double, template] of readFileSync(ROOT + file, 'utf8').matchAll(LITERAL)) {
      const text = single ?? double ?? template ?? '';
      const isChinese = /[\u4e00-\u9fff]/.test(text);
      if (isChinese ? language === 'zh' : language === 'en' && / /.test(text)) found.push([file, text]);
    }
  }
  return found;
}

/** What is no word: values that are filled in, tags and addresses. */
const wordsOnly = (text: string): string =>
  text.replaceAll(/\$\{[^}]*\}?|\{\{[^}]*\}\}|\{\w+\}|<[^>]*>?|\S*[/_]\S*/g, '0');

/** Section 6 of the voice: as words, which a list of parts of words cannot say. */
const ENGLISH_SLIPS: readonly (readonly [use: string, not: RegExp])[] = [
  ['95%', /\d %(?=$|[\s.,;:)])/],
  ['ID', /(?<![-.])\b(?:id|Id)\b(?![-.])/],
  ['email', /\b[Aa] letter\b|\bletters? (?:was|were|is|are)\b/],
  ['while you were editing', /\b[Mm]eanwhile\b/],
];
/** Programs read the first one; the rest are parts of code. */
const KEPT_ENGLISH = /^\$\{whole\} \(request id: |^,|;\n/;

/** Numbers of things that may be one. `count` has a singular of its own. */
const MANY =
  /\{\{(?:calls|users|models|rows|errors|requests|channels|keys|orders|days|hours)\}\} (?!yours)[a-z]+s\b/;

/** Sentences that the requirements fix word by word. */
const FIXED = new Set([
  '注销成功!',
  '请先选择要删除的通道！',
  '渠道复制失败: {{cause}}',
  '操作失败，重定向至登录界面中...',
]);

/** JSON, markup, a program: where straight marks belong. */
const CODE = /[{[]"|"[a-z_]+"|<|===|-H "/;

const HAN = '[\\u4e00-\\u9fff]';
const HALF_WIDTH = new RegExp(
  `${HAN}["”）]?[,;:!?(]|[,;:!?)]\\s?${HAN}|${HAN}\\s*\\(|\\)\\s*${HAN}|${HAN}\\.$|\\.\\.\\.`,
);

/** The rows `| use | not |` of a section of the glossary. */
function forbidden(section: string): string[] {
  const [, part = ''] = readFileSync(GLOSSARY, 'utf8').split(`## ${section}\n`);
  return (part.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|\s*(-|use)/.test(line))
    .flatMap((line) => line.split('|')[2]?.split(/[,，、]/) ?? [])
    .map((word) => word.trim())
    .filter(Boolean);
}

const placeholders = (text: string) => [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name]) => name).toSorted();

describe('A26 A27: the words of the console', () => {
  test('both languages of a message have words and the same placeholders, and the English is not Chinese', async () => {
    const english = new Map(await allMessages('en'));
    for (const language of LANGUAGES)
      expect((await allMessages(language)).filter(([, text]) => text.trim() === '')).toEqual([]);
    for (const [key, text] of await allMessages('zh'))
      expect([key, placeholders(english.get(key) ?? '')]).toEqual([key, placeholders(text)]);
    expect([...english].filter(([, text]) => /[\u4e00-\u9fff]/.test(text))).toEqual([]);
  });

  test('no Chinese text has a word that the glossary forbids', async () => {
    const words = forbidden('Words not to use in Chinese');
    expect(words).toContain('剪切板');
    const relay = sentences('zh');
    expect(relay.length).toBeGreaterThan(100);
    const wrong = [...(await messages('zh')), ...relay].filter(
      ([, text]) => !FIXED.has(text) && words.some((word) => text.includes(word)),
    );
    expect(wrong).toEqual([]);
  });

  test('Chinese text has Chinese punctuation', async () => {
    const wrong = (await messages('zh')).filter(
      ([, text]) => !FIXED.has(text) && (HALF_WIDTH.test(text) || /[「」『』]/.test(text)),
    );
    expect(wrong).toEqual([]);
  });

  test('no English text has a word that the glossary forbids, or an apostrophe that CJK fonts draw full-width', async () => {
    const words = forbidden('Words not to use in English');
    const relay = sentences('en');
    expect(relay.length).toBeGreaterThan(100);
    const wrong = [...(await messages('en')), ...relay].filter(
      ([, text]) => text.includes('’') || words.some((word) => text.includes(word)),
    );
    expect(wrong).toEqual([]);
  });

  test('names are quoted alike: in curly marks, straight ones are for code', async () => {
    const wrong = [...(await messages('en')), ...(await messages('zh')), ...sentences('en')].filter(
      ([, text]) => /(?:^|\s)"/.test(text) && !CODE.test(text),
    );
    expect(wrong).toEqual([]);
  });

  test('D10 a token is what models count: what a program calls with is an API key', async () => {
    const chinese = new Map(await allMessages('zh'));
    const wrong = (await allMessages('en')).filter(
      ([key, text]) =>
        // The access token of an account is called so in both languages.
        !key.startsWith('features/personal/messages.ts: token.') &&
        /\btokens?\b/i.test(wordsOnly(text)) &&
        !/token|首字|系统访问令牌/i.test(wordsOnly(chinese.get(key.replace(/_one$/, '_other')) ?? '')),
    );
    expect(wrong).toEqual([]);
  });

  test('English texts say 95%, ID and email', async () => {
    const all = [...(await messages('en')), ...sentences('en')].filter(
      ([, text]) => !KEPT_ENGLISH.test(text),
    );
    const wrong = all.flatMap(([name, text]) =>
      ENGLISH_SLIPS.flatMap(([use, not]) => (not.test(wordsOnly(text)) ? [`${name}: ${text} → ${use}`] : [])),
    );
    expect(wrong).toEqual([]);
  });

  test('no text that a program puts together has a space before its percent sign', () => {
    const wrong: string[] = [];
    const files = ['web', 'server/admin', 'contract'].flatMap((place) => [
      ...new Glob(`${place}/**/*.{ts,tsx}`).scanSync(ROOT),
    ]);
    expect(files.length).toBeGreaterThan(1000);
    for (const file of files) {
      if (file.includes('.test.')) continue;
      for (const [text] of readFileSync(ROOT + file, 'utf8').matchAll(LITERAL))
        if (/[}\d] %(?=$|[`'".,;:·)\s](?![\d\w(]))/.test(text)) wrong.push(`${file}: ${text.slice(0, 80)}`);
    }
    expect(wrong).toEqual([]);
  });

  test('the console and errors say 你, mails, notices and guides say 您 (O61)', async () => {
    const letters = [
      'server/platform/notices/',
      'server/admin/mail/',
      'server/admin/session/letters.ts',
      'server/admin/organizations/letters.ts',
    ];
    // They quote the settings and errors word by word.
    const quoting = new Set(['docs/options.zh.md', 'docs/guides/troubleshooting.zh.md']);
    const wrong: string[] = [];
    const check = (name: string, text: string, forbidden: '你' | '您') => {
      if (text.includes(forbidden)) wrong.push(`${name}: ${forbidden}`);
    };
    for (const [name, text] of await messages('zh')) check(name, text, '您');
    for (const file of new Glob('{server,contract}/**/*.ts').scanSync(ROOT)) {
      if (file.endsWith('.test.ts')) continue;
      const isLetter = letters.some((place) => file.startsWith(place));
      check(file, readFileSync(ROOT + file, 'utf8'), isLetter ? '你' : '您');
    }
    for (const file of ['README.zh.md', ...new Glob('docs/**/*.zh.md').scanSync(ROOT)])
      if (!quoting.has(file)) check(file, readFileSync(ROOT + file, 'utf8'), '你');
    expect(wrong).toEqual([]);
  });

  test('注销 stands only in the sentence that REL-8.61 fixes (O61)', async () => {
    const found = (await messages('zh')).filter(([, text]) => text.includes('注销'));
    expect(new Set(found.map(([, text]) => text))).toEqual(new Set(['注销成功!']));
  });

  test('N21: an English text with a count has a singular form', async () => {
    const all = await messages('en');
    const keys = new Set(all.map(([key]) => key));
    const wrong = all.filter(
      ([key, text]) =>
        /\{\{count\}\} [a-z]+s\b/.test(text) &&
        !(key.endsWith('_other') && keys.has(key.replace(/_other$/, '_one'))) &&
        !key.endsWith('_one'),
    );
    expect(wrong).toEqual([]);
    expect(all.filter(([key, text]) => MANY.test(text) && !key.endsWith('_other'))).toEqual([]);
  });

  test('A18: every setting has one sentence of help in both languages, which is not its label', () => {
    for (const key of SETTING_KEYS) {
      const { help, label } = settingOf(key);
      expect([key, help.zh]).toEqual([key, expect.stringMatching(/^[^。]+(。|；[^。]+。)$/)]);
      expect([key, help.en]).toEqual([key, expect.stringMatching(/^[A-Z\d].{10,}\.$/)]);
      expect(help.zh).not.toBe(label.zh);
    }
  });
});
