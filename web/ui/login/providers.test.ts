import { expect, test } from 'bun:test';
import { enabledProviders } from './providers.ts';

const none = {
  github_oauth: false,
  linuxdo_oauth: false,
  oidc_enabled: false,
  wechat_login: false,
  telegram_oauth: false,
};

test('A6: every outside login that is on is listed, each by its own switch', () => {
  expect(enabledProviders(none)).toEqual([]);
  const all = Object.fromEntries(Object.keys(none).map((name) => [name, true])) as typeof none;
  expect(enabledProviders(all)).toEqual(['github', 'linuxdo', 'wechat', 'telegram', 'oidc']);
  expect(enabledProviders({ ...none, wechat_login: true, oidc_enabled: true })).toEqual(['wechat', 'oidc']);
});
