// The first page in both languages: how to get the product, and the upstreams that it really has. UPDATE_DOCS=1 writes these.
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { channelTypes } from '#server/models/providers/facts/channel-types.ts';

const root = path.join(import.meta.dir, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const names = channelTypes.map(({ name }) => name);

/** The page with the number and the names of `names`. */
function withUpstreams(text: string, isChinese: boolean): string {
  const [heading, comma, end] = isChinese
    ? ['## 支持的上游', '、', '。']
    : ['## Supported upstreams', ', ', '.'];
  const at = text.indexOf(`${heading}\n`);
  const next = text.indexOf('\n## ', at + 1);
  const section = text.slice(at, next).trimEnd();
  const list = section.slice(section.lastIndexOf('\n') + 1);
  const made = section
    .replace(list, `${names.join(comma)}${end}`)
    .replace(/\d+(?= types| 种)/, String(names.length));
  const head = text.slice(0, at).replace(/\d+(?= kinds of upstream| 种上游)/, String(names.length));
  return `${head}${made}\n${text.slice(next)}`;
}

test.each(['README.md', 'README.zh.md'])(
  '%s has the number and the names of the upstreams, as server/models/providers has them (N32)',
  (file) => {
    const text = read(file);
    const made = withUpstreams(text, file.includes('.zh.'));
    if (process.env['UPDATE_DOCS']) writeFileSync(path.join(root, file), made);
    else expect(text).toBe(made);
    expect(text.match(/\d+(?= kinds of upstream| types;| 种)/g)?.length).toBe(2);
  },
);

test.each(['README.md', 'README.zh.md'])(
  '%s says how to get it, start it and release it, and leads to the other language (N32)',
  (file) => {
    const text = read(file);
    for (const words of ['git clone ', 'npm start', 'npm run demo', 'npm run release', 'CycloneDX'])
      expect(text).toContain(words);
    expect(text).toContain(`](${file === 'README.md' ? 'README.zh.md' : 'README.md'})`);
  },
);
