import { expect, test } from 'bun:test';
import { factText } from '#contract/facts.ts';
import { invariantNames } from '#server/money/audit/invariants.ts';
import { deliveryWords } from './delivery-words.ts';
import { INVARIANTS_ZH } from './invariant-words.ts';
import { noticeText } from './texts.ts';

const settings = {
  SystemName: 'T',
  ServerAddress: 'https://site',
  QuotaPerUnit: 500_000,
  SiteTimeZone: 'UTC',
};
const textOf = (event: string, values: object) =>
  noticeText({ event, details: JSON.stringify(values) }, { settings, username: '' });

test('every invariant of the money has Chinese words, and no other text has (O46)', () => {
  expect(Object.keys(INVARIANTS_ZH).toSorted()).toEqual([...invariantNames].toSorted());
  for (const words of Object.values(INVARIANTS_ZH)) expect(words).toMatch(/^[一-鿿，、]+$/);
});

test('a broken invariant is named in the language of the reader, its detail is quoted (O46)', () => {
  const { text } = textOf('invariant_broken', {
    invariant: 'a balance is the sum of its transfers',
    concerned_user_id: 7,
    detail: 'balance 5, transfers 6',
  });
  expect(text.zh).toStartWith('“余额等于其账目之和”不成立，用户 7。技术细节：“balance 5, transfers 6”\n');
  expect(text.en).toStartWith(
    '“a balance is the sum of its transfers” does not hold for the user 7. Technical detail: “balance 5, transfers 6”\n',
  );
  const old = textOf('invariant_broken', { invariant: 'no hold outlives its time', detail: 'user 3: h1' });
  expect(old.text.zh).toStartWith('“预扣不会超过其时限”不成立。技术细节：“user 3: h1”');
});

test('a failing job has its title and its error in the language of the reader (O46)', () => {
  const values = { job: 'money-audit', title: { zh: '账目核对', en: 'Money audit' }, failures: 3 };
  const plain = textOf('job_failed', { ...values, error: 'no luck' });
  expect(plain.title.zh).toBe('定时任务连续失败：账目核对');
  expect(plain.text.zh).toStartWith('任务“账目核对”（money-audit）已连续失败 3 次：技术细节：“no luck”\n');
  expect(plain.text.en).toContain('has failed 3 times in a row: technical detail: “no luck”\n');
  const fact = textOf('job_failed', { ...values, error: factText('connection_timeout') });
  expect(fact.text.zh).toContain('3 次：上游没有及时响应\n');
  const old = textOf('job_failed', { job: 'mail', failures: 3, error: 'no luck' });
  expect(old.title.en).toBe('A job keeps failing: mail');
});

test('the error of a delivery is a sentence in the language of the reader, new rows and old ones (O46)', () => {
  const rows: [string, string, string][] = [
    ['status 404: Not Found', '对方服务返回 404：Not Found', 'The service answered 404: Not Found'],
    ['status 410', '对方服务返回 410', 'The service answered 410'],
    ['no answer (timeout)', '对方服务没有及时响应', 'The service did not answer in time'],
    [
      'this way was deleted or switched off',
      '该通知方式已删除或关闭',
      'This destination was deleted or turned off',
    ],
    ['the request failed', '请求失败', 'The request failed'],
    ['unknown way fax', '没有名为 fax 的通知方式', 'There is no destination called fax'],
    ['', '', ''],
  ];
  for (const [stored, zh, en] of rows)
    expect([deliveryWords('zh', stored), deliveryWords('en', stored)]).toEqual([zh, en]);
});
