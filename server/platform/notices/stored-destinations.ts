// The rows of `notice_ways`. While a receiver has stored no choice for mail, mail carries every event.
import type { Kysely, Transaction } from 'kysely';
import type { NoticeWayKind } from '#contract/admin/notices.ts';
import { FALLBACK_LANGUAGE, type Language } from '#contract/language.ts';
import type { NewRow, Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { WayConfig } from './ways/way.ts';

type WayRow = Row<'notice_ways'>;

export interface StoredWay {
  /** 0: the default. */
  id: number;
  userId: number;
  kind: NoticeWayKind;
  name: string;
  language: Language;
  /** `undefined`: every event. */
  events: readonly string[] | undefined;
  isEnabled: boolean;
  /** Sealed; empty: no field has a value. */
  config: string;
}

export const DEFAULT_MAIL: StoredWay = {
  id: 0,
  userId: 0,
  kind: 'mail',
  name: '',
  language: FALLBACK_LANGUAGE,
  events: undefined,
  isEnabled: true,
  config: '',
};

/** Undefined: the receiver has a mail way already. */
export async function insertWay(
  transaction: Transaction<Schema>,
  values: NewRow<'notice_ways'>,
): Promise<StoredWay | undefined> {
  const row = await transaction
    .insertInto('notice_ways')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && storedWay(row);
}

export async function changeWay(
  transaction: Transaction<Schema>,
  id: number,
  columns: RowChange<'notice_ways'>,
): Promise<StoredWay> {
  const changed = transaction.updateTable('notice_ways').set(columns).where('id', '=', id);
  return storedWay(await changed.returningAll().executeTakeFirstOrThrow());
}

/** Undefined: the receiver has no such way, or it is mail. Without its row mail would carry every event again. */
export async function removeWay(
  transaction: Transaction<Schema>,
  userId: number,
  id: number,
): Promise<StoredWay | undefined> {
  const row = await transaction
    .deleteFrom('notice_ways')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('kind', '<>', 'mail')
    .returningAll()
    .executeTakeFirst();
  return row && storedWay(row);
}

/** Every way of a receiver (0: the operators), also disabled ones; mail first. */
export async function storedWays(db: Kysely<Schema>, userId: number): Promise<StoredWay[]> {
  const rows = await db
    .selectFrom('notice_ways')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
  const ways = rows.map(storedWay);
  const mail = ways.find(({ kind }) => kind === 'mail') ?? DEFAULT_MAIL;
  return [mail, ...ways.filter((way) => way !== mail)];
}

export function storedWay(row: WayRow): StoredWay {
  return {
    id: row.id,
    userId: row.user_id,
    kind: row.kind as NoticeWayKind,
    name: row.name,
    language: row.language as Language,
    events: JSON.parse(row.events) as string[],
    isEnabled: row.is_enabled === 1,
    config: row.config,
  };
}

export function wants({ isEnabled, events }: StoredWay, event: string): boolean {
  return isEnabled && (events === undefined || events.includes(event));
}

export function sealConfig({ vault }: Store, userId: number, kind: string, config: WayConfig): string {
  return vault.seal(JSON.stringify(config), placeOf(userId, kind));
}

export function openConfig(
  { vault }: Pick<Store, 'vault'>,
  { userId, kind, config }: { userId: number; kind: string; config: string },
): WayConfig {
  return config === '' ? {} : (JSON.parse(vault.open(config, placeOf(userId, kind))) as WayConfig);
}

/** A config that was copied to another user's way does not open. */
const placeOf = (userId: number, kind: string) => `notice_ways:${userId}:${kind}`;
