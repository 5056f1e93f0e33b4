// Passkeys: add, rename, remove, sign in without a name, step up. The counter is updated only if it still has the value it
// was checked against, so that one assertion cannot be used twice. The last way to sign in cannot be removed.
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { PASSKEYS_MAX, type PasskeyView, type security } from '#contract/admin/security.ts';
import type { SessionUser, signIn } from '#contract/admin/session.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { SecurityDependencies } from './dependencies.ts';
import { createCeremonies, type Assertion, type Ceremony } from './passkey-ceremony.ts';

const VIEW = ['id', 'name', 'created_at', 'last_used_at'] as const;

interface Parts extends SecurityDependencies {
  readonly ceremonies: ReturnType<typeof createCeremonies>;
}

export function passkeyHandlers(dependencies: SecurityDependencies) {
  const { store, enterFully } = dependencies;
  const ceremonies = createCeremonies(dependencies);
  const parts = { ...dependencies, ceremonies };

  return {
    list: (userId: number): Promise<PasskeyView[]> =>
      store.db.selectFrom('passkeys').select(VIEW).where('user_id', '=', userId).orderBy('id').execute(),
    handlers: {
      passkeyRegisterBegin: (_: unknown, context: RequestContext) => beginRegistration(parts, context),
      passkeyRegisterFinish: (input: Input<typeof security.passkeyRegisterFinish>, context: RequestContext) =>
        finishRegistration(parts, input, context),
      passkeyRename: (input: Input<typeof security.passkeyRename>, context: RequestContext) =>
        renameKey(store, input, context),
      passkeyRemove: (input: Input<typeof security.passkeyRemove>, context: RequestContext) =>
        removeKey(dependencies, input, context),
    },
    /** Step-up of the caller; throws when the key belongs to another user. */
    confirmBegin: async (_: unknown, context: RequestContext) =>
      ceremonies.beginAssertion('passkey_confirm', context, await keysOf(store, callerOf(context).id)),
    async confirm(credential: Assertion, context: RequestContext): Promise<void> {
      if ((await spend(parts, 'passkey_confirm', credential, context)) !== callerOf(context).id)
        throw new AppError('passkey_refused');
    },
    signIn: {
      passkeyLoginBegin: (_: unknown, context: RequestContext) =>
        ceremonies.beginAssertion('passkey_login', context),
      async passkeyLoginFinish(
        { body }: Input<typeof signIn.passkeyLoginFinish>,
        context: RequestContext,
      ): Promise<SessionUser> {
        const userId = await spend(parts, 'passkey_login', body.credential, context);
        return await enterFully(userId, context, 'passkey');
      },
    },
  };
}

async function keysOf({ db }: Store, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('passkeys')
    .select('credential_id')
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ credential_id }) => credential_id);
}

/** Checks an assertion and stores the key's new counter; the id of its user. */
async function spend(
  { store: { db }, ceremonies }: Parts,
  ceremony: Ceremony,
  credential: Assertion,
  context: RequestContext,
): Promise<number> {
  const challenge = await ceremonies.takeChallenge(ceremony, context);
  const key = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credential.id)
    .executeTakeFirst();
  if (!key) throw new AppError('passkey_refused');
  const { userHandle } = credential.response;
  if (userHandle && userHandle !== ceremonies.handleOf(key.user_id)) throw new AppError('passkey_refused');
  try {
    const counter = await ceremonies.verifyAssertion(challenge, credential, key, context);
    const counted = await db
      .updateTable('passkeys')
      .set({ counter, last_used_at: unixSeconds() })
      .where('id', '=', key.id)
      .where('counter', '=', key.counter)
      .returning('id')
      .executeTakeFirst();
    if (!counted) throw new AppError('passkey_refused');
  } catch (error) {
    await context.auditEvent('passkey.refused', `user:${key.user_id}`, { passkey: key.id });
    throw error;
  }
  return key.user_id;
}

async function beginRegistration({ store, ceremonies }: Parts, context: RequestContext) {
  const { id } = callerOf(context);
  const user = await store.db
    .selectFrom('users')
    .select(['id', 'username', 'display_name'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const known = await keysOf(store, id);
  if (known.length >= PASSKEYS_MAX) throw new AppError('passkey_limit_reached', { limit: PASSKEYS_MAX });
  return await ceremonies.beginRegistration(user, known, context);
}

async function finishRegistration(
  { store, ownerLetters, ceremonies }: Parts,
  { body }: Input<typeof security.passkeyRegisterFinish>,
  context: RequestContext,
): Promise<PasskeyView> {
  const { id } = callerOf(context);
  const key = await ceremonies.finishRegistration(body.credential, context);
  const known = await keysOf(store, id);
  if (known.length >= PASSKEYS_MAX) throw new AppError('passkey_limit_reached', { limit: PASSKEYS_MAX });
  try {
    const name = body.name ?? `Passkey ${known.length + 1}`;
    const made = await store.db.transaction().execute(async (transaction) => {
      await ownerLetters.put(transaction, id, 'passkey_added', context.address);
      const row = await transaction
        .insertInto('passkeys')
        .values({ ...key, user_id: id, name, created_at: unixSeconds() })
        .returning(VIEW)
        .executeTakeFirstOrThrow();
      await context.audit(transaction, 'passkey.add', `user:${id}`, undefined, { passkey: row.id, name });
      return row;
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    return made;
  } catch (error) {
    if (isUniqueViolation(error, 'credential_id')) throw new AppError('passkey_refused');
    throw error;
  }
}

async function renameKey(
  { db }: Store,
  { params, body }: Input<typeof security.passkeyRename>,
  context: RequestContext,
): Promise<PasskeyView> {
  const { id } = callerOf(context);
  return await db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('passkeys')
      .set({ name: body.name })
      .where('id', '=', params.id)
      .where('user_id', '=', id)
      .returning(VIEW)
      .executeTakeFirst();
    if (!row) throw new AppError('not_found');
    const after = { passkey: row.id, name: row.name };
    await context.audit(transaction, 'passkey.rename', `user:${id}`, undefined, after);
    return row;
  });
}

async function removeKey(
  { store, ownerLetters, waysIn }: SecurityDependencies,
  { params }: Input<typeof security.passkeyRemove>,
  context: RequestContext,
) {
  const { id } = callerOf(context);
  await store.db.transaction().execute(async (transaction) => {
    const user = await waysIn.lock(transaction, id);
    const removed = await transaction
      .deleteFrom('passkeys')
      .where('id', '=', params.id)
      .where('user_id', '=', id)
      .returning(['id', 'name'])
      .executeTakeFirst();
    if (!removed) throw new AppError('not_found');
    if (!(await waysIn.hasOther(transaction, user, { passkeyId: removed.id })))
      throw new AppError('passkey_last_way');
    await ownerLetters.put(transaction, id, 'passkey_removed', context.address);
    const before = { passkey: removed.id, name: removed.name };
    await context.audit(transaction, 'passkey.remove', `user:${id}`, before);
  });
  ownerLetters.wake();
  await store.changes.announce('users', String(id));
  return null;
}
