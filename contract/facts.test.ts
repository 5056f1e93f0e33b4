import { expect, test } from 'bun:test';
import { channelReason } from './relay/channel-reasons.ts';
import { FACT_WORDS } from './fact-words.ts';
import { attemptWords, factText, plainText, wordsIn, wordsOf } from './facts.ts';

const zh = { language: 'zh', quotaPerUnit: 500_000, displayInCurrency: true } as const;
const en = { ...zh, language: 'en' } as const;
const HAN = /[\u4e00-\u9fff]/;

test('a fact is stored without words and read in the language of its reader (O46)', () => {
  const stored = factText('topUp', { price: 'CNY 10.00', order: 'T1' });
  expect(stored).toBe('{"fact":"topUp","price":"CNY 10.00","order":"T1"}');
  expect(wordsOf(stored, zh)).toBe('在线充值：CNY 10.00，订单 T1');
  expect(wordsOf(stored, en)).toBe('Online top-up: CNY 10.00, order T1');
});

test('an amount is money to its last unit, or units where the site shows units (O46)', () => {
  const words = (quota: number, reader = en) => wordsOf(factText('dividends', { quota }), reader);
  expect(words(750_000)).toBe('Dividends moved to the balance: $1.50');
  expect(words(750_001)).toBe('Dividends moved to the balance: $1.500002');
  expect(words(1_200_000, { ...en, displayInCurrency: false } as never)).toBe(
    'Dividends moved to the balance: 1.2M',
  );
});

test('an empty value takes its bracket with it, and a value is never read as a template (O46)', () => {
  expect(wordsOf(factText('quotaTaken', { quota: 5, reason: '' }), en)).toBe(
    'Quota taken by an administrator: $0.000010',
  );
  expect(wordsOf(factText('quotaAdded', { quota: 500_000, reason: '[$& {quota}]' }), zh)).toBe(
    '管理员增加额度：$1.00（[$& {quota}]）',
  );
});

test('a failure inside a fact is worded too, other text that looks like a fact is not (O46)', () => {
  const failure = factText('noAnswer', { status: 200 });
  const stored = factText('channelTestFailed', { id: 3, name: failure, failure });
  expect(wordsIn('zh', stored)).toBe(`渠道测试 #3 ${failure}：上游返回了 200，但没有回答内容`);
  expect(wordsIn('zh', plainText(failure))).toBe(` ${failure}`);
});

test('every fact has the same values in both languages, and one language each (O46)', () => {
  const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
  for (const [code, [chinese, english]] of Object.entries(FACT_WORDS)) {
    if (code === 'oldNote' || code === 'appError') continue;
    expect([code, names(chinese)]).toEqual([code, names(english)]);
    expect([code, HAN.test(chinese), HAN.test(english)]).toEqual([code, true, false]);
  }
});

test('rows of earlier versions are read in one language (O46)', () => {
  const rows: [string, string, string][] = [
    [
      '在线充值 / online top-up: CNY 10.00, T1',
      '在线充值：CNY 10.00，订单 T1',
      'Online top-up: CNY 10.00, order T1',
    ],
    ['每日签到奖励 / daily check-in', '每日签到奖励', 'Daily check-in'],
    // Details of no known form are kept as they are.
    ['每日签到奖励 / daily check-in: 500', '每日签到奖励：500', 'Daily check-in: 500'],
    [
      '余额购买套餐 / plan bought from the balance: Pro, 500000',
      '余额购买套餐：Pro，$1.00',
      'Plan bought from the balance: Pro, $1.00',
    ],
    ['购买套餐 / plan bought: Pro', '购买套餐：Pro', 'Plan bought: Pro'],
    [
      '通过兑换码充值 / redeemed a code (#3 spring): 9',
      '通过兑换码充值 (#3 spring)：9',
      'Redeemed a code (#3 spring): 9',
    ],
    [
      'a balance is the sum of its transfers: balance -5, transfers 500000',
      '余额 −$0.000010 与账目之和 $1.00 不符',
      'The balance is −$0.000010, but its transfers sum to $1.00',
    ],
    [
      'The call was interrupted; charged by its last checkpoint.',
      '调用中断，按最后记录的进度扣费',
      'The call was interrupted; charged up to its last checkpoint',
    ],
  ];
  for (const [stored, chinese, english] of rows)
    expect([wordsOf(stored, zh), wordsOf(stored, en)]).toEqual([chinese, english]);
});

test('text that holds no fact is shown unchanged (O46)', () => {
  const texts = [
    '',
    'status 502: a / b',
    '在线充值 / online',
    '管理员调整额度',
    '{"fact":"later"}',
    '{"fact":"',
  ];
  for (const text of texts) for (const reader of [zh, en]) expect(wordsOf(text, reader)).toBe(text);
});

test('the codes of failed calls and of channels have words, with what the upstream said behind them (O46)', () => {
  expect(wordsIn('zh', 'status 400')).toBe('上游返回状态码 400');
  expect(attemptWords('zh', 'status 429 rate_limit: Slow down')).toBe(
    '上游返回状态码 429（rate_limit）：Slow down',
  );
  expect(attemptWords('en', 'network: connection reset')).toBe(
    'The connection to the upstream failed: connection reset',
  );
  expect(channelReason('zh', 'status 401: Incorrect API key')).toBe('上游返回 401：Incorrect API key');
  expect(channelReason('zh', `test ${factText('connection_timeout')}`)).toBe('测试失败：上游没有及时响应');
  expect(channelReason('en', 'account refused: no')).toBe('The upstream refused the account: no');
  expect(channelReason('zh', 'something odd')).toBe('something odd');
});
