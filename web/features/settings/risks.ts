/** Which changes of settings are risky, and whether a user keeps a way in without a password. */
import { enabledProviders, type LoginSwitches } from '#web/ui/login/providers.ts';
import type { Texts } from './draft.ts';

export const locksOut = (saved: Texts, drafts: Texts) =>
  saved['PasswordLoginEnabled'] === 'true' && drafts['PasswordLoginEnabled'] === 'false';

export function changesUnit(saved: Texts, drafts: Texts): boolean {
  const [before, after] = [Number(saved['QuotaPerUnit']), Number(drafts['QuotaPerUnit'])];
  return after > 0 && before > 0 && after !== before;
}

export function isRisky(saved: Texts, drafts: Texts): boolean {
  return locksOut(saved, drafts) || changesUnit(saved, drafts);
}

type Bound = Record<'github_id' | 'linux_do_id' | 'oidc_id' | 'wechat_id' | 'telegram_id', string>;

export function hasBoundLogin(self: Bound, status: LoginSwitches): boolean {
  const ids = {
    github: self.github_id,
    linuxdo: self.linux_do_id,
    oidc: self.oidc_id,
    wechat: self.wechat_id,
    telegram: self.telegram_id,
  };
  return enabledProviders(status).some((provider) => ids[provider] !== '');
}
