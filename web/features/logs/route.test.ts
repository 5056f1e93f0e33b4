// A call of a virtual model as one line of its opened row.
import { expect, test } from 'bun:test';
import { routeModels, routeOf } from './route.ts';

const textOf = (other: Record<string, unknown>) => {
  const route = routeOf(other);
  const models =
    route && routeModels(route).map(({ model, why }) => (why === '' ? model : `${model} (${why})`));
  return models && [route.asked, ...models].join(' → ');
};

test('the row of a virtual model says what was asked for, what did not answer and why, and what did', () => {
  const asked = { asked_model: 'fast', answered_model: 'claude' };
  expect(textOf({})).toBeUndefined();
  // Users see no steps.
  expect(textOf(asked)).toBe('fast → claude');
  const steps = [{ model: 'mini', why: 'rate_limit' }];
  expect(textOf({ ...asked, admin_info: { route: steps } })).toBe('fast → mini (rate_limit) → claude');
  const failed = [...steps, { model: 'claude', why: 'down' }];
  expect(textOf({ ...asked, admin_info: { route: failed } })).toBe(
    'fast → mini (rate_limit) → claude (down)',
  );
  expect(textOf({ ...asked, admin_info: { route: 'damaged' } })).toBe('fast → claude');
});
