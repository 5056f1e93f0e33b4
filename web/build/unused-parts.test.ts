import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { UNUSED_PARTS } from './unused-parts.ts';

const WEB = path.join(import.meta.dir, '..');
const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('build'))
  .map((file) => ({ file, text: readFileSync(path.join(WEB, file), 'utf8') }));

const usersOf = (component: string, part: string) =>
  sources
    .filter(({ text }) => new RegExp(String.raw`\b${component}(\.${part}|${part})\b`).test(text))
    .map(({ file }) => file);

test('no page uses a part of a component that the build leaves out', () => {
  const used = Object.entries(UNUSED_PARTS).flatMap(([component, parts]) =>
    parts.flatMap((part) => usersOf(component, part)),
  );
  expect(used).toEqual([]);
  // The search finds parts that are used.
  expect(usersOf('Menu', 'Sub')).not.toEqual([]);
});
