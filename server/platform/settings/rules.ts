// Rules between options: a login provider or check can be on only while it is configured, payment needs the server's
// address, SMTP port 465 implies SSL, groups have a ratio, and content is stored without the parts that no page would show.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import { portForcesTls } from '#contract/options.ts';
import { problemWords } from '#contract/problem-words.ts';
import type { OptionChange } from './options.ts';
import { cleanedContent } from './site-content.ts';
import {
  isSettingKey,
  SETTING_KEYS,
  settingOf,
  SETTINGS,
  type SettingKey,
  type Settings,
} from '#contract/settings.ts';
import type { SettingKind } from '#contract/setting-kinds.ts';

const DEFAULT_GROUP = 'default';

/** A list inside the list: one of these is enough. */
const NEEDS: Partial<Record<SettingKey, readonly (SettingKey | readonly SettingKey[])[]>> = {
  EmailVerificationEnabled: ['SMTPServer', ['SMTPFrom', 'SMTPAccount']],
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  LinuxDOOAuthEnabled: ['LinuxDOClientId', 'LinuxDOClientSecret'],
  WeChatAuthEnabled: ['WeChatServerAddress', 'WeChatServerToken'],
  TelegramOAuthEnabled: ['TelegramBotToken', 'TelegramBotName'],
  OIDCEnabled: ['OIDCIssuer', 'OIDCClientId', 'OIDCClientSecret'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
  MediaStorage: ['MediaS3Endpoint', 'MediaS3Bucket', 'MediaS3AccessKeyId', 'MediaS3Secret'],
  LogExportTarget: ['LogExportUrl'],
  BackupStorage: ['BackupS3Endpoint', 'BackupS3Bucket', 'BackupS3AccessKeyId', 'BackupS3Secret'],
};

/** The values of choices that need nothing else. */
const BUILT_IN: readonly unknown[] = [false, 'disk', 'none'];

/** A switch that is on, or a choice other than the built-in way. */
const usesNeeds = (key: SettingKey, value: unknown): boolean =>
  key in NEEDS ? !BUILT_IN.includes(value) : value === true;

/** Options that must be set first: a switch needs its configuration, payment the address for callbacks. */
export function needsOf(key: SettingKey): readonly SettingKey[] {
  return alternativesOf(key).flatMap(([first]) => first ?? []);
}

/** Of each need the options that fulfil it. */
function alternativesOf(key: SettingKey): readonly (readonly SettingKey[])[] {
  const needs = NEEDS[key] ?? (settingOf(key).group === 'payment' ? ['ServerAddress' as const] : []);
  return needs.map((need) => (typeof need === 'string' ? [need] : need));
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
    value = setting.parse(text);
    setting.atSave?.parse(value, { reportInput: true });
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw new AppError('setting_not_json', { label }, { field: key });
    throw new AppError('invalid_setting', { label, detail: reasonOf(error, language) }, { field: key });
  }
  if (key === 'SMTPSSLEnabled' && portForcesTls(current.SMTPPort)) value = true;
  checkGroups(key, value, current);
  requireConfiguration(key, value, current, language);
  const isLeftAlone = setting.kind === 'secret' && value === '';
  if (isBlank(value) && !isLeftAlone) refuseWhileInUse(key, current, language);
  return { key, kind: setting.kind, text: cleanedContent(key, setting.format(value)).text };
}

/** Every account begins in `default`; a group can be offered only with a ratio. */
function checkGroups(key: SettingKey, value: unknown, current: Settings): void {
  const groups = value as Record<string, unknown>;
  if (key === 'GroupRatio' && !Object.hasOwn(groups, DEFAULT_GROUP))
    throw new AppError('group_required', {}, { field: key });
  if (key !== 'UserUsableGroups') return;
  const group = Object.keys(groups).find((name) => !Object.hasOwn(current.GroupRatio, name));
  if (group !== undefined) throw new AppError('group_unknown', { group }, { field: key });
}

export function checkReset(key: SettingKey, current: Settings, language: Language): void {
  if (isBlank(settingOf(key).fallback)) refuseWhileInUse(key, current, language);
}

function requireConfiguration(key: SettingKey, value: unknown, current: Settings, language: Language): void {
  if (settingOf(key).group === 'payment') {
    if (current.ServerAddress === '') throw new AppError('server_address_required', {}, { field: key });
    return;
  }
  if (!usesNeeds(key, value)) return;
  const [missing] = alternativesOf(key).find((need) => need.every((one) => isBlank(current[one]))) ?? [];
  if (missing === undefined) return;
  const words = { setting: settingOf(key).label[language], missing: settingOf(missing).label[language] };
  throw new AppError('setting_needs_configuration', words, { field: missing });
}

/** Refuses to clear an option that an enabled provider or check needs. */
function refuseWhileInUse(key: SettingKey, current: Settings, language: Language): void {
  const user = SETTING_KEYS.find(
    (other) =>
      usesNeeds(other, current[other]) &&
      alternativesOf(other).some(
        (need) => need.includes(key) && need.every((one) => one === key || isBlank(current[one])),
      ),
  );
  if (user === undefined) return;
  const words = { label: settingOf(key).label[language], setting: settingOf(user).label[language] };
  throw new AppError('setting_in_use', words, { field: key });
}

/** Other options that change together with this one: a group without a ratio is no longer offered. */
export function followUps(key: SettingKey, text: string, current: Settings): OptionChange[] {
  if (key === 'SMTPPort' && portForcesTls(text)) return [{ key: 'SMTPSSLEnabled', text: 'true' }];
  if (key !== 'GroupRatio') return [];
  const ratios = SETTINGS.GroupRatio.parse(text);
  const offered = Object.entries(current.UserUsableGroups);
  const kept = offered.filter(([group]) => Object.hasOwn(ratios, group));
  if (kept.length === offered.length) return [];
  return [{ key: 'UserUsableGroups', text: SETTINGS.UserUsableGroups.format(Object.fromEntries(kept)) }];
}

function isBlank(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function reasonOf(error: z.ZodError, language: Language): string {
  const [issue] = error.issues;
  if (!issue) return '';
  const [first] = issue.path;
  if (first === undefined) return problemWords(issue, language);
  // An entry of a list is named by its text: operators do not count from 0.
  const isEntry = typeof first === 'number' && typeof issue.input === 'string';
  const place = isEntry ? `“${issue.input}”` : issue.path.map(String).join('.');
  return `${place} ${problemWords(issue, language)}`;
}
