// The settings of the running server: one frozen object, replaced when an option changes on this node or another. A stored
// value that no longer fits its schema is logged and its default is used; the row is not overwritten.
import type { Log } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import { FALLBACK_LANGUAGE, type Language } from '#contract/language.ts';
import { isMasked } from '#contract/masked.ts';
import { SETTING_KEYS, settingOf, SETTINGS, type SettingKey, type Settings } from '#contract/settings.ts';
import { reloadInTurn } from '#server/platform/store/reload.ts';
import type { Store } from '#server/platform/store/store.ts';
import { optionStore, type OptionAudit, type OptionChange, type OptionStore } from './options.ts';
import { lockPrices, recordPrices, type VersionNote } from './price-versions.ts';
import { checkReset, checkSetting, followUps } from './rules.ts';

/** Every option, and the price version that its price options are. */
export type RunningSettings = Settings & { readonly priceVersion?: number };

export interface SettingsReader {
  /** Read it again for each use: a change replaces the object. */
  readonly current: RunningSettings;
  /** Called after every change. Returns the function that ends the subscription. */
  onChange(listener: (settings: Settings) => void): () => void;
}

type SettingsStore = Pick<Store, 'db' | 'dialect' | 'vault' | 'changes'>;

interface SetOptions {
  /** Of the refusal. */
  language?: Language;
  audit?: OptionAudit;
  /** Of the price version, when the option is one of prices. */
  version?: VersionNote;
  /** The text that the change began with, of a secret its version; a newer text is not overwritten. */
  basedOn?: string | undefined;
}

interface OpenOptions {
  /** What an option that was never saved is in this process, instead of the registry's default. Not for price options. */
  defaults?: Partial<Settings>;
  /** Digest of the built-in price list; another one than before makes a price version. */
  priceList?: string;
}

export interface LiveSettings extends SettingsReader {
  /** Saves one option from its text. Throws AppError when the registry or a rule refuses it. A blank or masked secret changes nothing. */
  set(key: string, text: string, actorId: number, options?: SetOptions): Promise<void>;
  /** Back to the default; also removes a secret. */
  reset(key: SettingKey, actorId: number, options?: SetOptions): Promise<void>;
  reload(): Promise<void>;
  close(): void;
}

/** Makes the first price version, and one whenever prices changed while no server ran. */
export async function openSettings(
  store: SettingsStore,
  log: Log,
  { defaults = {}, priceList }: OpenOptions = {},
): Promise<LiveSettings> {
  const options = optionStore(store, defaults);
  await store.db.transaction().execute(async (transaction) => {
    await lockPrices(store, transaction);
    await recordPrices(transaction, 0, { source: 'start' }, priceList);
  });
  const listeners = new Set<(settings: Settings) => void>();
  let current = await read(options, log, defaults);
  const reload = reloadInTurn(async () => {
    current = await read(options, log, defaults);
    for (const listener of listeners) listener(current);
  });

  const unsubscribe = store.changes.subscribe('settings', async () => {
    await reload().catch((error: unknown) => log.error('settings could not be reloaded', { error }));
  });

  async function save(write: () => Promise<void>, key: SettingKey): Promise<void> {
    try {
      await write();
    } catch (error) {
      // Another node changed the option: this node shows the new value too when the operator looks again.
      if (error instanceof AppError && error.code === 'changed_meanwhile') await reload();
      throw error;
    }
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
    async set(key, text, actorId, { language = FALLBACK_LANGUAGE, basedOn, ...author } = {}) {
      const checked = checkSetting(key, text, current, language);
      if (checked.kind === 'secret' && (checked.text === '' || isMasked(checked.text))) return;
      const { key: saved, text: stored } = checked;
      const changes = [{ key: saved, text: stored, basedOn }, ...followUps(saved, stored, current)];
      await save(() => options.write(changes, { actorId, ...author }), checked.key);
    },
    async reset(key, actorId, { language = FALLBACK_LANGUAGE, ...author } = {}) {
      checkReset(key, current, language);
      const changes: OptionChange[] = [{ key, text: undefined }];
      if (key === 'GroupRatio') {
        // Groups that the default lacks are removed by the reset.
        const ratios = SETTINGS.GroupRatio.format(SETTINGS.GroupRatio.fallback);
        changes.push(...followUps(key, ratios, current));
      }
      await save(() => options.write(changes, { actorId, ...author }), key);
    },
    reload,
    close: unsubscribe,
  };
}

async function read(options: OptionStore, log: Log, defaults: Partial<Settings>): Promise<RunningSettings> {
  const { texts: stored, priceVersion } = await options.readAll();
  const values: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const setting = settingOf(key);
    const text = stored.get(key);
    values[key] = deepFreeze(defaults[key] ?? setting.fallback);
    if (text === undefined) continue;
    try {
      if (text instanceof Error) throw text;
      values[key] = deepFreeze(setting.parse(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('stored setting is not valid, its default is used', { setting: key, reason });
    }
  }
  return Object.freeze({ ...(values as Settings), priceVersion });
}

function deepFreeze<Value>(value: Value): Value {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
