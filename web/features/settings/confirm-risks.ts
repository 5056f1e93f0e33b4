/** Changes that are confirmed when they are saved: they lock users out or change what every balance shows. */
import { getI18n } from 'react-i18next';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { formatMoney } from '#web/ui/format/number.ts';
import { enabledProviders, type LoginSwitches } from '#web/ui/login/providers.ts';
import type { Texts } from './draft.ts';

const EXAMPLE_MONEY = 10;

const locksOut = (saved: Texts, drafts: Texts) =>
  saved['PasswordLoginEnabled'] === 'true' && drafts['PasswordLoginEnabled'] === 'false';

function changesUnit(saved: Texts, drafts: Texts): boolean {
  const [before, after] = [Number(saved['QuotaPerUnit']), Number(drafts['QuotaPerUnit'])];
  return after > 0 && before > 0 && after !== before;
}

export function isRisky(saved: Texts, drafts: Texts): boolean {
  return locksOut(saved, drafts) || changesUnit(saved, drafts);
}

/** False when the user cancels one of them. */
export async function confirmRisks(saved: Texts, drafts: Texts): Promise<boolean> {
  if (locksOut(saved, drafts) && !(await confirmLockout())) return false;
  return (
    !changesUnit(saved, drafts) ||
    (await confirmUnit(Number(saved['QuotaPerUnit']), Number(drafts['QuotaPerUnit'])))
  );
}

async function confirmLockout(): Promise<boolean> {
  const t = getI18n().getFixedT(null, 'settings');
  const [self, { passkeys }, status] = await Promise.all([
    api.users.self(),
    api.security.overview(),
    api.site.status(),
  ]);
  const isSafe = passkeys.length > 0 || hasBoundLogin(self, status);
  return await confirm({
    title: t('passwordLogin.title'),
    body: `${t('passwordLogin.body')} ${t(isSafe ? 'passwordLogin.safe' : 'passwordLogin.locked')}`,
    confirmLabel: t('passwordLogin.confirm'),
    danger: true,
  });
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

/** What a balance of ten dollars would show. */
function confirmUnit(before: number, after: number): Promise<boolean> {
  const t = getI18n().getFixedT(null, 'settings');
  return confirm({
    title: t('unit.title'),
    body: t('unit.body', {
      before: formatMoney(EXAMPLE_MONEY),
      after: formatMoney((EXAMPLE_MONEY * before) / after),
    }),
    confirmLabel: t('unit.confirm'),
    danger: true,
  });
}
