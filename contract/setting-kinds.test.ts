// The texts that operators paste into settings: what is tidied, and what is refused when it is saved.
import { describe, expect, test } from 'bun:test';
import { SETTING_KEYS, settingOf, SETTINGS, type SettingKey } from './settings.ts';

const textKeys = SETTING_KEYS.filter((key) => settingOf(key).kind === 'text' && !key.endsWith('TimeZone'));
const secretKeys = SETTING_KEYS.filter((key) => settingOf(key).kind === 'secret');

/** Whether the text would be saved. */
function accepts(key: SettingKey, text: string): boolean {
  const setting = settingOf(key);
  return setting.atSave?.safeParse(setting.parse(text)).success ?? true;
}

test.each([...textKeys, ...secretKeys])('%s loses pasted spaces and line ends (O43)', (key) => {
  for (const text of ['abc\n', ' abc', '\tabc \r\n', '\u{feff}abc\u{200b}', '\u{a0}abc'])
    expect(settingOf(key).parse(text)).toBe('abc');
  expect(settingOf(key).parse(' \n')).toBe('');
});

test('a one-line text has one line (O43)', () => {
  expect(SETTINGS.SystemName.parse('Two\r\n lines')).toBe('Two lines');
  expect(SETTINGS.OIDCScopes.parse('openid profile  email')).toBe('openid profile  email');
});

describe('addresses (O49)', () => {
  const keys = SETTING_KEYS.filter((key) => settingOf(key).kind === 'address' && key !== 'LogExportUrl');
  test.each(keys)('%s is refused with a query, a fragment or a password: requests would lose them', (key) => {
    for (const text of ['https://x.example?a=1', 'https://x.example/#part', 'https://me:pass@x.example'])
      expect([text, accepts(key, text)]).toEqual([text, false]);
    expect(accepts(key, 'https://x.example/path/')).toBe(true);
    expect(accepts(key, '')).toBe(true);
    // A value that was stored by an earlier version is still read.
    expect(settingOf(key).parse('https://x.example?a=1')).toBe('https://x.example?a=1');
  });
  test('LogExportUrl is a web hook, whose address may have a query', () => {
    expect(accepts('LogExportUrl', 'https://x.example/hook?id=1')).toBe(true);
  });
});

describe('lists (O51)', () => {
  test('a list takes a JSON array too', () => {
    expect(SETTINGS.WithdrawalMethods.parse('["Alipay", "Bank"]')).toEqual(['Alipay', 'Bank']);
    expect(SETTINGS.EpayMethods.parse('["zfb"]')).toEqual(['zfb']);
    expect(SETTINGS.WithdrawalMethods.parse('alipay，bank\nusdt')).toEqual(['alipay', 'bank', 'usdt']);
  });
  test.each(['["Alipay"', '"alipay"', '["Bank transfer"]', '["a,b"]', '[1]', '{"a":1}'])(
    '%s is refused when it is saved',
    (text) => expect(accepts('WithdrawalMethods', text)).toBe(false),
  );
});

describe('EmailDomainWhitelist (O59)', () => {
  test('a domain may be pasted with an @ and in any case', () => {
    expect(SETTINGS.EmailDomainWhitelist.parse('@X.com, Mail.Example.org')).toEqual([
      'x.com',
      'mail.example.org',
    ]);
    for (const text of ['gmail.com,163.com', '例子.中国', 'xn--fsqu00a.xn--fiqs8s', ''])
      expect([text, accepts('EmailDomainWhitelist', text)]).toEqual([text, true]);
  });
  test.each(['a', 'a@b.com', '*.x.com', 'https://x.com', '.com', 'x..com', '-x.com', 'x.com-', '@'])(
    '%s is refused when it is saved',
    (text) => expect(accepts('EmailDomainWhitelist', text)).toBe(false),
  );
});

describe('PriceListUrls (S35)', () => {
  test('web addresses are accepted', () => {
    expect(
      accepts('PriceListUrls', 'https://a.example/prices.json?x=1\nhttp://127.0.0.1:9/api/pricing'),
    ).toBe(true);
    expect(accepts('PriceListUrls', '')).toBe(true);
  });
  test.each([
    'abc',
    'ftp://a.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'https://u:p@a.example',
  ])('%s is refused when it is saved', (text) =>
    expect(accepts('PriceListUrls', `https://ok.example\n${text}`)).toBe(false),
  );
});
