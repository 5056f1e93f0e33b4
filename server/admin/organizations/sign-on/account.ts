// The account of a person whom an organization's provider knows. One with the same address is used only where the organization has
// proven the domain; an account with a role on the site never is. A new account gets no starting quota: an organization can make
// any number of them.
import { randomBytes } from 'node:crypto';
import { ROLE } from '#contract/access.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { AppError } from '#contract/errors.ts';
import { isNameTaken } from '#server/admin/sign-up.ts';
import { insertUser } from '#server/admin/write-user.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import { domainOf, isVerifiedDomain } from './allowed.ts';

const NAME_CHARACTERS = 20;
const TRIES = 4;

export interface Account {
  id: number;
  username: string;
  isNew: boolean;
}

/** Of this address, in a verified domain; made if there is none. */
export async function accountOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  { email, name }: { email: string; name: string },
): Promise<Account> {
  const domain = domainOf(email);
  if (!(await isVerifiedDomain(transaction, organizationId, domain)))
    throw new AppError('sign_on_domain_foreign', { domain });
  const rows = await transaction
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status', 'deleted_at'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('kind', '=', 'person')
    .orderBy('id')
    .execute();
  const known = rows.find(({ deleted_at }) => deleted_at === null);
  if (known === undefined) return await make(transaction, { email, name, isAddressFree: rows.length === 0 });
  refuseProtected(known);
  return { id: known.id, username: known.username, isNew: false };
}

/** Neither signed in nor changed by an organization: who has a role on the site, and who is banned from it. */
function refuseProtected({ role, status }: { role: number; status: number }): void {
  if (role > ROLE.user) throw new AppError('sign_on_account_protected');
  if (status !== USER_STATUS.activated) throw new AppError('user_unavailable');
}

/** Undefined: the account is deleted. */
export async function requireOrdinary(
  db: Kysely<Schema>,
  userId: number,
): Promise<{ username: string } | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['username', 'role', 'status'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row !== undefined) refuseProtected(row);
  return row;
}

async function make(
  transaction: Transaction<Schema>,
  { email, name, isAddressFree }: { email: string; name: string; isAddressFree: boolean },
): Promise<Account> {
  const username = await freeName(transaction, email);
  const display_name = Array.from(name).slice(0, NAME_CHARACTERS).join('').trim() || username;
  // A deleted account keeps its address.
  const columns = { username, display_name, email: isAddressFree ? email : '' };
  return { id: await insertUser(transaction, columns), username, isNew: true };
}

async function freeName(transaction: Transaction<Schema>, email: string): Promise<string> {
  const local = email
    .slice(0, email.lastIndexOf('@'))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '')
    .slice(0, NAME_CHARACTERS);
  const plain = local === '' ? 'user' : local;
  if (!(await isNameTaken({ db: transaction }, plain))) return plain;
  return `${plain}-${randomBytes(4).toString('hex')}`;
}

/** Two people at once can be given one name: the unique index refuses one of them, which tries again. */
export async function withFreeName<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !isUniqueViolation(error, 'username')) throw error;
    }
}
