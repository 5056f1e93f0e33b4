import { expect, test } from 'bun:test';
import { reachedBy, referencesOf } from './changed-tests.mjs';

const sources = {
  'server/a.ts': "import { b } from './deep/b.ts';\nexport * from '#contract/c.ts';",
  'server/deep/b.ts': '',
  'contract/c.ts': '',
  'server/child.ts': "import '#server/deep/b.ts';",
  'server/a.test.ts': "import { a } from './a.ts';",
  'server/deep/b.test.ts': "const child = new URL('../child.ts', import.meta.url);",
  'server/other.test.ts': "import { other } from './other.ts';",
  'tests/e2e/page.test.ts': "import { visit } from '#tests/support/browser.ts';",
};
const tests = Object.keys(sources).filter((file) => file.includes('.test.'));
const reached = (...changed) => reachedBy(changed, tests, (file) => sources[file]);

test('a change reaches the tests that import it over files between, and those that start it (R22)', () => {
  expect(reached('contract/c.ts')).toEqual(['server/a.test.ts']);
  expect(reached('server/deep/b.ts')).toEqual(['server/a.test.ts', 'server/deep/b.test.ts']);
  expect(reached('server/other.test.ts')).toEqual(['server/other.test.ts']);
  expect(reached('docs/page.md')).toEqual([]);
});

test('a change of the console reaches all browser tests, which run its build (R22)', () => {
  expect(reached('web/app/main.tsx')).toEqual(['tests/e2e/page.test.ts']);
});

test('every form of an import is seen (R22)', () => {
  const source = `import '#server/one.ts';
    import type { Two } from './two.ts';
    import {
      three,
    } from "../three.ts";
    export { four } from './four.ts';
    const five = await import('./five.ts');
    import six from 'six';`;
  expect(referencesOf('tests/x/file.ts', source)).toEqual([
    'server/one.ts',
    'tests/x/two.ts',
    'tests/three.ts',
    'tests/x/four.ts',
    'tests/x/five.ts',
  ]);
});
