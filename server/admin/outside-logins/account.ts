// The account of an outside identity: found by the provider's id, created where registration is open. An email address never
// selects an account: the owner of a mailbox at another site would get the balance of the account here.
import { sql, type ExpressionBuilder } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { createAccount as insertAccount, inviterOf, type Person } from '#server/admin/sign-up.ts';
import { changeUsers } from '#server/admin/write-user.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import {
  COLUMNS,
  NAME_COLUMNS,
  nameOf,
  type OutsideIdentity,
  type OutsideLoginDependencies,
} from './dependencies.ts';
import { BOUND_NAME_CHARACTERS, plainName } from './names.ts';

const DISPLAY_NAME_CHARACTERS = 20;
/** A name of the form `github_42` may already be taken by a user who chose it. */
const NAME_TRIES = 20;

/** Telegram signs in only users who bound it before. */
const MAKES_ACCOUNTS = { github: true, linuxdo: true, oidc: true, wechat: true, telegram: false } as const;

export async function accountOf(
  dependencies: OutsideLoginDependencies,
  identity: OutsideIdentity,
  aff: string,
  context: RequestContext,
): Promise<Person> {
  const known = await findAccount(dependencies, identity);
  if (known) return known;
  if (!MAKES_ACCOUNTS[identity.provider])
    throw new AppError('outside_not_bound', {
      provider: nameOf(identity.provider, dependencies.settings.current),
    });
  if (!dependencies.settings.current.RegisterEnabled) throw new AppError('register_disabled');
  return await createAccount(dependencies, identity, aff, context);
}

/** Refuses a banned user. The identity of a deleted user is free again. */
async function findAccount(
  dependencies: OutsideLoginDependencies,
  identity: OutsideIdentity,
): Promise<Person | undefined> {
  const { provider, id } = identity;
  const row = await dependencies.store.db
    .selectFrom('users')
    .select(['id', 'username', 'status'])
    .where(COLUMNS[provider], '=', id)
    .where('kind', '=', 'person')
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row && row.status !== USER_STATUS.activated) throw new AppError('user_unavailable');
  return row && { id: row.id, username: row.username };
}

/** People change their names elsewhere. A provider that reports no name leaves the one that was stored. */
export async function renameBinding(
  { store }: OutsideLoginDependencies,
  { provider, id, knownAs }: OutsideIdentity,
): Promise<void> {
  const name = plainName(knownAs, BOUND_NAME_CHARACTERS);
  if (name === '') return;
  const isOther = (builder: ExpressionBuilder<Schema, 'users'>) =>
    builder(COLUMNS[provider], '=', id).and(NAME_COLUMNS[provider], '<>', name).and('deleted_at', 'is', null);
  await changeUsers(store.db, isOther, { [NAME_COLUMNS[provider]]: name });
}

async function createAccount(
  dependencies: OutsideLoginDependencies,
  identity: OutsideIdentity,
  aff: string,
  context: RequestContext,
): Promise<Person> {
  const { store, signUps } = dependencies;
  const column = COLUMNS[identity.provider];
  const inviter = await inviterOf(store, aff);
  const email = await freeEmail(dependencies, identity.email);
  const newest = await store.db
    .selectFrom('users')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const first = (newest?.id ?? 0) + 1;
  for (let number = first; number < first + NAME_TRIES; number += 1) {
    const username = `${identity.provider}_${number}`;
    try {
      const id = await store.db.transaction().execute(async (transaction) => {
        const { provider, name, knownAs } = identity;
        const columns = {
          username,
          display_name: plainName(name, DISPLAY_NAME_CHARACTERS) || username,
          email,
          [column]: identity.id,
          [NAME_COLUMNS[provider]]: plainName(knownAs, BOUND_NAME_CHARACTERS),
        };
        const made = await insertAccount(signUps, transaction, columns, inviter);
        const audited = { username, provider };
        await context.audit(transaction, 'user.register', `user:${made}`, undefined, audited);
        return made;
      });
      return { id, username };
    } catch (error) {
      // The same person in two tabs: the other tab created the account first.
      const isTaken = isUniqueViolation(error, column);
      const other = isTaken ? await findAccount(dependencies, identity) : undefined;
      if (other) return other;
      if (isTaken || !isUniqueViolation(error, 'username')) throw error;
    }
  }
  throw new AppError('server_busy');
}

/** The verified address when this site accepts it and no account has it; else empty: it can be bound by code later. */
async function freeEmail({ store, signUps }: OutsideLoginDependencies, email: string): Promise<string> {
  if (email === '') return '';
  try {
    const usable = signUps.usableEmail(email);
    const taken = await store.db
      .selectFrom('users')
      .select('id')
      .where(sql`lower(email)`, '=', sql`lower(${usable})`)
      .executeTakeFirst();
    return taken ? '' : usable;
  } catch (error) {
    if (error instanceof AppError) return '';
    throw error;
  }
}
