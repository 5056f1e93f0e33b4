import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { mutants } from '#tests/mutants/index.mjs';
import { mutated, verdictOf } from './mutant-verdict.mjs';
import { inRoot } from './project.mjs';

test('every planted fault still fits its source, names existing tests, and has a name of its own', () => {
  for (const mutant of mutants) {
    const { name, file, tests, meaning } = mutant;
    expect(file, name).toMatch(/^(server|contract)\/(?!.*\.test\.)|^scripts\/(steps|test-files)\.mjs$/);
    const source = readFileSync(inRoot(file), 'utf8');
    expect(mutated(mutant, source), name).not.toBe(source);
    for (const test of tests) expect(existsSync(inRoot(test)), `${name}: ${test}`).toBe(true);
    expect(meaning.length, name).toBeGreaterThan(20);
  }
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(mutants.length).toBeGreaterThanOrEqual(60);
});

test('text that is gone, or occurs twice, is refused with the name of the fault', () => {
  const mutant = { name: 'free-calls', file: 'server/x.ts', find: 'charge', replace: '0' };
  expect(mutated(mutant, 'return charge;')).toBe('return 0;');
  expect(() => mutated(mutant, 'return 1;')).toThrow('free-calls: the text to replace occurs 0 times');
  expect(() => mutated(mutant, 'charge + charge')).toThrow('occurs 2 times');
});

test('a fault is caught only by a test that ran and failed, not by a file that does not load', () => {
  expect(verdictOf(0, '(pass) a\n')).toBe('survived');
  expect(verdictOf(1, '(pass) a\nerror: expect(received).toBe(expected)\n(fail) b\n')).toBe('caught');
  expect(verdictOf(1, '(fail) b\n  ^ this test timed out after 5ms.\n')).toBe('caught');
  expect(verdictOf(1, '(pass) a\nTypeError: x\n(fail) b\n')).toBe('caught');
  expect(verdictOf(1, 'SQLiteError: CHECK constraint failed: quota\n(fail) b\n')).toBe('caught');
  expect(verdictOf(1, "error: Cannot find module './gone.ts'\n 0 pass\n 1 fail\n 1 error\n")).toBe('broken');
  expect(verdictOf(1, 'ReferenceError: x is not defined\n(fail) every test\n')).toBe('broken');
});
