import { expect, test } from 'bun:test';
import { contentIn, logNote } from './log-notes.ts';

test('a note about money is stored in both languages and read in one', () => {
  const stored = logNote('topUp', 'CNY 10.00', 'T1');
  expect(stored).toBe('在线充值 / online top-up: CNY 10.00, T1');
  expect(contentIn('zh', stored)).toBe('在线充值：CNY 10.00, T1');
  expect(contentIn('en', stored)).toBe('Online top-up: CNY 10.00, T1');
});

test('heads that begin alike are not confused, and rows with a bracket are read too', () => {
  expect(contentIn('zh', logNote('checkIn'))).toBe('每日签到奖励');
  expect(contentIn('en', '每日签到奖励 / daily check-in: 500')).toBe('Daily check-in: 500');
  const granted = logNote('planFromBalance', 'Pro', 100);
  expect(contentIn('en', granted)).toBe('Plan bought from the balance: Pro, 100');
  expect(contentIn('en', logNote('planOrder', 'Pro'))).toBe('Plan bought: Pro');
  const code = '通过兑换码充值 / redeemed a code (#3 spring): 9';
  expect(contentIn('zh', code)).toBe('通过兑换码充值 (#3 spring)：9');
  expect(contentIn('en', code)).toBe('Redeemed a code (#3 spring): 9');
});

test('any other content stays as it is', () => {
  for (const content of ['', 'status 502: a / b', '在线充值 / online', '管理员调整额度'])
    for (const language of ['zh', 'en'] as const) expect(contentIn(language, content)).toBe(content);
});
