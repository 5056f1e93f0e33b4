// A path of the console that a guide names (**Settings → System → Payment**) is made of labels that the console shows.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Glob } from 'bun';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import { allMessages } from '#web/i18n/all-messages.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PATHS = /(?:\*\*|(?<!\w)_|“)([^*_“”\n]*→[^*_“”\n]*)(?:\*\*|_(?!\w)|”)/g;
/** Menus of other programs. */
const ELSEWHERE =
  /^(?:Cursor Settings|Cline|Settings → (?:Model|AI Service) Provider|Developers)|→ (?:⋯|…) →.*\bSecrets\b/;

async function labelsOf(language: Language): Promise<Set<string>> {
  const messages = (await allMessages(language)).map(([, text]) => text);
  return new Set([...messages, ...SETTING_KEYS.map((key) => settingOf(key).label[language]), '⋯']);
}

function pathsOf(language: Language): { file: string; path: string }[] {
  const files = ['docs/guides/*.md', 'README*.md'].flatMap((place) => [...new Glob(place).scanSync(ROOT)]);
  return files
    .filter((file) => file.endsWith('.zh.md') === (language === 'zh'))
    .flatMap((file) =>
      [...readFileSync(ROOT + file, 'utf8').matchAll(PATHS)].map(([, path = '']) => ({ file, path })),
    )
    .filter(({ path }) => !ELSEWHERE.test(path));
}

for (const language of LANGUAGES)
  test(`guides in ${language} name pages and fields as the console does`, async () => {
    const labels = await labelsOf(language);
    const paths = pathsOf(language);
    expect(paths.length).toBeGreaterThan(20);
    const wrong = paths.flatMap(({ file, path }) =>
      path
        .split('→')
        .map((label) => label.trim())
        .filter((label) => !labels.has(label))
        .map((label) => `${file}: ${path} (${label})`),
    );
    expect(wrong).toEqual([]);
  });
