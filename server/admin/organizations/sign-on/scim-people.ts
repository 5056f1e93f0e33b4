// What SCIM does with people. It changes the row by which the organization knows an account and the membership, never the account
// itself: that one may have been here before, and belongs to the person.
import { ROLE } from '#contract/access.ts';
import { unixSeconds } from '#contract/time.ts';
import {
  DirectoryRefusal,
  type PersonFields,
  type ScimActor,
  type ScimDirectory,
} from '#server/admin/scim-directory.ts';
import { lockOrganization, memberOf } from '#server/admin/organizations/acting.ts';
import { announceEnd, endMembership } from '#server/admin/organizations/end-membership.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { sql, type Transaction } from 'kysely';
import { accountOf, withFreeName } from './account.ts';
import { domainOf, isVerifiedDomain, requireActive } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { becomeMember } from './mapping.ts';

type Parts = Pick<SignOnDependencies, 'store' | 'keys'>;
type Person = Row<'sign_on_people'>;
type People = Pick<ScimDirectory, 'createPerson' | 'changePerson' | 'removePerson'>;

export function scimPeople(parts: Parts): People {
  const { store } = parts;

  async function announce(organizationId: number, userId: number): Promise<void> {
    await announceEnd(parts, organizationId, userId);
  }

  return {
    async createPerson(actor, wanted) {
      const { organizationId } = actor;
      const person = await withFreeName(() =>
        store.db.transaction().execute(async (transaction) => {
          await begin(parts, transaction, organizationId);
          await requireFree(transaction, organizationId, wanted);
          const made = await insertPerson(transaction, organizationId, wanted);
          if (wanted.active) await becomeMember(transaction, made, 'scim');
          await actor.audit(transaction, 'scim.create_user', target(actor), undefined, audited(made));
          return made;
        }),
      );
      await announce(organizationId, person.user_id);
      return person.id;
    },
    async changePerson(actor, id, wanted, version) {
      const { organizationId } = actor;
      const person = await store.db.transaction().execute(async (transaction) => {
        await begin(parts, transaction, organizationId);
        const row = await personRow(transaction, organizationId, id, version);
        if (isSame(row, wanted)) return row;
        await requireFree(transaction, organizationId, wanted, id);
        if (wanted.email !== row.email || (wanted.active && row.active === 0))
          await requireDomain(transaction, organizationId, wanted.email);
        const changed = await updatePerson(transaction, row, wanted);
        const ended = await follow(parts, transaction, row, changed);
        await actor.audit(transaction, actionOf(row, changed), target(actor), audited(row), {
          ...audited(changed),
          ...(ended === undefined ? {} : { tokens: ended }),
        });
        return changed;
      });
      await announce(organizationId, person.user_id);
    },
    async removePerson(actor, id, version) {
      const { organizationId } = actor;
      const person = await store.db.transaction().execute(async (transaction) => {
        await begin(parts, transaction, organizationId);
        const row = await personRow(transaction, organizationId, id, version);
        const tokens = await leave(parts, transaction, row);
        await transaction.deleteFrom('sign_on_group_people').where('person_id', '=', id).execute();
        await transaction.deleteFrom('sign_on_people').where('id', '=', id).execute();
        await actor.audit(transaction, 'scim.delete_user', target(actor), audited(row), { tokens });
        return row;
      });
      await announce(organizationId, person.user_id);
    },
  };
}

export const target = ({ organizationId }: ScimActor) => `organization:${organizationId}` as const;

const audited = ({ id, user_id, user_name, email, active }: Person) => ({
  id,
  user_id,
  user_name,
  email,
  active: active === 1,
});

const actionOf = (before: Person, after: Person) =>
  before.active === after.active
    ? ('scim.change_user' as const)
    : after.active === 1
      ? ('scim.activate_user' as const)
      : ('scim.deactivate_user' as const);

/** The first step of each verb. */
export async function begin({ store }: Pick<Parts, 'store'>, transaction: Transaction<Schema>, id: number) {
  await lockOrganization(store, transaction, id);
  await requireActive(transaction, id);
}

export function requireVersion(row: { version: number }, version: number | undefined): void {
  if (version !== undefined && row.version !== version)
    throw new DirectoryRefusal('version', 'The resource was changed meanwhile: read it again.');
}

/** Of somebody who has no role on the site: nothing here reaches its administrators. */
async function personRow(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
  version: number | undefined,
): Promise<Person> {
  const row = await transaction
    .selectFrom('sign_on_people')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new DirectoryRefusal('not_found', 'There is no such user.');
  requireVersion(row, version);
  const account = await transaction
    .selectFrom('users')
    .select('role')
    .where('id', '=', row.user_id)
    .executeTakeFirst();
  if ((account?.role ?? ROLE.user) > ROLE.user)
    throw new DirectoryRefusal('forbidden', 'This user administers the site and is not managed by SCIM.');
  return row;
}

async function requireDomain(
  transaction: Transaction<Schema>,
  organizationId: number,
  email: string,
): Promise<void> {
  if (await isVerifiedDomain(transaction, organizationId, domainOf(email))) return;
  throw new DirectoryRefusal(
    'invalid',
    `emails: ${email} is not in a mail domain that this organization has verified.`,
  );
}

async function requireFree(
  transaction: Transaction<Schema>,
  organizationId: number,
  { userName, email }: PersonFields,
  exceptId = 0,
): Promise<void> {
  const other = await transaction
    .selectFrom('sign_on_people')
    .select('email')
    .where('organization_id', '=', organizationId)
    .where('id', '<>', exceptId)
    .where((builder) =>
      builder.or([builder(sql`lower(user_name)`, '=', userName.toLowerCase()), builder('email', '=', email)]),
    )
    .executeTakeFirst();
  if (other === undefined) return;
  const what = other.email === email ? 'address' : 'userName';
  throw new DirectoryRefusal('uniqueness', `Another user of this organization has this ${what}.`);
}

async function insertPerson(
  transaction: Transaction<Schema>,
  organizationId: number,
  wanted: PersonFields,
): Promise<Person> {
  await requireDomain(transaction, organizationId, wanted.email);
  const account = await accountOf(transaction, organizationId, wanted);
  const taken = await transaction
    .selectFrom('sign_on_people')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', account.id)
    .executeTakeFirst();
  if (taken !== undefined)
    throw new DirectoryRefusal(
      'uniqueness',
      'Another user of this organization has the account of this address.',
    );
  const now = unixSeconds();
  return await transaction
    .insertInto('sign_on_people')
    .values({
      organization_id: organizationId,
      user_id: account.id,
      ...columnsOf(wanted),
      by_scim: 1,
      created_at: now,
      changed_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

const columnsOf = ({ userName, externalId, email, active, attributes }: PersonFields) => ({
  user_name: userName,
  external_id: externalId,
  email,
  active: active ? (1 as const) : (0 as const),
  attributes,
});

function isSame(row: Person, wanted: PersonFields): boolean {
  return Object.entries(columnsOf(wanted)).every(([name, value]) => row[name as keyof Person] === value);
}

const updatePerson = (transaction: Transaction<Schema>, { id }: Person, wanted: PersonFields) =>
  transaction
    .updateTable('sign_on_people')
    .set(columnsOf(wanted))
    .set((builder) => ({ changed_at: unixSeconds(), by_scim: 1, version: builder('version', '+', 1) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The membership follows `active`; how many keys were disabled. */
async function follow(
  parts: Parts,
  transaction: Transaction<Schema>,
  before: Person,
  after: Person,
): Promise<number | undefined> {
  if (before.active === 1 && after.active === 0) return await leave(parts, transaction, after);
  if (before.active === 0 && after.active === 1) await becomeMember(transaction, after, 'scim');
  return undefined;
}

/** Refuses the last owner. */
async function leave(parts: Parts, transaction: Transaction<Schema>, person: Person): Promise<number> {
  const member = await memberOf(transaction, person.organization_id, person.user_id);
  if (member === undefined) return 0;
  return await endMembership(parts, transaction, member, { action: 'disable' });
}
