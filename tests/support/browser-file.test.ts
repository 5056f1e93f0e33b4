import { expect, test } from 'bun:test';
import { browserFile } from './browser-file.ts';

test('O36: without CHROMIUM_PATH the headless shell is found on a machine that has nothing else', () => {
  const shell = '/usr/bin/chromium-headless-shell';
  expect(browserFile('', (file) => file === shell)).toBe(shell);
  expect(browserFile('/opt/mine', () => true)).toBe('/opt/mine');
  expect(browserFile('', (file) => file === '/usr/bin/chromium')).toBe('/usr/bin/chromium');
});
