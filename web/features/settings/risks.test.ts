import { expect, test } from 'bun:test';
import { hasBoundLogin, isRisky } from './risks.ts';

test('A12 A13: only a new unit of quota and the end of password login are confirmed when they are saved', () => {
  expect(isRisky({ QuotaPerUnit: '500000' }, { QuotaPerUnit: '1000000' })).toBe(true);
  expect(isRisky({ QuotaPerUnit: '500000' }, { QuotaPerUnit: '500000.0' })).toBe(false);
  expect(isRisky({ PasswordLoginEnabled: 'true' }, { PasswordLoginEnabled: 'false' })).toBe(true);
  expect(isRisky({ PasswordLoginEnabled: 'false' }, { PasswordLoginEnabled: 'true' })).toBe(false);
  expect(isRisky({ RetryTimes: '0' }, { RetryTimes: '3' })).toBe(false);
});

test('A11: a bound account is a way in only while its provider is on', () => {
  const self = { github_id: '1', linux_do_id: '', oidc_id: '', wechat_id: '', telegram_id: '' };
  const off = {
    github_oauth: false,
    linuxdo_oauth: true,
    oidc_enabled: true,
    wechat_login: true,
    telegram_oauth: true,
  };
  expect(hasBoundLogin(self, off)).toBe(false);
  expect(hasBoundLogin(self, { ...off, github_oauth: true })).toBe(true);
});
