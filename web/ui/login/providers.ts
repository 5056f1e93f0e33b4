/** The outside logins that the operator switched on, and the names shown for them. */
import { useTranslation } from 'react-i18next';
import type { OutsideProvider } from '#contract/admin/outside-logins.ts';
import type { StatusView } from '#contract/admin/site.ts';

export type LoginSwitches = Pick<
  StatusView,
  'github_oauth' | 'linuxdo_oauth' | 'oidc_enabled' | 'wechat_login' | 'telegram_oauth'
>;

const ENABLED: Record<OutsideProvider, (status: LoginSwitches) => boolean> = {
  github: (status) => status.github_oauth,
  linuxdo: (status) => status.linuxdo_oauth,
  oidc: (status) => status.oidc_enabled,
  wechat: (status) => status.wechat_login,
  telegram: (status) => status.telegram_oauth,
};
const ORDER: readonly OutsideProvider[] = ['github', 'linuxdo', 'wechat', 'telegram', 'oidc'];

export function isProviderEnabled(provider: OutsideProvider, status: LoginSwitches): boolean {
  return ENABLED[provider](status);
}

/** In the order in which they are offered. */
export function enabledProviders(status: LoginSwitches): OutsideProvider[] {
  return ORDER.filter((provider) => isProviderEnabled(provider, status));
}

/** The operator chooses the name of the OIDC provider. */
export function useProviderName(): (
  provider: OutsideProvider | 'passkey',
  status: Pick<StatusView, 'oidc_name'> | undefined,
) => string {
  const { t } = useTranslation('ui');
  return (provider, status) =>
    (provider === 'oidc' ? status?.oidc_name : undefined) || t(`login.provider.${provider}`);
}
