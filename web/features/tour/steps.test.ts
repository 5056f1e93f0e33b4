import { expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { DAY_CHOICES, GRANULARITIES } from '#web/features/dashboard/search.ts';
import en from './messages/en.ts';
import zh from './messages/zh.ts';
import { stepsFor } from './steps.ts';

test('the dashboard of the tour shows the thirty days that its text speaks of (N41)', () => {
  const [first] = stepsFor(ROLE.root);
  expect(first).toMatchObject({ name: 'dashboard', search: { days: 30, by: 'day' } });
  expect([DAY_CHOICES.includes(30), GRANULARITIES.includes('day')]).toEqual([true, true]);
  expect([en.dashboard.text, zh.dashboard.text].map((text) => /^Thirty days|^三十天/.test(text))).toEqual([
    true,
    true,
  ]);
});
