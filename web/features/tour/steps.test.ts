import { expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { DAY_CHOICES, GRANULARITIES } from '#web/features/dashboard/search.ts';
import messages from './messages.ts';
import { stepsFor } from './steps.ts';

test('the dashboard of the tour shows the thirty days that its text speaks of (N41)', () => {
  const [first] = stepsFor(ROLE.root);
  expect(first).toMatchObject({ name: 'dashboard', search: { days: 30, by: 'day' } });
  expect([DAY_CHOICES.includes(30), GRANULARITIES.includes('day')]).toEqual([true, true]);
  const [en, zh] = messages.dashboard.text;
  expect([en, zh]).toEqual([expect.stringMatching(/^Thirty days/), expect.stringMatching(/^三十天/)]);
});
