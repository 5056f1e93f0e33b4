/** Disabling password login can lock out every user, so it needs a typed confirmation. */
import { getI18n } from 'react-i18next';
import { confirm } from '#web/ui/feedback/dialog-store.ts';

export const LOCKOUT_KEY = 'PasswordLoginEnabled';

export function confirmLockout(): Promise<boolean> {
  const t = getI18n().getFixedT(null, 'settings');
  const text = t('passwordLogin.text');
  return confirm({
    title: t('passwordLogin.title'),
    body: t('passwordLogin.body'),
    confirmLabel: t('passwordLogin.confirm'),
    danger: true,
    typed: { label: t('passwordLogin.typed', { text }), expected: text },
  });
}
