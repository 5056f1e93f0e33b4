import { expect, test } from 'bun:test';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import {
  amountText,
  bodyOf,
  changeCount,
  NO_CHANGES,
  problemsOf,
  readAmount,
  rebased,
  rowOfField,
  withChange,
  withNewFields,
  withNewLine,
  withRemoval,
  withUndo,
} from './sheet.ts';

const view = (id: number, name: string, quota = 100): BudgetView => ({
  id,
  name,
  quota,
  is_hard: true,
  models: '',
  subject: 'organization',
  subject_id: 0,
  subject_name: '',
  tag_key: '',
  tag_value: '',
  period: 'month',
  created_at: 1,
  ended: false,
  window_start: 0,
  resets_at: 0,
  spent: 0,
  held: 0,
  extra: 0,
  left: quota,
  forecast: null,
  counters: [],
});
const views = [view(1, 'All'), view(2, 'Search')];
const [all, search] = [view(1, 'All'), view(2, 'Search')];

test('a field that is typed back is no change, and an undone row is not sent', () => {
  const changed = withChange(NO_CHANGES, all, { quota: 200 });
  expect(bodyOf(changed).change).toEqual([{ id: 1, quota: 200, based_on: { quota: 100 } }]);
  expect(withChange(changed, all, { quota: 100 })).toEqual(NO_CHANGES);
  expect(withUndo(withRemoval(changed, 1), 1)).toEqual(NO_CHANGES);
});

test('the base is what was read when the change began, until the row is compared anew', () => {
  const changed = withChange(NO_CHANGES, all, { quota: 200 });
  const later = { ...view(1, 'All'), quota: 150 };
  const again = withChange(changed, later, { quota: 250 });
  expect(bodyOf(again).change[0]?.based_on).toEqual({ quota: 100 });
  expect(bodyOf(rebased(again, [later])).change[0]?.based_on).toEqual({ quota: 150 });
  // One that somebody else deleted is not sent any more.
  expect(changeCount(rebased(again, []))).toBe(0);
});

test('two names that are the same, a name that is missing and a subject that is not chosen are named by row', () => {
  const added = withNewLine(withChange(NO_CHANGES, search, { name: 'all ' }));
  const key = added.added[0]?.key ?? '';
  expect(Object.fromEntries(problemsOf(added, views))).toEqual({ 2: 'double', [key]: 'name' });
  const chosen = withNewFields(added, key, { name: 'New', subject: 'project' });
  expect(problemsOf(chosen, views).get(key)).toBe('subject');
  const named = withNewFields(chosen, key, { subject_id: 7 });
  expect(problemsOf(named, views).get(key)).toBeUndefined();
  // A removed row leaves its name to others.
  const freed = withRemoval(withChange(NO_CHANGES, search, { name: 'All' }), 1);
  expect(problemsOf(freed, views).size).toBe(0);
});

test('a refusal is shown at the row that it names', () => {
  const sheet = withNewLine(withRemoval(withChange(NO_CHANGES, all, { name: 'x' }), 2));
  const body = bodyOf(sheet);
  expect(rowOfField('change.0.name', body, sheet)).toBe('1');
  expect(rowOfField('remove.0', body, sheet)).toBe('2');
  expect(rowOfField('create.0.subject_id', body, sheet)).toBe(sheet.added[0]?.key ?? '');
  expect(rowOfField('name', body, sheet)).toBeUndefined();
});

test('an amount is typed as the site shows it', () => {
  const money = { quotaPerUnit: 500_000, displayInCurrency: true };
  const quota = { quotaPerUnit: 500_000, displayInCurrency: false };
  expect([readAmount('$1,000.50', money), readAmount('.5', money)]).toEqual([500_250_000, 250_000]);
  expect([readAmount('1,000', quota), readAmount('-1', quota), readAmount('', money)]).toEqual([
    1000,
    'bad',
    'bad',
  ]);
  expect([amountText(500_250_000, money), amountText(7, quota)]).toEqual(['1000.5', '7']);
});
