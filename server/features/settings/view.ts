// Options as text, the way they are answered, compared and audited. A secret never has a text here.
import { SECRET_MARK, type OptionField } from '#contract/options.ts';
import { settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import { needsOf } from '#server/settings/rules.ts';

export const isSecret = (key: SettingKey): boolean => settingOf(key).kind === 'secret';

export function textOf(settings: Settings, key: SettingKey): string {
  return settingOf(key).format(settings[key]);
}

/** For the audit trail: that a secret is set, never what it is. */
export function auditedOption(settings: Settings, key: SettingKey): { value: string } {
  const text = textOf(settings, key);
  return { value: isSecret(key) && text !== '' ? SECRET_MARK : text };
}

export function fieldOf(key: SettingKey): OptionField {
  const { kind, group, label, choices, range, ...setting } = settingOf(key);
  return {
    key,
    kind,
    group,
    label,
    fallback: setting.format(setting.fallback),
    ...(choices ? { choices: [...choices] } : {}),
    ...range,
    needs: [...needsOf(key)],
  };
}
