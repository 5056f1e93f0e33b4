// The rows of `notice_ways`. While a receiver has stored no choice for mail, mail carries every event.
import type { Kysely, Transaction } from 'kysely';
import type { NoticeDestinationKind } from '#contract/admin/notices.ts';
import { FALLBACK_LANGUAGE, type Language } from '#contract/language.ts';
import type { NewRow, Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { DestinationConfig } from './destinations/destination.ts';

type DestinationRow = Row<'notice_ways'>;

export interface StoredDestination {
  /** 0: the default. */
  id: number;
  userId: number;
  kind: NoticeDestinationKind;
  name: string;
  language: Language;
  /** `undefined`: every event. */
  events: readonly string[] | undefined;
  isEnabled: boolean;
  /** Sealed; empty: no field has a value. */
  config: string;
}

export const DEFAULT_MAIL: StoredDestination = {
  id: 0,
  userId: 0,
  kind: 'mail',
  name: '',
  language: FALLBACK_LANGUAGE,
  events: undefined,
  isEnabled: true,
  config: '',
};

/** Undefined: the receiver has a mail destination already. */
export async function insertDestination(
  transaction: Transaction<Schema>,
  values: NewRow<'notice_ways'>,
): Promise<StoredDestination | undefined> {
  const row = await transaction
    .insertInto('notice_ways')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && storedDestination(row);
}

export async function changeDestination(
  transaction: Transaction<Schema>,
  id: number,
  columns: RowChange<'notice_ways'>,
): Promise<StoredDestination> {
  const changed = transaction.updateTable('notice_ways').set(columns).where('id', '=', id);
  return storedDestination(await changed.returningAll().executeTakeFirstOrThrow());
}

/** Undefined: the receiver has no such destination, or it is mail. Without its row mail would carry every event again. */
export async function removeDestination(
  transaction: Transaction<Schema>,
  userId: number,
  id: number,
): Promise<StoredDestination | undefined> {
  const row = await transaction
    .deleteFrom('notice_ways')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('kind', '<>', 'mail')
    .returningAll()
    .executeTakeFirst();
  return row && storedDestination(row);
}

/** Every destination of a receiver (0: the operators), also disabled ones; mail first. */
export async function readStoredDestinations(
  db: Kysely<Schema>,
  userId: number,
): Promise<StoredDestination[]> {
  const rows = await db
    .selectFrom('notice_ways')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
  const destinations = rows.map(storedDestination);
  const mail = destinations.find(({ kind }) => kind === 'mail') ?? DEFAULT_MAIL;
  return [mail, ...destinations.filter((destination) => destination !== mail)];
}

export function storedDestination(row: DestinationRow): StoredDestination {
  return {
    id: row.id,
    userId: row.user_id,
    kind: row.kind as NoticeDestinationKind,
    name: row.name,
    language: row.language as Language,
    events: JSON.parse(row.events) as string[],
    isEnabled: row.is_enabled === 1,
    config: row.config,
  };
}

export function wants({ isEnabled, events }: StoredDestination, event: string): boolean {
  return isEnabled && (events === undefined || events.includes(event));
}

export function sealConfig(
  { vault }: Store,
  userId: number,
  kind: string,
  config: DestinationConfig,
): string {
  return vault.seal(JSON.stringify(config), placeOf(userId, kind));
}

export function openConfig(
  { vault }: Pick<Store, 'vault'>,
  { userId, kind, config }: { userId: number; kind: string; config: string },
): DestinationConfig {
  return config === '' ? {} : (JSON.parse(vault.open(config, placeOf(userId, kind))) as DestinationConfig);
}

/** A config that was copied to another user's destination does not open. */
const placeOf = (userId: number, kind: string) => `notice_ways:${userId}:${kind}`;
