import { expect, test } from 'bun:test';
import type { OptionField } from '#contract/options.ts';
import { findOptions, pinyinInitials } from './find.ts';

const item = (key: string, zh: string, en: string, section: string) => ({
  field: {
    key,
    kind: 'text',
    group: 'general',
    label: { zh, en },
    help: { zh: '', en: '' },
    fallback: '',
    needs: [],
  } satisfies OptionField,
  section,
});

const items = [
  item('RetryTimes', '失败重试次数', 'Retries after a failure', '通用 General tongyong'),
  item('SMTPServer', 'SMTP 服务器地址', 'SMTP server', '邮件 Mail youjian'),
  item('ServerAddress', '服务器地址', 'Server address', '服务器地址 Server address'),
];
const keys = (query: string) => findOptions(items, query).map(({ field }) => field.key);

test('by label in either language, by key, by initials and by the name of the section', () => {
  expect(keys('重试')).toEqual(['RetryTimes']);
  expect(keys('retries')).toEqual(['RetryTimes']);
  expect(keys('smtpserver')).toEqual(['SMTPServer']);
  // 服务器地址 starts with the initials, SMTP 服务器地址 contains them.
  expect(keys('fwqdz')).toEqual(['ServerAddress', 'SMTPServer']);
  expect(keys('youjian')).toEqual(['SMTPServer']);
  expect(keys('nothing')).toEqual([]);
  expect(keys('  ')).toEqual([]);
});

test('what starts with the words comes first', () => {
  expect(keys('server')[0]).toBe('ServerAddress');
});

test('initials of the pinyin', () => {
  expect(pinyinInitials('设置项')).toBe('szx');
  expect(pinyinInitials('SMTP 端口')).toBe('smtpdk');
});
