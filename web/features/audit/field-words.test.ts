import { expect, test } from 'bun:test';
import { referenceOf } from '#contract/admin/audit-references.ts';
import fields from './messages/fields.ts';

test('a field that names another thing is called by that thing: its value is shown by its name, not by its number', () => {
  const names = Object.entries(fields).flatMap(([name, words]) =>
    referenceOf(name, '12') !== undefined && Array.isArray(words) ? [[name, ...words]] : [],
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((words) => /\bID\b|编号/.test(words.slice(1).join(' ')))).toEqual([]);
});
