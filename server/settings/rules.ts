// Rules between options: a login provider or check can be on only while it is configured, payment needs the server's
// address, SMTP port 465 implies SSL, and content is stored without the parts that no page would show.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import { portForcesTls } from '#contract/options.ts';
import { cleanedContent } from './site-content.ts';
import { isSettingKey, SETTING_KEYS, settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import type { SettingKind } from '#contract/setting-kinds.ts';

const NEEDS: Partial<Record<SettingKey, readonly SettingKey[]>> = {
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  LinuxDOOAuthEnabled: ['LinuxDOClientId', 'LinuxDOClientSecret'],
  WeChatAuthEnabled: ['WeChatServerAddress', 'WeChatServerToken'],
  TelegramOAuthEnabled: ['TelegramBotToken', 'TelegramBotName'],
  OIDCEnabled: ['OIDCIssuer', 'OIDCClientId', 'OIDCClientSecret'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
};

/** Options that must be set first: a switch needs its configuration, payment the address for callbacks. */
export function needsOf(key: SettingKey): readonly SettingKey[] {
  return NEEDS[key] ?? (settingOf(key).group === 'payment' ? ['ServerAddress'] : []);
}

interface CheckedSetting {
  key: SettingKey;
  kind: SettingKind;
  /** As it is stored: parsed and formatted again, so that equal values have equal texts. */
  text: string;
}

export function checkSetting(
  key: string,
  text: string,
  current: Settings,
  language: Language,
): CheckedSetting {
  if (!isSettingKey(key)) throw new AppError('unknown_setting', { key }, { field: key });
  const setting = settingOf(key);
  const label = setting.label[language];
  let value: unknown;
  try {
    value = setting.parse(text, language);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw new AppError('setting_not_json', { label }, { field: key });
    throw new AppError('invalid_setting', { label, detail: reasonOf(error) }, { field: key });
  }
  if (key === 'SMTPSSLEnabled' && portForcesTls(current.SMTPPort)) value = true;
  requireConfiguration(key, value, current, language);
  const isLeftAlone = setting.kind === 'secret' && value === '';
  if (isBlank(value) && !isLeftAlone) refuseWhileInUse(key, current, language);
  return { key, kind: setting.kind, text: cleanedContent(key, setting.format(value)).text };
}

export function checkReset(key: SettingKey, current: Settings, language: Language): void {
  if (isBlank(settingOf(key).fallback)) refuseWhileInUse(key, current, language);
}

function requireConfiguration(key: SettingKey, value: unknown, current: Settings, language: Language): void {
  if (settingOf(key).group === 'payment') {
    if (current.ServerAddress === '') throw new AppError('server_address_required', {}, { field: key });
    return;
  }
  if (value !== true) return;
  const missing = needsOf(key).find((needed) => isBlank(current[needed]));
  if (missing === undefined) return;
  const words = { setting: settingOf(key).label[language], missing: settingOf(missing).label[language] };
  throw new AppError('setting_needs_configuration', words, { field: missing });
}

/** Refuses to clear an option that an enabled provider or check needs. */
function refuseWhileInUse(key: SettingKey, current: Settings, language: Language): void {
  const user = SETTING_KEYS.find((other) => current[other] === true && needsOf(other).includes(key));
  if (user === undefined) return;
  const words = { label: settingOf(key).label[language], setting: settingOf(user).label[language] };
  throw new AppError('setting_in_use', words, { field: key });
}

/** Other options that change together with this one. */
export function followUps(key: SettingKey, text: string): { key: SettingKey; text: string }[] {
  return key === 'SMTPPort' && portForcesTls(text) ? [{ key: 'SMTPSSLEnabled', text: 'true' }] : [];
}

function isBlank(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function reasonOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return '';
  const place = issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : '';
  return place + issue.message;
}
