// A call of a virtual model as one line of its opened row.
import { expect, test } from 'bun:test';
import { routeOf, routeText } from './route.ts';

const words = (why: string) => why.replaceAll('_', ' ');
const textOf = (other: Record<string, unknown>) => {
  const route = routeOf(other);
  return route && routeText(route, words);
};

test('the row of a virtual model says what was asked for, what did not answer and why, and what did', () => {
  const asked = { asked_model: 'fast', answered_model: 'claude' };
  expect(textOf({})).toBeUndefined();
  // Users see no steps.
  expect(textOf(asked)).toBe('fast → claude');
  const steps = [{ model: 'mini', why: 'rate_limit' }];
  expect(textOf({ ...asked, admin_info: { route: steps } })).toBe('fast → mini (rate limit) → claude');
  const failed = [...steps, { model: 'claude', why: 'down' }];
  expect(textOf({ ...asked, admin_info: { route: failed } })).toBe(
    'fast → mini (rate limit) → claude (down)',
  );
  expect(textOf({ ...asked, admin_info: { route: 'damaged' } })).toBe('fast → claude');
});
