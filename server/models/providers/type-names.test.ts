// Types of channels are written by their names (contract/relay/channel-type.ts), in the server and in every test.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Glob } from 'bun';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';

const root = new URL('../../../', import.meta.url).pathname;
const ids = new Set<number>(Object.values(CHANNEL_TYPE));
/** Rows of the log have a `type` too, up to this number. */
const lastLogType = 5;
const contextLines = 2;
/** Rows of other gateways, which number some types otherwise. */
const foreignRows = 'tests/integration/operating/import-export/family-rows.ts';

const uses = [
  /\b(?:type|channel_type|channelType)['"]?\s*(?::|===|!==|\?\?)\s*(\d+)\b/g,
  /\b(?:providerOf|factsOf|baseUrlOf)\((\d+)\b/g,
  /\btypeModels\[(\d+)\b/g,
];

function bareIds(file: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const around = lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).join('\n');
    const isOfChannel =
      file.startsWith('server/models/providers/') || /\b(?:base_url|baseUrl|models:)/.test(around);
    return uses
      .flatMap((use) => [...line.matchAll(use)].map((match) => Number(match[1])))
      .filter((id) => ids.has(id) && (id > lastLogType || isOfChannel))
      .map((id) => `${file}:${index + 1} ${id}`);
  });
}

test('a bare id is found', () => {
  expect(bareIds('tests/x.ts', 'await relay.channel({ type: 14 });')).toEqual(['tests/x.ts:1 14']);
  expect(bareIds('tests/x.ts', "addChannel({ type: 1, models: ['m'] });")).toEqual(['tests/x.ts:1 1']);
  expect(bareIds('server/x.ts', 'if (row.type === 24) return;')).toEqual(['server/x.ts:1 24']);
  expect(bareIds('server/x.ts', 'logs.filter(({ type }) => type === 2);')).toEqual([]);
});

test('no file has one', () => {
  const files = [...new Glob('{server,tests,mock,scripts}/**/*.ts').scanSync({ cwd: root })].filter(
    (file) => file !== 'server/models/providers/type-names.test.ts' && file !== foreignRows,
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => bareIds(file, readFileSync(root + file, 'utf8')))).toEqual([]);
});
