// The settings as the server reads them while it runs: one frozen object, swapped when an option changes on this node or
// another. A stored value that no longer fits its schema gives way to the default, loudly, and is not overwritten.
import type { Log } from '#contract/context.ts';
import { FALLBACK_LANGUAGE, type Language } from '#contract/language.ts';
import { isMasked } from '#contract/masked.ts';
import { SETTING_KEYS, settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import { reloadInTurn } from '#server/store/reload.ts';
import type { Store } from '#server/store/store.ts';
import { optionStore, type OptionStore } from './options.ts';
import { checkReset, checkSetting, followUps } from './rules.ts';

export interface SettingsReader {
  /** Read it anew for each use; the object itself never changes. */
  readonly current: Settings;
  /** Called after every swap. Returns the function that ends the subscription. */
  onChange(listener: (settings: Settings) => void): () => void;
}

export interface LiveSettings extends SettingsReader {
  /**
   * Saves one option from its text. Throws AppError, in that language, when the registry or a rule refuses it. A blank
   * or masked secret changes nothing.
   */
  set(key: string, text: string, actorId: number, language?: Language): Promise<void>;
  /** Back to the default; the way to remove a secret. */
  reset(key: SettingKey, actorId: number, language?: Language): Promise<void>;
  reload(): Promise<void>;
  close(): void;
}

export async function openSettings(store: Store, log: Log): Promise<LiveSettings> {
  const options = optionStore(store);
  const listeners = new Set<(settings: Settings) => void>();
  let current = await read(options, log);
  const reload = reloadInTurn(async () => {
    current = await read(options, log);
    for (const listener of listeners) listener(current);
  });

  const unsubscribe = store.changes.subscribe('settings', async () => {
    await reload().catch((error: unknown) => log.error('settings could not be reloaded', { error }));
  });

  async function save(write: () => Promise<void>, key: SettingKey): Promise<void> {
    await write();
    await reload();
    await store.changes.announce('settings', key);
  }

  return {
    get current() {
      return current;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async set(key, text, actorId, language = FALLBACK_LANGUAGE) {
      const checked = checkSetting(key, text, current, language);
      if (checked.kind === 'secret' && (checked.text === '' || isMasked(checked.text))) return;
      const changes = [{ key: checked.key, text: checked.text }, ...followUps(checked.key, checked.text)];
      await save(() => options.write(changes, actorId), checked.key);
    },
    async reset(key, actorId, language = FALLBACK_LANGUAGE) {
      checkReset(key, current, language);
      await save(() => options.remove(key, actorId), key);
    },
    reload,
    close: unsubscribe,
  };
}

async function read(options: OptionStore, log: Log): Promise<Settings> {
  const stored = await options.readAll();
  const values: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const setting = settingOf(key);
    const text = stored.get(key);
    values[key] = deepFreeze(setting.fallback);
    if (text === undefined) continue;
    try {
      if (text instanceof Error) throw text;
      values[key] = deepFreeze(setting.parse(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('stored setting is not valid, its default is used', { setting: key, reason });
    }
  }
  return Object.freeze(values) as Settings;
}

function deepFreeze<Value>(value: Value): Value {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
