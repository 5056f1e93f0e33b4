import { expect, test } from 'bun:test';
import { limitProblem } from './limits.ts';

const problem = (limit: Parameters<typeof limitProblem>[0], value: unknown) =>
  limitProblem(limit, value, (key, { limit: at }) => `${key} ${at}`);

test('a text is measured without the blanks around it', () => {
  expect(problem({ shortest: 1, longest: 3 }, '  ')).toBe('limit.empty 1');
  expect(problem({ shortest: 2 }, 'a')).toBe('limit.shortest 2');
  expect(problem({ shortest: 1, longest: 3 }, ' abc ')).toBeUndefined();
  expect(problem({ shortest: 1, longest: 3 }, 'abcd')).toBe('limit.longest 3');
});

test('a number keeps its bounds, and a field without a limit takes everything', () => {
  expect(problem({ least: 1, most: 5 }, 0)).toBe('limit.least 1');
  expect(problem({ least: 1, most: 5 }, 5)).toBeUndefined();
  expect(problem({ least: 1, most: 5 }, 6)).toBe('limit.most 5');
  expect(problem(undefined, '')).toBeUndefined();
  expect(problem({ shortest: 1 }, ['a'])).toBeUndefined();
});
