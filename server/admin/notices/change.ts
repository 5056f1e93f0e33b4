// Adds, changes and deletes a way. Secrets are write-only: a blank one keeps the stored value, unless the address changed, so
// that a stored secret is never sent to a new address.
import { z } from 'zod';
import type { RequestContext } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import {
  MOST_NOTICE_WAYS,
  SHORTEST_WEBHOOK_SECRET,
  type NoticeWayKind,
  type NoticeWayView,
  type WayField,
} from '#contract/admin/notices.ts';
import type { Language } from '#contract/language.ts';
import {
  addressesOf,
  DEFAULT_MAIL,
  egressClassFor,
  openConfig,
  sealConfig,
  storedWay,
  storedWays,
  type StoredWay,
  type WayConfig,
} from '#server/platform/notices/index.ts';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { NoticeDependencies, Receiver } from './dependencies.ts';
import { kindsOf, OPERATORS, receiverId, shownValue, viewOf } from './list.ts';

interface WayBody {
  kind: NoticeWayKind;
  name: string;
  language: Language;
  events: string[];
  is_enabled: boolean;
  config: Record<string, string>;
}

export function createWay(dependencies: NoticeDependencies, receiver: Receiver) {
  return async ({ body }: { body: WayBody }, context: RequestContext): Promise<NoticeWayView> => {
    const userId = receiverId(receiver, context);
    if (body.kind === 'mail') throw invalidField('kind', 'mail_way');
    return await insertWay(dependencies, userId, body, context);
  };
}

export function changeWay(dependencies: NoticeDependencies, receiver: Receiver) {
  return async (
    { params, body }: { params: { id: number }; body: WayBody },
    context: RequestContext,
  ): Promise<NoticeWayView> => {
    const userId = receiverId(receiver, context);
    const { store } = dependencies;
    const ways = await storedWays(store.db, userId);
    const isDefault = params.id === DEFAULT_MAIL.id && body.kind === 'mail';
    const before = ways.find(({ id, kind }) => kind === body.kind && (isDefault || id === params.id));
    if (before === undefined) throw new AppError('not_found');
    if (before === DEFAULT_MAIL) return await insertWay(dependencies, userId, body, context);
    const config = await checkedConfig(dependencies, userId, body, {
      stored: openConfig(store, before),
      language: context.language,
    });
    return await store.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable('notice_ways')
        .set(columnsOf(dependencies, userId, body, config))
        .where('id', '=', before.id)
        .where('user_id', '=', userId)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new AppError('not_found');
      const way = storedWay(row);
      await context.audit(
        transaction,
        'notice_way.update',
        targetOf(way),
        auditedWay(before),
        auditedWay(way),
      );
      return viewOf(store, userId, way);
    });
  };
}

export function removeWay({ store }: NoticeDependencies, receiver: Receiver) {
  return async ({ params }: { params: { id: number } }, context: RequestContext): Promise<null> => {
    const userId = receiverId(receiver, context);
    await store.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .deleteFrom('notice_ways')
        .where('id', '=', params.id)
        .where('user_id', '=', userId)
        // Without its row mail would carry every event again.
        .where('kind', '<>', 'mail')
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new AppError('not_found');
      const way = storedWay(row);
      await context.audit(transaction, 'notice_way.delete', targetOf(way), auditedWay(way));
    });
    return null;
  };
}

async function insertWay(
  dependencies: NoticeDependencies,
  userId: number,
  body: WayBody,
  context: RequestContext,
): Promise<NoticeWayView> {
  const { store } = dependencies;
  const config = await checkedConfig(dependencies, userId, body, { stored: {}, language: context.language });
  return await store.db.transaction().execute(async (transaction) => {
    await refuseTooMany(store.dialect, transaction, userId);
    const row = await transaction
      .insertInto('notice_ways')
      .values({
        ...columnsOf(dependencies, userId, body, config),
        user_id: userId,
        kind: body.kind,
        created_at: Math.floor(Date.now() / 1000),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    // The mail way was stored by another call meanwhile.
    if (!row) throw new AppError('not_found');
    const way = storedWay(row);
    await context.audit(transaction, 'notice_way.create', targetOf(way), undefined, auditedWay(way));
    return viewOf(store, userId, way);
  });
}

function columnsOf(
  { store }: NoticeDependencies,
  userId: number,
  { kind, name, language, events, is_enabled }: WayBody,
  config: WayConfig,
) {
  return {
    name,
    language,
    events: JSON.stringify(events),
    is_enabled: is_enabled ? (1 as const) : (0 as const),
    config: sealConfig(store, userId, kind, config),
  };
}

/** The fields of the way with what was entered; throws when one is missing or its address may not be called. */
async function checkedConfig(
  { egress, settings }: NoticeDependencies,
  userId: number,
  { kind, config: entered }: WayBody,
  { stored, language }: { stored: WayConfig; language: Language },
): Promise<WayConfig> {
  const fields = kindsOf(userId).find((each) => each.kind === kind)?.fields ?? [];
  /** What a list shows of a secret may come back with a change; it is no new value. */
  const givenOf = (field: WayField) => {
    const given = entered[field.name] ?? '';
    return field.is_secret && given === shownValue(field, stored[field.name] ?? '') ? '' : given;
  };
  const isMoved = fields.some(
    (field) =>
      field.kind === 'address' && givenOf(field) !== (field.is_secret ? '' : (stored[field.name] ?? '')),
  );
  const config: Record<string, string> = {};
  for (const field of fields) {
    const given = givenOf(field);
    const value = given === '' && field.is_secret && !isMoved ? (stored[field.name] ?? '') : given;
    if (value === '' && field.is_required) throw refusedField('notice_field_required', field, language);
    config[field.name] = value;
    if (field.kind === 'address' && value !== '')
      await egress.check(egressClassFor(settings.current, userId), value).catch(() => {
        throw refusedField('notice_address_refused', field, language);
      });
  }
  if (kind === 'webhook' && (config['secret'] ?? '').length < SHORTEST_WEBHOOK_SECRET)
    throw new AppError('notice_secret_short', { length: SHORTEST_WEBHOOK_SECRET }, { field: 'secret' });
  const isBadMail = kind === 'mail' && !addressesOf(config['addresses'] ?? '').every(isMailAddress);
  if (isBadMail) throw new AppError('email_not_accepted', {}, { field: 'addresses' });
  return config;
}

const isMailAddress = (text: string) => z.email().max(254).safeParse(text).success;

/** The one sentence for a refused address: the difference would show which names the operator's network has. */
function refusedField(
  code: 'notice_field_required' | 'notice_address_refused',
  { name, label }: WayField,
  language: Language,
): AppError {
  return new AppError(code, { name: label[language] }, { field: name });
}

/** The first number of the advisory lock; no other lock of the product uses it. */
const LOCK_SPACE = 7_002;

async function refuseTooMany(
  dialect: Store['dialect'],
  transaction: Transaction<Schema>,
  userId: number,
): Promise<void> {
  // SQLite has one writer; on PostgreSQL two concurrent creations would count the same rows.
  if (dialect === 'postgres')
    await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${userId}::int)`.execute(transaction);
  const { count } = await transaction
    .selectFrom('notice_ways')
    .select((build) => build.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (count >= MOST_NOTICE_WAYS) throw new AppError('notice_ways_full', { most: MOST_NOTICE_WAYS });
}

const targetOf = ({ id, userId }: StoredWay) =>
  userId === OPERATORS ? `notice_way:${id}` : `user:${userId}`;

/** Without the config: it holds secrets. */
const auditedWay = ({ id, kind, name, language, events, isEnabled }: StoredWay) => ({
  id,
  kind,
  name,
  language,
  events,
  is_enabled: isEnabled,
});
