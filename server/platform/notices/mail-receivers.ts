// Where the mail of a notice goes: to the address of the user's account; of an organization to its owners and those who pay its
// bills; for the operators to the addresses they entered, or to
// those of the super admins.
import type { Kysely } from 'kysely';
import { ROLE } from '#contract/access.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { openConfig, type StoredDestination } from './stored-destinations.ts';

const ENABLED = 1;

export interface MailReceivers {
  recipients: string[];
  /** Of the user; empty for the operators. */
  username: string;
}

export async function mailReceivers(
  store: Store,
  db: Kysely<Schema>,
  userId: number,
  destination: StoredDestination,
): Promise<MailReceivers> {
  if (userId > 0) {
    const user = await livingUser(db, userId);
    if (user?.kind === 'organization')
      return { recipients: await organizationReceivers(db, userId), username: user.username };
    return { recipients: user?.email ? [user.email] : [], username: user?.username ?? '' };
  }
  const entered = addressesOf(openConfig(store, destination)['addresses'] ?? '');
  if (entered.length > 0) return { recipients: entered, username: '' };
  const roots = await db
    .selectFrom('users')
    .select('email')
    .where('role', '=', ROLE.root)
    .where('status', '=', ENABLED)
    .where('email', '<>', '')
    .where('deleted_at', 'is', null)
    .execute();
  return { recipients: roots.map(({ email }) => email), username: '' };
}

/** Owners and those who pay the bills, and the address that the organization gave for that. */
async function organizationReceivers(db: Kysely<Schema>, id: number): Promise<string[]> {
  const [members, organization] = [
    await db
      .selectFrom('organization_members')
      .innerJoin('users', 'users.id', 'organization_members.user_id')
      .select('users.email')
      .where('organization_members.organization_id', '=', id)
      .where('organization_members.left_at', '=', 0)
      .where('organization_members.role', 'in', ['owner', 'billing'])
      .where('users.status', '=', ENABLED)
      .where('users.email', '<>', '')
      .where('users.deleted_at', 'is', null)
      .orderBy('organization_members.id')
      .execute(),
    await db.selectFrom('organizations').select('billing_email').where('id', '=', id).executeTakeFirst(),
  ];
  const all = [...members.map(({ email }) => email), organization?.billing_email ?? ''];
  return [...new Set(all.map((email) => email.toLowerCase()))].filter(Boolean);
}

export function addressesOf(text: string): string[] {
  return text.split(/[\s,;，；]+/).filter(Boolean);
}

/** Undefined: the account was deleted. */
export async function livingUser(
  db: Kysely<Schema>,
  userId: number,
): Promise<Pick<Row<'users'>, 'username' | 'email' | 'kind'> | undefined> {
  return await db
    .selectFrom('users')
    .select(['username', 'email', 'kind'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
