// The customer's sentences in both languages: what is zero is not said, and a percentage is never rounded up to all.
import { describe, expect, test } from 'bun:test';
import type { CustomerOverview } from '#contract/admin/overview.ts';
import { answeredPercent, customerSentence, type SayCustomer } from './customer-sentence.ts';
import messages from './messages.ts';
import { piecesOf } from './sentence.ts';

const UNIT = 500_000;
const display = { quotaPerUnit: UNIT, displayInCurrency: true };
const JOINS = {
  en: { comma: ', ', semicolon: '; ', stop: '.', space: ' ' },
  zh: { comma: '，', semicolon: '；', stop: '。', space: '' },
};
const sayIn =
  (language: 'en' | 'zh'): SayCustomer =>
  (key, values) => {
    const row = messages.sentence[key] as readonly string[];
    const at = language === 'zh' ? row.length - 1 : row.length === 3 && values['count'] !== 1 ? 1 : 0;
    return (row[at] ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]));
  };
const plain = (text: string) =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join('');
const day = (dollars: number, count = 0, error_count = 0) => ({
  day: '2026-11-17',
  quota: dollars * UNIT,
  count,
  error_count,
});
const facts = (more: Partial<CustomerOverview> = {}) => ({
  balance: { quota: 29.62 * UNIT, held: 0, plans: 0 },
  pace: { week: 14.63 * UNIT, per_day: 2.09 * UNIT, days_left: 14, ends_on: '2026-12-01' },
  days: [day(2.31, 316, 2), day(1.46, 90)],
  ...more,
});
const said = (language: 'en' | 'zh', given = facts(), keys = 0) =>
  customerSentence(given, keys, sayIn(language), display, JOINS[language]);

describe('the sentences of a customer', () => {
  test('keys that will stop, the balance, today and yesterday, each number a link', () => {
    expect(plain(said('en', facts(), 2))).toBe(
      '2 API keys will soon be refused. The balance of $29.62 lasts 14 days at the pace of the last 7 days. Today $1.46 was used; yesterday $2.31, 318 calls, 99.4% answered.',
    );
    expect(plain(said('zh', facts(), 2))).toBe(
      '2 个令牌即将不可用。余额 $29.62，按近 7 天的用量够用 14 天。今天用了 $1.46；昨天 $2.31，318 次调用 99.4% 成功。',
    );
    expect(piecesOf(said('en', facts(), 1)).flatMap(({ target }) => target ?? [])).toEqual([
      'keys',
      'balance',
      'days',
      'today',
      'yesterday',
      'calls',
      'success',
    ]);
  });

  test('subscriptions count as balance; without use nobody says how long it lasts, nor what was used', () => {
    const idle = facts({
      balance: { quota: UNIT, held: 0, plans: 2 * UNIT },
      pace: { week: 0, per_day: 0, days_left: null, ends_on: null },
      days: [day(0), day(0)],
    });
    expect(plain(said('en', idle))).toBe('The balance is $3.00. Too few calls to say how long it lasts.');
    expect(plain(said('en', facts({ days: [day(2), day(1, 3)] })))).toEndWith(
      '7 days. Today $1.00 was used.',
    );
    expect(plain(said('en', facts({ days: [day(2, 1), day(0)] })))).toEndWith(
      'Yesterday $2.00, 1 call, 100% answered.',
    );
  });

  test('one failure of many is never all of them', () => {
    expect(answeredPercent(100_000, 1)).toBe('99.9%');
    expect(answeredPercent(7, 0)).toBe('100%');
    expect(answeredPercent(0, 3)).toBe('0.0%');
  });
});
