// Options whose change could hand over money, mail or accounts ask for a fresh proof of who is at the keyboard: secrets,
// where they are sent to, payment, and closing the password door.
import type { RequestContext } from '#server/features/context.ts';
import { AppError } from '#contract/errors.ts';
import { STEP_UP_SECONDS } from '#contract/security.ts';
import { settingOf, type SettingKey } from '#contract/settings.ts';

/** Addresses that a secret or a reset link of ours leads to, and the switches that can lock everybody out or let the guard down. */
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
