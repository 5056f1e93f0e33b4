// The sentences of the overview in both languages: what is zero is not said, and the numbers that are said add up.
import { describe, expect, test } from 'bun:test';
import type { AttentionItem } from '#contract/admin/attention.ts';
import type { OperatorOverview } from '#contract/admin/overview.ts';
import messages from './messages.ts';
import { shownMoney } from '#web/ui/format/shown-money.ts';
import { moneySentence, needSentence, piecesOf, type Say } from './sentence.ts';

const UNIT = 500_000;
const display = { quotaPerUnit: UNIT, displayInCurrency: true };
const JOINS = {
  en: { comma: ', ', semicolon: '; ', stop: '.' },
  zh: { comma: '，', semicolon: '；', stop: '。' },
};
const sayIn =
  (language: 'en' | 'zh'): Say =>
  (key, values) => {
    const row = messages.sentence[key] as readonly string[];
    const at = language === 'zh' ? row.length - 1 : row.length === 3 && values['count'] !== 1 ? 1 : 0;
    return (row[at] ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]));
  };
const plain = (text: string) =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join('');
const dollars = (amount: number) => Math.round(amount * UNIT);
const NO_MONEY = {
  used: 0,
  cost: 0,
  fees: 0,
  margin: 0,
  unknown: 0,
  calls: 0,
  unknown_calls: 0,
  price_version: 0,
};
const facts = (money: Partial<OperatorOverview['money']>) => ({
  money: {
    ...NO_MONEY,
    came_in: [],
    refunded: [],
    ...money,
  },
});
const item = (kind: AttentionItem['kind'], more: Partial<AttentionItem> = {}) =>
  ({ kind, count: 1, calls: 0, is_snoozed: false, ...more }) as AttentionItem;

describe('the money of the day', () => {
  const day = facts({
    used: dollars(163.15),
    cost: dollars(126.06),
    margin: dollars(25.71),
    unknown: dollars(11.38),
    came_in: [{ currency: 'CNY', amount_minor: 124_000, digits: 2, orders: 3 }],
  });

  test('is said in both languages, each number a link', () => {
    const en = moneySentence(day, sayIn('en'), display, 'en', JOINS.en);
    expect(plain(en)).toBe(
      '¥1,240.00 came in, $163.15 was used, it cost $126.06; $25.71 is certain margin, the cost of $11.38 is unknown.',
    );
    expect(piecesOf(en).flatMap(({ target }) => target ?? [])).toEqual([
      'came',
      'used',
      'cost',
      'margin',
      'unknown',
    ]);
    expect(plain(moneySentence(day, sayIn('zh'), display, 'zh', JOINS.zh))).toBe(
      '收入 ¥1,240.00，用掉 $163.15，成本 $126.06；确定的毛利 $25.71，另有 $11.38 成本未知。',
    );
  });

  test('what is zero is not said', () => {
    expect(moneySentence(facts({}), sayIn('en'), display, 'en', JOINS.en)).toBe('');
    const only = facts({ used: dollars(2), unknown: dollars(2) });
    expect(plain(moneySentence(only, sayIn('en'), display, 'en', JOINS.en))).toBe(
      '$2.00 was used; the cost of $2.00 is unknown.',
    );
  });

  test('rounded parts add up to the rounded sum', () => {
    const cents = (text: string | undefined) =>
      text === undefined ? 0 : Math.round(Number(text.replace('−', '-').replaceAll(/[$,]/g, '')) * 100);
    for (let seed = 1; seed < 400; seed += 1) {
      const cost = (seed * 7919) % 900_001;
      const unknown = (seed * 104_729) % 700_001;
      const margin = ((seed * 1_299_709) % 800_001) - 200_000;
      const used = cost + unknown + margin;
      if (used < UNIT / 100) continue;
      const shown = shownMoney({ used, cost, unknown, margin, fees: 0 }, display);
      expect(cents(shown.cost) + cents(shown.margin) + cents(shown.unknown)).toBe(cents(shown.used));
    }
  });
});

describe('what needs a person', () => {
  const off = item('channel_only', { calls: 41 });
  test('channels that are off and the calls refused for them come first', () => {
    expect(plain(needSentence([off, item('model_unpriced')], sayIn('en'), JOINS.en))).toBe(
      'One channel is disabled, so 41 calls were refused.',
    );
    expect(plain(needSentence([off], sayIn('zh'), JOINS.zh))).toBe('1 个渠道已禁用，41 次请求因此被拒绝。');
  });

  test('two numbers at most; snoozed items and others are not said', () => {
    const all = [item('channel_off'), item('order_uncredited', { count: 2 }), item('model_unpriced')];
    expect(plain(needSentence(all, sayIn('en'), JOINS.en))).toBe(
      'One channel is disabled; 2 orders are paid but not credited.',
    );
    const quiet = [item('channel_off', { is_snoozed: true }), item('draft_waits')];
    expect(needSentence(quiet, sayIn('en'), JOINS.en)).toBe('');
  });
});
