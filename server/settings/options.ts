// The options table: text per key, secrets sealed, every change in option_history. Keys that the registry does not know are
// left in the table; a newer version may know them.
import { SECRET_MARK } from '#contract/options.ts';
import { isSettingKey, settingOf, type SettingKey } from '#contract/settings.ts';
import type { Transaction } from 'kysely';
import type { Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

export interface OptionChange {
  key: SettingKey;
  text: string;
}

/** Texts as the history shows them: a secret is a mark. */
export interface WrittenOption {
  key: SettingKey;
  before: string;
  after: string;
}

/** Writes the audit rows of the change, in its transaction. Not called when nothing changed. */
export type OptionAudit = (
  transaction: Transaction<Schema>,
  changes: readonly WrittenOption[],
) => Promise<void>;

export interface OptionStore {
  /** Opened texts by key; an Error in place of a secret that does not open. */
  readAll(): Promise<Map<string, string | Error>>;
  /** All of them or none; an option that has this text already is not written and gets no history row. */
  write(changes: readonly OptionChange[], actorId: number, audit?: OptionAudit): Promise<void>;
  remove(key: SettingKey, actorId: number, audit?: OptionAudit): Promise<void>;
}

const place = (key: string) => `options:${key}:value`;
const isSecret = (key: string) => isSettingKey(key) && settingOf(key).kind === 'secret';

/** A secret is a mark, never its value; an option without a row has its default. */
function shown(key: SettingKey, text: string | undefined): string {
  if (isSecret(key)) return text ? SECRET_MARK : '';
  const setting = settingOf(key);
  return text ?? setting.format(setting.fallback);
}

/** The text of a stored option. */
export function openOption(vault: Store['vault'], key: string, value: string): string {
  return !isSecret(key) || value === '' ? value : vault.open(value, place(key));
}

export function optionStore(store: Pick<Store, 'db' | 'vault'>): OptionStore {
  const { db, vault } = store;

  function opened(key: string, value: string): string | Error {
    try {
      return openOption(vault, key, value);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    async readAll() {
      const rows = await db.selectFrom('options').select(['key', 'value']).execute();
      return new Map(rows.map(({ key, value }) => [key, opened(key, value)]));
    },
    async write(changes, actorId, audit) {
      await db
        .transaction()
        .execute((transaction) => writeOptions({ transaction, vault }, changes, actorId, audit));
    },
    async remove(key, actorId, audit) {
      await db.transaction().execute((transaction) => removeOption(transaction, key, actorId, audit));
    },
  };
}

/** Inside a transaction of the calling code. */
export async function writeOptions(
  { transaction, vault }: { transaction: Transaction<Schema>; vault: Store['vault'] },
  changes: readonly OptionChange[],
  actorId: number,
  audit?: OptionAudit,
): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const written: WrittenOption[] = [];
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
    written.push({ key, before: shown(key, before?.value), after: shown(key, text) });
  }
  await finish(transaction, written, { actorId, audit });
}

export async function removeOption(
  transaction: Transaction<Schema>,
  key: SettingKey,
  actorId: number,
  audit?: OptionAudit,
): Promise<void> {
  const before = await transaction
    .deleteFrom('options')
    .where('key', '=', key)
    .returning('value')
    .executeTakeFirst();
  if (!before) return;
  const written = [{ key, before: shown(key, before.value), after: shown(key, undefined) }];
  await finish(transaction, written, { actorId, audit });
}

/** History and audit rows of the change. */
async function finish(
  transaction: Transaction<Schema>,
  written: readonly WrittenOption[],
  { actorId, audit }: { actorId: number; audit: OptionAudit | undefined },
): Promise<void> {
  if (written.length === 0) return;
  const created_at = Math.floor(Date.now() / 1000);
  await transaction
    .insertInto('option_history')
    .values(
      written.map(({ key, before, after }) => ({
        key,
        old_value: before,
        new_value: after,
        actor_id: actorId,
        created_at,
      })),
    )
    .execute();
  await audit?.(transaction, written);
}
