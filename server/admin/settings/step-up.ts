// A change of these options needs a step-up, because it could give away money, mail or accounts: secrets, the addresses they
// are sent to, payment, resellers, and the switches of sign-in.
import { requireStepUp } from '#server/admin/accounts.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { SettingGroup } from '#contract/setting-kinds.ts';
import { settingOf, type SettingKey } from '#contract/settings.ts';

/** Addresses that secrets and reset links are sent to or that open the private network, and switches that lock users out or weaken sign-in. */
const SENSITIVE: ReadonlySet<SettingKey> = new Set([
  'AllowedPrivateAddresses',
  'PasswordLoginEnabled',
  'AdminTwoFactorRequired',
  'GitHubAddress',
  'LinuxDOAddress',
  'OIDCIssuer',
  'ServerAddress',
  'TurnstileServerAddress',
  'WeChatServerAddress',
  'WorkerUrl',
  'MediaS3Endpoint',
  'PriceListUrls',
  'SMTPServer',
  'UserNoticePrivateAddressEnabled',
]);

/** A backup is the whole database, and the log names every user: wherever they are sent, everything is. */
const FULL_GROUPS: ReadonlySet<SettingGroup> = new Set(['payment', 'agents', 'backup', 'export']);

export function requireStepUpFor(key: SettingKey, context: RequestContext): void {
  const { kind, group } = settingOf(key);
  if (kind === 'secret' || FULL_GROUPS.has(group) || SENSITIVE.has(key)) requireStepUp(context);
}
