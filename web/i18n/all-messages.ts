/** For tests: every message of the console in one language, as `[file: key, text]`. */
import { fileURLToPath } from 'node:url';
import { Glob } from 'bun';
import type { Language } from '#contract/language.ts';
import { wordsIn, type Messages, type Tree } from './rows.ts';

const WEB = fileURLToPath(new URL('../', import.meta.url));

function* walk(tree: Tree, prefix: string): Generator<[string, string]> {
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') yield [`${prefix}${key}`, value];
    else yield* walk(value, `${prefix}${key}.`);
  }
}

export async function allMessages(language: Language): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const pattern of ['i18n/messages/*.ts', 'features/*/messages.ts'])
    for (const file of new Glob(pattern).scanSync(WEB)) {
      const module = (await import(WEB + file)) as { default: Messages };
      found.push(...walk(wordsIn(language, module.default), `${file}: `));
    }
  if (found.length < 3000) throw new Error(`only ${found.length} messages were found`);
  return found;
}
