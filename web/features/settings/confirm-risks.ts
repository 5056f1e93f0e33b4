/** Changes that are confirmed when they are saved: they lock users out or change what every balance shows. */
import { getI18n } from 'react-i18next';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { formatMoney } from '#web/ui/format/number.ts';
import type { Texts } from './draft.ts';
import { changesUnit, hasBoundLogin, locksOut } from './risks.ts';

const EXAMPLE_MONEY = 10;

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
