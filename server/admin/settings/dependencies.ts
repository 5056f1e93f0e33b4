// What server/admin/settings needs from the application.
import type { Language } from '#contract/language.ts';
import type { ConfigurationDrift } from '#contract/options.ts';
import type { SettingKey } from '#contract/settings.ts';
import type { OptionAudit } from '#server/platform/settings/options.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SaveOptions {
  language: Language;
  audit: OptionAudit;
  basedOn?: string | undefined;
}

export interface SettingsDependencies {
  store: Store;
  /** Narrower than `LiveSettings`: an operator's change always has its audit rows. */
  settings: Pick<LiveSettings, 'current' | 'reload'> & {
    set(key: SettingKey, text: string, actorId: number, options: SaveOptions): Promise<void>;
    reset(key: SettingKey, actorId: number, options: SaveOptions): Promise<void>;
  };
  /** What differs from the configuration file that was applied last; null: none was. */
  configurationDrift(): Promise<ConfigurationDrift | null>;
}
