import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { isLeftToCi, leftBrowserTests } from './left-to-ci.mjs';
import { inRoot } from './project.mjs';
import { findTests } from './test-files.mjs';

/** `a/{b,c}, d` → a/b, a/c and d. */
const placesIn = (text) =>
  text
    .split(/, (?![^{]*\})/)
    .flatMap((place) =>
      (/\{(.*)\}/.exec(place)?.[1] ?? '').split(',').map((name) => place.replace(/\{.*\}/, name)),
    );
const isThere = (place) =>
  ['tests/', ''].some((root) => [place, `${place}.test.ts`].some((name) => existsSync(inRoot(root + name))));

test('what npm test leaves to CI exists, and so does what it has instead', () => {
  const files = findTests(['tests/e2e']);
  for (const [name, instead] of Object.entries(leftBrowserTests)) {
    expect(files).toContain(`tests/e2e/${name}.test.ts`);
    if (instead === 'looks') continue;
    for (const place of placesIn(instead)) {
      expect([place, isThere(place)]).toEqual([place, true]);
      expect([place, isLeftToCi(`tests/${place}.test.ts`)]).toEqual([place, false]);
    }
  }
});

test('money, access and the first run stay in npm test', () => {
  for (const name of ['account', 'account-factors', 'first-run', 'plans', 'top-up', 'wallet', 'redemptions'])
    expect(isLeftToCi(`tests/e2e/${name}.test.ts`)).toBe(false);
  expect(isLeftToCi('tests/integration/money/ledger/corruption.test.ts')).toBe(true);
  for (const file of [
    'tests/conformance/guides.test.ts',
    'scripts/planted-faults.test.ts',
    'scripts/chart.test.ts',
  ])
    expect([file, isLeftToCi(file), existsSync(inRoot(file))]).toEqual([file, true, true]);
});
