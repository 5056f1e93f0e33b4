// Options as text, and their form fields.
import type { OptionField } from '#contract/options.ts';
import { settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import { needsOf } from '#server/platform/settings/rules.ts';

export const isSecret = (key: SettingKey): boolean => settingOf(key).kind === 'secret';

export function textOf(settings: Settings, key: SettingKey): string {
  return settingOf(key).format(settings[key]);
}

export function fieldOf(key: SettingKey): OptionField {
  const { kind, group, label, help, choices, range, ...setting } = settingOf(key);
  return {
    key,
    kind,
    group,
    label,
    help,
    fallback: setting.format(setting.fallback),
    ...(choices ? { choices: [...choices] } : {}),
    ...range,
    needs: [...needsOf(key)],
  };
}
