// The options table: text per key, secrets sealed, every change kept in option_history. Keys the registry does not know
// stay where they are; a newer version may know them.
import { SECRET_MARK } from '#contract/options.ts';
import { isSettingKey, settingOf, type SettingKey } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';

export interface OptionChange {
  key: SettingKey;
  text: string;
}

export interface OptionStore {
  /** Opened texts by key; an Error in place of a secret that does not open. */
  readAll(): Promise<Map<string, string | Error>>;
  /** All of them or none; a text an option has already is not written again and leaves no trace in the history. */
  write(changes: readonly OptionChange[], actorId: number): Promise<void>;
  remove(key: SettingKey, actorId: number): Promise<void>;
}

export function optionStore(store: Store): OptionStore {
  const { db, vault } = store;
  const place = (key: string) => `options:${key}:value`;
  const isSecret = (key: string) => isSettingKey(key) && settingOf(key).kind === 'secret';
  /** A secret is shown as changed, never as what it was; an option without a row as the default it had. */
  const shown = (key: SettingKey, text: string | undefined) => {
    if (isSecret(key)) return text ? SECRET_MARK : '';
    const setting = settingOf(key);
    return text ?? setting.format(setting.fallback);
  };

  function opened(key: string, value: string): string | Error {
    if (!isSecret(key) || value === '') return value;
    try {
      return vault.open(value, place(key));
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    async readAll() {
      const rows = await db.selectFrom('options').select(['key', 'value']).execute();
      return new Map(rows.map(({ key, value }) => [key, opened(key, value)]));
    },
    async write(changes, actorId) {
      const now = Math.floor(Date.now() / 1000);
      await db.transaction().execute(async (transaction) => {
        for (const { key, text } of changes) {
          const before = await transaction
            .selectFrom('options')
            .select('value')
            .where('key', '=', key)
            .executeTakeFirst();
          if (!isSecret(key) && shown(key, before?.value) === text) continue;
          const value = isSecret(key) ? vault.seal(text, place(key)) : text;
          await transaction
            .insertInto('options')
            .values({ key, value, updated_at: now })
            .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: now }))
            .execute();
          await transaction
            .insertInto('option_history')
            .values({
              key,
              old_value: shown(key, before?.value),
              new_value: shown(key, text),
              actor_id: actorId,
              created_at: now,
            })
            .execute();
        }
      });
    },
    async remove(key, actorId) {
      const now = Math.floor(Date.now() / 1000);
      await db.transaction().execute(async (transaction) => {
        const before = await transaction
          .deleteFrom('options')
          .where('key', '=', key)
          .returning('value')
          .executeTakeFirst();
        if (!before) return;
        await transaction
          .insertInto('option_history')
          .values({
            key,
            old_value: shown(key, before.value),
            new_value: shown(key, undefined),
            actor_id: actorId,
            created_at: now,
          })
          .execute();
      });
    },
  };
}
