// What one option may be given the others: a login provider or check cannot be switched on before it is configured, and
// saving SMTP port 465 also switches SSL on.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import { isSettingKey, settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import type { SettingKind } from '#contract/setting-kinds.ts';

const NEEDS: Partial<Record<SettingKey, readonly SettingKey[]>> = {
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  LinuxDOOAuthEnabled: ['LinuxDOClientId', 'LinuxDOClientSecret'],
  WeChatAuthEnabled: ['WeChatServerAddress', 'WeChatServerToken'],
  TelegramOAuthEnabled: ['TelegramBotToken', 'TelegramBotName'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
};

const SMTP_SSL_PORT = '465';

interface CheckedSetting {
  key: SettingKey;
  kind: SettingKind;
  /** As it will be stored: parsed and written back, so that equal values have equal texts. */
  text: string;
}

export function checkSetting(key: string, text: string, current: Settings): CheckedSetting {
  if (!isSettingKey(key)) throw new AppError('unknown_setting', { key });
  const setting = settingOf(key);
  let value: unknown;
  try {
    value = setting.parse(text);
  } catch (error) {
    throw new AppError('invalid_setting', { label: key, detail: reasonOf(error) }, { field: key });
  }
  if (value === true) requireConfiguration(key, current);
  return { key, kind: setting.kind, text: setting.format(value) };
}

function requireConfiguration(key: SettingKey, current: Settings): void {
  const missing = NEEDS[key]?.find((needed) => {
    const value = current[needed];
    return value === '' || (Array.isArray(value) && value.length === 0);
  });
  if (missing)
    throw new AppError('setting_needs_configuration', { setting: key, missing }, { field: missing });
}

/** Changes that are saved together with this one. */
export function followUps(key: SettingKey, text: string): { key: SettingKey; text: string }[] {
  return key === 'SMTPPort' && text === SMTP_SSL_PORT ? [{ key: 'SMTPSSLEnabled', text: 'true' }] : [];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return 'JSON';
  const [issue] = error.issues;
  if (!issue) return 'invalid';
  const place = issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : '';
  return place + issue.message;
}
