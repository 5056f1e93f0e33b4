import { expect, test } from 'bun:test';
import { contentKind, textHash } from './kind.ts';

test('an address is framed, a page is framed, everything else is rendered', () => {
  expect(contentKind('  ')).toBe('empty');
  expect(contentKind('https://example.com/welcome')).toBe('url');
  expect(contentKind('javascript:alert(1)')).toBe('rich');
  expect(contentKind('<!DOCTYPE html><html></html>')).toBe('document');
  expect(contentKind('# Hello\n\nhttps://example.com')).toBe('rich');
});

test('a changed notice has another hash', () => {
  expect(textHash('maintenance at 9')).not.toBe(textHash('maintenance at 10'));
  expect(textHash('维护')).toBe(textHash('维护'));
});
