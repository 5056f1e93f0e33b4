// Both languages have the same keys and placeholders, and no empty or untranslated message.
import { describe, expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { Glob } from 'bun';

const WEB = fileURLToPath(new URL('../', import.meta.url));

type Tree = { [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') flat.set(prefix + key, value);
    else for (const [name, text] of flatten(value, `${prefix}${key}.`)) flat.set(name, text);
  }
  return flat;
}

const placeholders = (text: string) =>
  [...text.matchAll(/\{\{\s*(\w+)/g)].map((match) => match[1]).toSorted();
/** English has a singular form; Chinese needs only the plural. */
const isSingular = (key: string) => key.endsWith('_one');

async function messages(file: string): Promise<Map<string, string>> {
  const module = (await import(WEB + file)) as { default: Tree };
  return flatten(module.default);
}

const files = [...new Glob('{i18n,features}/**/messages/**/zh.ts').scanSync(WEB)].toSorted();

describe('messages', () => {
  test('every namespace is found', () => {
    expect(files.length).toBeGreaterThanOrEqual(5);
  });

  for (const file of files) {
    test(`${file} and its English say the same`, async () => {
      const zh = await messages(file);
      const en = await messages(file.replace(/zh\.ts$/, 'en.ts'));
      expect([...en.keys()].filter((key) => !isSingular(key)).toSorted()).toEqual([...zh.keys()].toSorted());
      for (const [key, text] of zh) {
        expect(text.trim(), key).not.toBe('');
        expect(placeholders(en.get(key) ?? ''), key).toEqual(placeholders(text));
      }
      for (const [key, text] of en) {
        expect(text.trim(), key).not.toBe('');
        expect(/[\u4e00-\u9fff]/.test(text), `${key} is Chinese`).toBe(false);
      }
    });
  }
});
