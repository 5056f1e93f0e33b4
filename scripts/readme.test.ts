// The first page in both languages: how to get the product, and the upstreams that it really has.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { channelTypes } from '#server/providers/facts/channel-types.ts';

const read = (file: string) => readFileSync(path.join(import.meta.dir, '..', file), 'utf8');

test.each([
  ['README.md', '## Supported upstreams', ', ', /(\d+) kinds of upstream/],
  ['README.zh.md', '## 支持的上游', '、', /(\d+) 种上游/],
])(
  '%s has the number and the names of the upstreams, as server/providers has them (N32)',
  (file, heading, comma, headline) => {
    const text = read(file);
    const [, section = ''] = text.split(`${heading}\n`);
    const [list = ''] = (section.split(/^## /m)[0] ?? '').trim().split('\n').slice(-1);
    expect(
      list
        .replace(/[.。]$/, '')
        .split(comma)
        .toSorted(),
    ).toEqual(channelTypes.map(({ name }) => name).toSorted());
    for (const [, number] of [headline.exec(text) ?? [], /(\d+)/.exec(section) ?? []])
      expect(Number(number)).toBe(channelTypes.length);
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
