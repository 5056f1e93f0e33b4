// The options table: text per key, secrets sealed, every change in option_history. Keys that the registry does not know are
// left in the table; a newer version may know them.
import { SECRET_MARK } from '#contract/options.ts';
import { isPriceKey } from '#contract/money/price-keys.ts';
import { isSettingKey, settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import { sql, type Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { refuseOptionConflict, runningText } from './option-conflicts.ts';
import { lockPrices, recordPrices, type VersionNote } from './price-versions.ts';

export interface OptionChange {
  key: SettingKey;
  /** Undefined: back to the default. */
  text: string | undefined;
  /** The text that the change began with, of a secret its version (contract/based-on.ts); undefined: not compared. */
  basedOn?: string | undefined;
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

/** Who changes options, and what is written beside them. */
export interface OptionAuthor {
  actorId: number;
  audit?: OptionAudit | undefined;
  /** Of the price version that the change makes; a change of the settings page by default. */
  version?: VersionNote | undefined;
}

export interface StoredOptions {
  /** Opened texts by key; an Error in place of a secret that does not open. */
  texts: Map<string, string | Error>;
  /** The running price version; 0 before the first one. */
  priceVersion: number;
}

export interface OptionStore {
  readAll(): Promise<StoredOptions>;
  /** All of them or none; an option that has this text already is not written and gets no history row. */
  write(changes: readonly OptionChange[], author: OptionAuthor): Promise<void>;
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

/** `defaults`: what an option that was never saved is in this process, instead of the registry's default. */
export function optionStore(
  store: Pick<Store, 'db' | 'dialect' | 'vault'>,
  defaults: Partial<Settings> = {},
): OptionStore {
  const { db, vault, dialect } = store;

  function opened(key: string, value: string): string | Error {
    try {
      return openOption(vault, key, value);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    async readAll() {
      // One statement: the version belongs to exactly these options.
      const { rows } = await sql<{ key: string; value: string; version: number }>`
        select key, value, 0 as version from options
        union all
        select '', '', coalesce(max(id), 0) from price_versions`.execute(db);
      const texts = new Map(
        rows.filter(({ key }) => key !== '').map(({ key, value }) => [key, opened(key, value)]),
      );
      return { texts, priceVersion: rows.find(({ key }) => key === '')?.version ?? 0 };
    },
    async write(changes, author) {
      await db
        .transaction()
        .execute((transaction) => writeOptions({ transaction, vault, dialect, defaults }, changes, author));
    },
  };
}

interface OptionTransaction extends Pick<Store, 'dialect' | 'vault'> {
  transaction: Transaction<Schema>;
  /** Of this process, as in `optionStore`. */
  defaults?: Partial<Settings>;
}

/** Inside a transaction of the calling code. Audit rows are its last statements. */
export async function writeOptions(
  { transaction, vault, dialect, defaults = {} }: OptionTransaction,
  changes: readonly OptionChange[],
  { actorId, audit, version = { source: 'settings' } }: OptionAuthor,
): Promise<void> {
  const now = unixSeconds();
  await lockPrices({ dialect }, transaction);
  const written: WrittenOption[] = [];
  for (const { key, text, basedOn } of changes) {
    const before = await transaction
      .selectFrom('options')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirst();
    if (text === undefined ? !before : !isSecret(key) && shown(key, before?.value) === text) continue;
    if (basedOn !== undefined) {
      const present = runningText(key, before?.value, defaults);
      await refuseOptionConflict(transaction, key, present, basedOn);
    }
    if (text === undefined) await transaction.deleteFrom('options').where('key', '=', key).execute();
    else {
      const value = isSecret(key) ? vault.seal(text, place(key)) : text;
      await transaction
        .insertInto('options')
        .values({ key, value, updated_at: now })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: now }))
        .execute();
    }
    written.push({ key, before: shown(key, before?.value), after: shown(key, text) });
  }
  if (written.length === 0) return;
  await writeHistory(transaction, written, actorId);
  if (written.some(({ key }) => isPriceKey(key))) await recordPrices(transaction, actorId, version);
  await audit?.(transaction, written);
}

async function writeHistory(
  transaction: Transaction<Schema>,
  written: readonly WrittenOption[],
  actorId: number,
): Promise<void> {
  const created_at = unixSeconds();
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
}
