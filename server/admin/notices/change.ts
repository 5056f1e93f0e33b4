// Adds, changes and deletes a destination.
import type { BasedOn } from '#contract/based-on.ts';
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import {
  MOST_NOTICE_DESTINATIONS,
  operatorDestinationChange,
  userDestinationChange,
  type NoticeDestinationKind,
  type NoticeDestinationView,
} from '#contract/admin/notices.ts';
import type { Language } from '#contract/language.ts';
import {
  changeDestination as writeDestination,
  DEFAULT_MAIL,
  insertDestination,
  openConfig,
  removeDestination as deleteDestination,
  sealConfig,
  storedDestination,
  readStoredDestinations,
  type StoredDestination,
  type DestinationConfig,
} from '#server/platform/notices/index.ts';
import type { Transaction } from 'kysely';
import { forUpdate, takeLock } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { NoticeDependencies, Receiver } from './dependencies.ts';
import { checkConfig } from './config.ts';
import { configVersion, OPERATORS, receiverId, viewOf } from './list.ts';

interface DestinationBody {
  kind: NoticeDestinationKind;
  name: string;
  language: Language;
  events: string[];
  is_enabled: boolean;
  config: Record<string, string>;
}

export function createDestination(dependencies: NoticeDependencies, receiver: Receiver) {
  return async (
    { body }: { body: DestinationBody },
    context: RequestContext,
  ): Promise<NoticeDestinationView> => {
    const userId = receiverId(receiver, context);
    if (body.kind === 'mail') throw invalidField('kind', 'mail_way');
    const created = await addDestination(dependencies, userId, body, context);
    if (created === undefined) throw new AppError('not_found');
    return created;
  };
}

interface DestinationChange extends Omit<DestinationBody, 'config'> {
  config?: Record<string, string> | undefined;
  based_on?: BasedOn | undefined;
}

export function changeDestination(dependencies: NoticeDependencies, receiver: Receiver) {
  return async (
    { params, body }: { params: { id: number }; body: DestinationChange },
    context: RequestContext,
  ): Promise<NoticeDestinationView> => {
    const userId = receiverId(receiver, context);
    // A second round begins when another save came between the check of the addresses, which waits for the network, and the
    // transaction.
    for (;;) {
      const destinations = await readStoredDestinations(dependencies.store.db, userId);
      const isDefault = params.id === DEFAULT_MAIL.id && body.kind === 'mail';
      const before = destinations.find(
        ({ id, kind }) => kind === body.kind && (isDefault || id === params.id),
      );
      if (before === undefined) throw new AppError('not_found');
      if (before === DEFAULT_MAIL) {
        const created = await addDestination(
          dependencies,
          userId,
          { ...body, config: body.config ?? {} },
          context,
        );
        if (created !== undefined) return created;
        continue;
      }
      const stored = openConfig(dependencies.store, before);
      const { language } = context;
      const config = body.config
        ? await checkConfig(
            dependencies,
            userId,
            { kind: body.kind, config: body.config },
            { stored, language },
          )
        : stored;
      const changed = await updateDestination(dependencies, { before, body, config }, context);
      if (changed !== undefined) return changed;
    }
  };
}

interface DestinationUpdate {
  /** As it was read before the addresses were checked. */
  before: StoredDestination;
  body: DestinationChange;
  /** The whole config after the save. */
  config: DestinationConfig;
}

/** Undefined: another save changed the config since `before` was read, and this save names no base that would refuse it. */
async function updateDestination(
  dependencies: NoticeDependencies,
  { before, body, config }: DestinationUpdate,
  context: RequestContext,
): Promise<NoticeDestinationView | undefined> {
  const { store } = dependencies;
  const { id, userId, kind } = before;
  return await store.db.transaction().execute(async (transaction) => {
    const locked = await transaction
      .selectFrom('notice_ways')
      .selectAll()
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .$call(forUpdate(store))
      .executeTakeFirst();
    if (!locked) throw new AppError('not_found');
    const present = storedDestination(locked);
    await refuseDestinationConflict(dependencies, transaction, { before: present, body, config });
    if (present.config !== before.config) return undefined;
    const { name, language, events, is_enabled } = viewOf(store, userId, present);
    const fields = { name, language, events, is_enabled, ...editedFields(changeFields(userId), body) };
    const columns = columnsOf(dependencies, userId, { ...fields, kind }, config);
    const destination = await writeDestination(transaction, id, columns);
    const audited = [auditedDestination(store, present), auditedDestination(store, destination)] as const;
    await context.audit(transaction, 'notice_way.update', targetOf(destination), ...audited);
    return viewOf(store, userId, destination);
  });
}

const changeFields = (userId: number) =>
  userId === OPERATORS ? operatorDestinationChange : userDestinationChange;

/** The config is compared by its version: neither the base nor the answer carries a secret. */
async function refuseDestinationConflict(
  { store }: NoticeDependencies,
  transaction: Transaction<Schema>,
  { before, body, config }: DestinationUpdate,
): Promise<void> {
  const { config: entered, ...others } = body;
  const compared = entered === undefined ? {} : { config: configVersion(store, config) };
  const { config_version, ...view } = viewOf(store, before.userId, before);
  await refuseConflict(transaction, {
    fields: changeFields(before.userId),
    body: { ...others, ...compared },
    present: { ...view, config: config_version },
    target: targetOf(before),
    auditedAs: { config: 'config_version' },
    auditedId: before.id,
    withheld: ['config'],
  });
}

export function removeDestination({ store }: NoticeDependencies, receiver: Receiver) {
  return async ({ params }: { params: { id: number } }, context: RequestContext): Promise<null> => {
    const userId = receiverId(receiver, context);
    await store.db.transaction().execute(async (transaction) => {
      const destination = await deleteDestination(transaction, userId, params.id);
      if (!destination) throw new AppError('not_found');
      await context.audit(
        transaction,
        'notice_way.delete',
        targetOf(destination),
        auditedDestination(store, destination),
      );
    });
    return null;
  };
}

/** Undefined: another call stored the mail destination meanwhile. */
async function addDestination(
  dependencies: NoticeDependencies,
  userId: number,
  body: DestinationBody,
  context: RequestContext,
): Promise<NoticeDestinationView | undefined> {
  const { store } = dependencies;
  const config = await checkConfig(dependencies, userId, body, { stored: {}, language: context.language });
  return await store.db.transaction().execute(async (transaction) => {
    await refuseTooMany(store, transaction, userId);
    const destination = await insertDestination(transaction, {
      ...columnsOf(dependencies, userId, body, config),
      user_id: userId,
      kind: body.kind,
      created_at: unixSeconds(),
    });
    if (!destination) return undefined;
    await context.audit(
      transaction,
      'notice_way.create',
      targetOf(destination),
      undefined,
      auditedDestination(store, destination),
    );
    return viewOf(store, userId, destination);
  });
}

function columnsOf(
  { store }: NoticeDependencies,
  userId: number,
  { kind, name, language, events, is_enabled }: Omit<DestinationBody, 'config'>,
  config: DestinationConfig,
) {
  return {
    name,
    language,
    events: JSON.stringify(events),
    is_enabled: is_enabled ? (1 as const) : (0 as const),
    config: sealConfig(store, userId, kind, config),
  };
}

async function refuseTooMany(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  userId: number,
): Promise<void> {
  // Two concurrent creations would count the same rows.
  await takeLock(store, transaction, 'noticeDestinations', userId);
  const { count } = await transaction
    .selectFrom('notice_ways')
    .select((build) => build.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (count >= MOST_NOTICE_DESTINATIONS)
    throw new AppError('notice_ways_full', { most: MOST_NOTICE_DESTINATIONS });
}

export const targetOf = ({ id, userId }: StoredDestination) =>
  userId === OPERATORS ? (`notice_way:${id}` as const) : (`user:${userId}` as const);

/** Without the config: it holds secrets. */
const auditedDestination = (store: Store, destination: StoredDestination) => ({
  id: destination.id,
  kind: destination.kind,
  name: destination.name,
  language: destination.language,
  events: destination.events,
  is_enabled: destination.isEnabled,
  config_version: configVersion(store, openConfig(store, destination)),
});
