// A change of these options needs a step-up, because it could give away money, mail or accounts: secrets, the addresses they
// are sent to, payment, and the switches of sign-in.
import type { RequestContext } from '#server/features/context.ts';
import { AppError } from '#contract/errors.ts';
import { STEP_UP_SECONDS } from '#contract/security.ts';
import { settingOf, type SettingKey } from '#contract/settings.ts';

/** Addresses that secrets and reset links are sent to, and switches that lock users out or weaken sign-in. */
const SENSITIVE: ReadonlySet<SettingKey> = new Set([
  'PasswordLoginEnabled',
  'AdminTwoFactorRequired',
  'GitHubAddress',
  'LinuxDOAddress',
  'OIDCIssuer',
  'ServerAddress',
  'TurnstileServerAddress',
  'WeChatServerAddress',
  'WorkerUrl',
  'SMTPServer',
]);

export function requireStepUp(key: SettingKey, { via, verifiedAt }: RequestContext): void {
  const { kind, group } = settingOf(key);
  if (kind !== 'secret' && group !== 'payment' && !SENSITIVE.has(key)) return;
  if (via === 'session' && Math.floor(Date.now() / 1000) - verifiedAt >= STEP_UP_SECONDS)
    throw new AppError('step_up_required');
}
