import { expect, test } from 'bun:test';
import { filesToLint, importsIn } from './lint.mjs';

const imports = [
  ['server/base.ts', []],
  ['server/user.ts', importsIn('server/user.ts', "import { base } from './base.ts';")],
  ['web/page.tsx', importsIn('web/page.tsx', "const page = await import('#server/user.ts');")],
  ['web/other.tsx', importsIn('web/other.tsx', "import { useState } from 'react';")],
];
const digests = Object.fromEntries(imports.map(([file]) => [file, 'before']));
const before = { everything: 'configuration', digests };
const linted = (changes, configuration = 'configuration') => {
  const changed = Object.fromEntries(
    Object.entries({ ...digests, ...changes }).filter(([, digest]) => digest !== undefined),
  );
  return filesToLint(before, { everything: configuration, digests: changed, imports })?.toSorted();
};

test('lint reads what changed and what imports it, directly or through others (N42)', () => {
  expect(linted({})).toEqual([]);
  expect(linted({ 'web/other.tsx': 'after' })).toEqual(['web/other.tsx']);
  expect(linted({ 'server/base.ts': 'after' })).toEqual(['server/base.ts', 'server/user.ts', 'web/page.tsx']);
  expect(linted({ 'server/new.ts': 'after' })).toEqual(['server/new.ts']);
});

test('a file that is gone lets those be linted that import it (N42)', () => {
  expect(linted({ 'server/user.ts': undefined })).toEqual(['web/page.tsx']);
});

test('another configuration, and a first lint, read everything (N42)', () => {
  expect(linted({}, 'another')).toBeUndefined();
  expect(filesToLint(undefined, { everything: '', digests, imports })).toBeUndefined();
});
