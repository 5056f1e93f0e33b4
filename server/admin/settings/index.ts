// The options of the installation, for the super admin: read, save, reset, history with rollback.
import type { Handlers } from '#server/admin/context.ts';
import type { options } from '#contract/options.ts';
import { SETTING_KEYS } from '#contract/settings.ts';
import { secretVersions } from '#server/platform/settings/option-conflicts.ts';
import type { SettingsDependencies } from './dependencies.ts';
import { listGroupUse } from './groups.ts';
import { listHistory, rollBackOption } from './history.ts';
import { listModels } from './models.ts';
import { allowAddresses, resetOption, resetRatios, saveOption } from './save.ts';
import { fieldOf, isSecret, textOf } from './view.ts';

export type { SettingsDependencies } from './dependencies.ts';

export function createSettingsHandlers(dependencies: SettingsDependencies): Handlers<typeof options> {
  const { settings } = dependencies;
  const open = SETTING_KEYS.filter((key) => !isSecret(key));
  const secret = SETTING_KEYS.filter(isSecret);
  const fields = SETTING_KEYS.map(fieldOf);
  return {
    list: async () => ({
      data: open.map((key) => ({ key, value: textOf(settings.current, key) })),
      secrets: Object.fromEntries(secret.map((key) => [key, settings.current[key] !== ''])),
      secret_versions: await secretVersions(dependencies.store.db, secret),
    }),
    registry: () => fields,
    save: saveOption(dependencies),
    allowAddresses: allowAddresses(dependencies),
    reset: resetOption(dependencies),
    resetRatios: resetRatios(dependencies),
    history: listHistory(dependencies),
    rollback: rollBackOption(dependencies),
    models: listModels(dependencies),
    groupUse: listGroupUse(dependencies),
    configuration: () => dependencies.configurationDrift(),
  };
}
