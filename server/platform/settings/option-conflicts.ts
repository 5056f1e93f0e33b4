// Two people at once (contract/based-on.ts): an option is not overwritten when it was changed after the save began. The base
// of a secret is the number of its last change, so that no answer and no request carries the old secret.
import type { Transaction } from 'kysely';
import { changerWords, type Conflict } from '#contract/based-on.ts';
import { AppError } from '#contract/errors.ts';
import { settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import type { Schema } from '#server/platform/store/schema.ts';

/** The text that the running settings have for this row: a row that is absent or not valid is the default. */
export function runningText(
  key: SettingKey,
  stored: string | undefined,
  defaults: Partial<Settings>,
): string {
  const setting = settingOf(key);
  const fallback = () => setting.format(defaults[key] ?? setting.fallback);
  return stored === undefined ? fallback() : (asRead(key, stored) ?? fallback());
}

/** One spelling for equal values; undefined when the text is not valid. */
function asRead(key: SettingKey, text: string): string | undefined {
  const setting = settingOf(key);
  try {
    return setting.format(setting.parse(text));
  } catch {
    return undefined;
  }
}

/** The number of the last change of each secret, `0` before the first one. */
export async function secretVersions(
  db: Pick<Transaction<Schema>, 'selectFrom'>,
  keys: readonly SettingKey[],
): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('option_history')
    .select(['key', (builder) => builder.fn.max('id').as('id')])
    .where('key', 'in', keys)
    .groupBy('key')
    .execute();
  const versions = new Map(rows.map(({ key, id }) => [key, String(id)]));
  return Object.fromEntries(keys.map((key) => [key, versions.get(key) ?? '0']));
}

/** `present`: the text now. The caller holds the lock of options. */
export async function refuseOptionConflict(
  transaction: Transaction<Schema>,
  key: SettingKey,
  present: string,
  basedOn: string,
): Promise<void> {
  const isSecret = settingOf(key).kind === 'secret';
  const isCurrent = isSecret
    ? (await secretVersions(transaction, [key]))[key] === basedOn
    : present === (asRead(key, basedOn) ?? basedOn);
  if (isCurrent) return;
  const last = await transaction
    .selectFrom('option_history')
    .leftJoin('users', 'users.id', 'option_history.actor_id')
    .select(['users.username', 'option_history.created_at'])
    .where('option_history.key', '=', key)
    .orderBy('option_history.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const name = last?.username ?? '';
  const conflict: Conflict = {
    fields: [isSecret ? { field: key } : { field: key, theirs: present }],
    changed_by: name,
    changed_at: last?.created_at ?? 0,
  };
  const words = { what: settingOf(key).label, who: changerWords(name) };
  throw new AppError('changed_meanwhile', words, { field: key, conflict });
}
