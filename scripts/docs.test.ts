// The documents agree with the code: links and named files exist, quoted code is in the file it is quoted from, and the
// tables of imports and variables equal the configuration.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Glob } from 'bun';
import { environmentSchema } from '#server/platform/env.ts';
import { indexOf } from '#web/build/documents.ts';

const root = path.join(import.meta.dir, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documents = ['*.md', 'docs/**/*.md']
  .flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })])
  // The checklists quote routes and options, not files.
  .filter((file) => !/^docs\/requirements\/(accounts|relay)\.md$/.test(file));
/** Links inside the project; the text of code blocks has none. */
const linksOf = (text: string) =>
  [
    ...text
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
      .matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
  ].map(([, target = '', anchor = '']) => ({ target, anchor: decodeURIComponent(anchor) }));
const anchorsOf = (text: string) => new Set(indexOf(text).headings.map(({ id }) => id));
const squeeze = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

describe.each(documents)('%s', (file) => {
  const text = read(file);

  test('its links lead to files of the project, and to headings that these have', () => {
    const missing = linksOf(text).filter(({ target, anchor }) => {
      const found = target === '' ? file : path.join(path.dirname(file), target);
      if (!existsSync(path.join(root, found))) return true;
      return anchor !== '' && !(found.endsWith('.md') && anchorsOf(read(found)).has(anchor));
    });
    expect(missing).toEqual([]);
  });

  // A superseded decision names files that are gone; its successor does not.
  test.skipIf(/^Status: superseded by \[/m.test(text))('the files it names exist', () => {
    // The import table may name folders that do not exist yet.
    const prose = text.replaceAll(/^\|.*\| itself.*$/gm, '');
    const named = [...prose.matchAll(/`((?:contract|server|web|tests|scripts|docs)\/[\w./-]*)`/g)];
    const missing = named.map((match) => match[1] ?? '').filter((name) => !existsSync(path.join(root, name)));
    expect(missing).toEqual([]);
  });

  test('the code it quotes is in the file it names', () => {
    for (const [, source, code] of text.matchAll(/<!-- from (\S+) -->\s*```\w+\n([\s\S]*?)```/g)) {
      expect(squeeze(read(source ?? ''))).toContain(squeeze(code ?? ''));
    }
  });
});

interface LintConfiguration {
  overrides: { files: string[]; rules: Record<string, unknown> }[];
}

describe('tables', () => {
  test('docs/architecture.md has the import table that lint enforces', () => {
    const lint = JSON.parse(read('.oxlintrc.json')) as LintConfiguration;
    const enforced = lint.overrides.flatMap((override) => {
      const message = /"message":"(\S+) may import only: ([^(]+?) \(import/.exec(
        JSON.stringify(override.rules),
      );
      return message ? [`${message[1]} → ${message[2]}`] : [];
    });
    const documented = [
      ...read('docs/architecture.md').matchAll(/^\| `([^`]+)` +\| (itself[^|]*?) +\|$/gm),
    ].map((row) => `${row[1]} → ${(row[2] ?? '').replaceAll('`', '')}`);
    expect(enforced.length).toBeGreaterThan(10);
    expect(documented.sort()).toEqual(enforced.sort());
  });

  test('README has every variable of the environment with its meaning', () => {
    const documented = [...read('README.md').matchAll(/^\| `([A-Z_]+)` +\| ([^|]*)\| ([^|]*)\|$/gm)];
    const table = Object.fromEntries(documented.map((row) => [row[1] ?? '', row[3]?.trim()]));
    const described = Object.entries(environmentSchema.shape).map(([name, schema]) => [
      name,
      schema.description,
    ]);
    expect(table).toEqual(Object.fromEntries(described));
  });

  test('N26 N27: the license and the version are the same everywhere', () => {
    const { license, version } = JSON.parse(read('package.json')) as { license: string; version: string };
    expect(read('LICENSE')).toStartWith(`${license} License`);
    expect(read('CHANGELOG.md')).toContain(version);
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { license: string; version: string }>;
    };
    expect(lock.packages['']).toMatchObject({ license, version });
  });

  test('N16: every command of the documents works without Bun in the PATH', () => {
    const bare = documents.flatMap((file) => [
      ...read(file).matchAll(/(?:^|`)(?:[A-Z_]+=\S+ )*bun \w[^`\n]*/gm),
    ]);
    expect(bare.map(([command]) => command)).toEqual([]);
  });

  test('N10 N25: the commands and the health checks are documented', () => {
    const readme = read('README.md');
    for (const name of [
      'start',
      'migrate',
      'audit',
      'reset-password',
      'backup',
      'restore',
      'import',
      'export',
      'config',
    ])
      expect(readme).toContain(`npx tollgate ${name}`);
    for (const name of ['/healthz', '/readyz', 'tollgate restore', 'DRAIN_SECONDS'])
      expect(read('docs/guides/operate.md')).toContain(name);
  });
});
