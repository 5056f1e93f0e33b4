import { expect, test } from 'bun:test';
import { circleThrough } from './chunks.ts';

const imports: Record<string, string[]> = {
  base: ['runtime', 'first'],
  first: ['second', 'runtime'],
  second: ['base'],
  runtime: [],
};
const importsOf = (file: string) => imports[file] ?? [];

test('a chunk that leads back to the chunk of the first load is found, with the way', () => {
  expect(circleThrough('base', 'first', importsOf)).toEqual(['first', 'second', 'base']);
});

test('a chunk that imports only what comes before it is no circle', () => {
  expect(circleThrough('base', 'runtime', importsOf)).toBeUndefined();
});
