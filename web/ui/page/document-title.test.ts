import { expect, test } from 'bun:test';
import { tabTitle } from './document-title.ts';

test('A25: the title of a tab ends with the name of the site, once', () => {
  expect(tabTitle('Logs', 'My gate')).toBe('Logs · My gate');
  expect(tabTitle('My gate', 'My gate')).toBe('My gate');
  expect(tabTitle('Logs', '')).toBe('Logs');
});
