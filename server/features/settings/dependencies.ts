// What the settings feature needs from the application.
import type { LiveSettings } from '#server/settings/settings.ts';
import type { Store } from '#server/store/store.ts';

export interface SettingsDependencies {
  store: Store;
  settings: Pick<LiveSettings, 'current' | 'set' | 'reset'>;
}
