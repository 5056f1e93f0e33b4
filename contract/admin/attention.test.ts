// The words of attention items: plurals, parts that are left out, amounts and times; and the declarations of the kinds.
import { expect, test } from 'bun:test';
import { ATTENTION_KINDS, ATTENTION_SEVERITIES } from './attention-kinds.ts';
import { ATTENTION_WORDS, attentionText, type AttentionReader } from './attention-words.ts';

const reader = (language: 'zh' | 'en'): AttentionReader => ({
  language,
  quotaPerUnit: 500_000,
  displayInCurrency: true,
  timeText: (seconds) => `<${seconds}>`,
});
const title = (kind: keyof typeof ATTENTION_WORDS, values: Record<string, string | number>) =>
  (['zh', 'en'] as const).map((language) =>
    attentionText(ATTENTION_WORDS[kind].title, values, reader(language)),
  );
const detail = (kind: keyof typeof ATTENTION_WORDS, values: Record<string, string | number>) =>
  (['zh', 'en'] as const).map((language) =>
    attentionText(ATTENTION_WORDS[kind].detail, values, reader(language)),
  );

test('one and many have their own words', () => {
  expect(title('order_uncredited', { count: 1 })).toEqual([
    '1 个订单已付款但未入账',
    '1 order is paid but not credited',
  ]);
  expect(title('order_uncredited', { count: 2 })[1]).toBe('2 orders are paid but not credited');
});

test('a part without a value is left out, with the sign before it', () => {
  const values = { name: 'nano', count: 1, others: 0, count_more: 0 };
  expect(title('model_unpriced', values)).toEqual(['nano 没有价格', 'nano has no price']);
  expect(title('model_unpriced', { ...values, count: 3, others: 2, count_more: 3 })).toEqual([
    'nano 等 3 个模型没有价格',
    'nano and 2 more have no price',
  ]);
  const off = { reason_zh: '', reason_en: '', model: 'opus', models: 0, other_models: 0, users: 0, calls: 0 };
  expect(detail('channel_only', off)).toEqual(['opus 没有其他渠道', 'only channel for opus']);
  expect(detail('channel_only', { ...off, reason_en: 'status 401', users: 1, calls: 41 })[1]).toBe(
    'status 401 · only channel for opus · 1 user, 41 calls refused',
  );
});

test('amounts, percents and times are shown by their names', () => {
  expect(detail('balance_low', { left_quota: 500_000, day_quota: 1_045_000 })[1]).toBe(
    '$1.00 left, $2.09 a day over the last week.',
  );
  expect(
    detail('supplier_balance', { left_amount: 8.4, day_amount: 2.75, currency: 'CNY', model: '' })[1],
  ).toBe('¥8.40 left, ¥2.75 a day over the last week.');
  expect(title('disk_full', { name: 'a', percent: 86 })[1]).toBe('The disk of a is 86% full');
  expect(detail('key_ending', { ends_at: 12 })[1]).toBe('Calls are refused from <12> on.');
});

test('a budget that is used up says whether calls are refused, and until when', () => {
  const values = {
    name: 'Launch',
    value: '',
    spent_quota: 500_000,
    limit_quota: 500_000,
    hard: 1,
    soft: 0,
    resets_at: 12,
  };
  expect(title('budget_over', values)).toEqual(['预算 Launch 已用完', 'The budget Launch is used up']);
  expect(title('budget_over', { ...values, value: 'ads' })[1]).toBe('The budget Launch (ads) is used up');
  expect(detail('budget_over', values)[1]).toBe('$1.00 used of $1.00; calls are refused until <12>.');
  expect(detail('budget_over', { ...values, hard: 0, soft: 1 })).toEqual([
    '已用 $1.00，上限 $1.00；请求不会被拒绝。',
    '$1.00 used of $1.00; calls are not refused.',
  ]);
  expect(detail('budget_over', { ...values, resets_at: 0 })[1]).toBe('$1.00 used of $1.00.');
  expect(detail('invitation_waits', { name: 'eve', others: 0, count_more: 0, expired: 0 })[1]).toBe('eve');
  expect(detail('invitation_waits', { name: 'eve', others: 1, count_more: 2, expired: 1 })).toEqual([
    'eve 等 2 个；其中 1 个已过期，可以重新发送',
    'eve and 1 more; 1 has expired and can be sent again',
  ]);
});

test('a kind names its severities from the least urgent to the most urgent one', () => {
  for (const { severities } of Object.values(ATTENTION_KINDS))
    expect(
      severities.toSorted(
        (left, right) => ATTENTION_SEVERITIES.indexOf(right) - ATTENTION_SEVERITIES.indexOf(left),
      ),
    ).toEqual([...severities]);
});
