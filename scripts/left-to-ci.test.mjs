import { expect, test } from 'bun:test';
import { isLeftToCi, mainStories } from './left-to-ci.mjs';
import { slowUnitTests } from './steps.mjs';
import { findTests } from './test-files.mjs';

const stories = findTests(['tests/e2e']);

test('the main stories of the console exist, and the other browser tests are left to CI', () => {
  for (const name of mainStories) expect(stories).toContain(`tests/e2e/${name}.test.ts`);
  expect(stories.filter((file) => !isLeftToCi(file))).toHaveLength(mainStories.size);
});

test('money, access and the first run stay in npm test', () => {
  for (const name of ['account', 'account-factors', 'first-run', 'plans', 'top-up', 'wallet', 'redemptions'])
    expect(isLeftToCi(`tests/e2e/${name}.test.ts`)).toBe(false);
  const kept = findTests(['tests/integration/money']).filter((file) => !isLeftToCi(file));
  for (const name of ['ledger/audit', 'ledger/crash', 'ledger/invariants', 'payments/books'])
    expect(kept).toContain(`tests/integration/money/${name}.test.ts`);
});

test('what takes minutes is left to CI, and is there', () => {
  const files = findTests(['tests', 'scripts', 'server']);
  for (const file of [
    ...slowUnitTests,
    'tests/chaos/kill.test.ts',
    'tests/conformance/guides.test.ts',
    'tests/integration/money/ledger/corruption.test.ts',
  ]) {
    expect(isLeftToCi(file)).toBe(true);
    expect(files).toContain(file);
  }
});
