// The documents agree with the code: links and named files exist, quoted code is in the file it is quoted from, and the
// picture of the wings and the table of variables equal the configuration.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Glob } from 'bun';
import { FLOORS } from '../oxlint.config.ts';
import { environmentSchema } from '#server/platform/env.ts';
import { indexOf } from '#web/build/documents.ts';

const root = path.join(import.meta.dir, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documents = ['*.md', 'docs/**/*.md', '{contract,mock,server,tests}/**/README.md', 'web/ui/README.md']
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
    const named = [...text.matchAll(/`((?:contract|server|web|mock|tests|scripts|docs)\/[\w./-]*)`/g)];
    const missing = named.map((match) => match[1] ?? '').filter((name) => !existsSync(path.join(root, name)));
    expect(missing).toEqual([]);
  });

  test('the code it quotes is in the file it names', () => {
    for (const [, source, code] of text.matchAll(/<!-- from (\S+) -->\s*```\w+\n([\s\S]*?)```/g)) {
      expect(squeeze(read(source ?? ''))).toContain(squeeze(code ?? ''));
    }
  });
});

/** Those of wings and rooms. */
const readmes = documents.filter((file) => /^(contract|mock|server|tests)\//.test(file));
const wings = FLOORS.filter((floor) => floor.startsWith('server/'));
const linesOf = (file: string) => read(file).trimEnd().split('\n').length;

describe('the map', () => {
  test('has one picture of the wings, in the order that lint enforces, the lowest floor last (R13)', () => {
    const picture = [...read('docs/architecture.md').matchAll(/^(contract|server\/\S+) {2,}\S/gm)];
    expect(picture.map(([, floor]) => floor)).toEqual(FLOORS.toReversed());
    const folders = [...new Glob('*/').scanSync({ cwd: path.join(root, 'server'), onlyFiles: false })];
    expect(folders.map((folder) => `server/${folder}`).toSorted()).toEqual([...wings].toSorted());
  });

  test('is at most 150 lines, and every wing has a README of at most 60 (R13)', () => {
    expect(linesOf('docs/architecture.md')).toBeLessThanOrEqual(150);
    expect(readmes).toEqual(expect.arrayContaining(FLOORS.map((floor) => `${floor}/README.md`)));
    expect(readmes.filter((file) => linesOf(file) > 60)).toEqual([]);
  });

  // A README names its own files from its folder: `ledger/ledger.ts` in that of server/money. That of the price list names models.
  test.each(readmes.filter((file) => !file.includes('/price-list/')))(
    '%s: the files and folders that it names from its own folder exist (R13)',
    (file) => {
      const own = [...read(file).matchAll(/`([a-z][\w-]*(?:\/[\w.-]*)*(?:\/|\.ts|\.tsx|\.csv))`/g)];
      const missing = own
        .map(([, name = '']) => name)
        .filter(
          (name) =>
            ![path.join(path.dirname(file), name), name].some((each) => existsSync(path.join(root, each))),
        );
      expect(missing).toEqual([]);
    },
  );
});

describe('decisions', () => {
  const pages = [...new Glob('**/[0-9]*.md').scanSync({ cwd: path.join(root, 'docs/adr') })];

  test('the list has every decision once, and those that were replaced are in superseded/ (R26)', () => {
    const listed = linksOf(read('docs/adr/README.md')).map(({ target }) => target);
    expect(listed.filter((target) => target.endsWith('.md')).toSorted()).toEqual(pages.toSorted());
    const replaced = pages.filter((page) => /^Status: superseded by \[/m.test(read(`docs/adr/${page}`)));
    expect(replaced.toSorted()).toEqual(pages.filter((page) => page.startsWith('superseded/')).toSorted());
  });

  test('a replaced decision and its successor name each other (R26)', () => {
    const oneSided = pages.flatMap((page) => {
      const status = /^Status: superseded by ([\s\S]*?)\n\n/m.exec(read(`docs/adr/${page}`))?.[1] ?? '';
      const [successor] = linksOf(status);
      if (successor === undefined) return [];
      const later = path.join('docs/adr/superseded', successor.target);
      return read(later).includes(`(${page})`) ? [] : [`${page} → ${later}`];
    });
    expect(oneSided).toEqual([]);
  });
});

describe('tables', () => {
  test('the deploy guide has every variable of the environment with its meaning', () => {
    const documented = [
      ...read('docs/guides/deploy.md').matchAll(/^\| `([A-Z_]+)` +\| ([^|]*)\| ([^|]*)\|$/gm),
    ];
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
    for (const name of ['/healthz', '/readyz', 'DRAIN_SECONDS'])
      expect(read('docs/guides/operate.md')).toContain(name);
    expect(read('docs/guides/backup.md')).toContain('tollgate restore');
  });
});
