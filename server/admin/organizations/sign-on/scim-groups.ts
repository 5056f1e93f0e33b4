// What SCIM does with groups. It names and fills them; what they give is said in the console, so that no provider makes an admin of
// somebody by a name.
import { SIGN_ON_GROUPS_MAX } from '#contract/admin/sign-on.ts';
import { unixSeconds } from '#contract/time.ts';
import { DirectoryRefusal, type GroupFields, type ScimDirectory } from '#server/admin/scim-directory.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import type { SignOnDependencies } from './dependencies.ts';
import { dropGroup, insertGroup, isGroupName } from './groups.ts';
import { applyGroups } from './mapping.ts';
import { begin, requireVersion, target } from './scim-people.ts';

type Parts = Pick<SignOnDependencies, 'store' | 'keys'>;
type Groups = Pick<ScimDirectory, 'createGroup' | 'changeGroup' | 'removeGroup'>;

/** People who enter or leave a group in one call. */
const MOST_CHANGES = 1000;

export function scimGroups(parts: Parts): Groups {
  const { store } = parts;

  async function announce(organizationId: number): Promise<void> {
    await store.changes.announce('organizations', String(organizationId));
    await store.changes.announce('tokens');
  }

  return {
    async createGroup(actor, wanted) {
      const { organizationId } = actor;
      const id = await store.db.transaction().execute(async (transaction) => {
        await begin(parts, transaction, organizationId);
        const { total } = await requireName(transaction, organizationId, wanted.name);
        if (total >= SIGN_ON_GROUPS_MAX)
          throw new DirectoryRefusal(
            'invalid',
            `The organization has ${SIGN_ON_GROUPS_MAX} groups, the maximum.`,
          );
        const { name, externalId: external_id } = wanted;
        const row = await insertGroup(transaction, organizationId, { name, external_id, by_scim: 1 });
        const changes = await fill(parts, transaction, row, wanted.members ?? []);
        await actor.audit(transaction, 'scim.create_group', target(actor), undefined, {
          id: row.id,
          name,
          ...changes,
        });
        return row.id;
      });
      await announce(organizationId);
      return id;
    },
    async changeGroup(actor, id, wanted, version) {
      const { organizationId } = actor;
      await store.db.transaction().execute(async (transaction) => {
        await begin(parts, transaction, organizationId);
        const row = await groupOf(transaction, organizationId, id, version);
        const { name, externalId: external_id, members } = wanted;
        if (name.toLowerCase() !== row.name.toLowerCase())
          await requireName(transaction, organizationId, name);
        const changes = members === undefined ? undefined : await fill(parts, transaction, row, members);
        const isSame =
          name === row.name &&
          external_id === row.external_id &&
          (changes === undefined || (changes.added.length === 0 && changes.removed.length === 0));
        if (isSame) return;
        await transaction
          .updateTable('sign_on_groups')
          .set({ name, external_id, by_scim: 1 })
          .set((builder) => ({ changed_at: unixSeconds(), version: builder('version', '+', 1) }))
          .where('id', '=', id)
          .execute();
        const before = { id, name: row.name };
        await actor.audit(transaction, 'scim.change_group', target(actor), before, { id, name, ...changes });
      });
      await announce(organizationId);
    },
    async removeGroup(actor, id, version) {
      const { organizationId } = actor;
      await store.db.transaction().execute(async (transaction) => {
        await begin(parts, transaction, organizationId);
        const row = await groupOf(transaction, organizationId, id, version);
        await dropGroup(parts.keys, transaction, row);
        const { name, role } = row;
        await actor.audit(transaction, 'scim.delete_group', target(actor), { id, name, role });
      });
      await announce(organizationId);
    },
  };
}

async function groupOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
  version: number | undefined,
): Promise<Row<'sign_on_groups'>> {
  const row = await transaction
    .selectFrom('sign_on_groups')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new DirectoryRefusal('not_found', 'There is no such group.');
  requireVersion(row, version);
  return row;
}

async function requireName(transaction: Transaction<Schema>, organizationId: number, name: string) {
  const names = await isGroupName(transaction, organizationId, name);
  if (names.same > 0)
    throw new DirectoryRefusal('uniqueness', 'Another group of this organization has this displayName.');
  return names;
}

/** Makes the list of a group be this one; roles and projects of those who enter or leave follow at once. */
async function fill(
  { keys }: Parts,
  transaction: Transaction<Schema>,
  { id, organization_id }: Pick<Row<'sign_on_groups'>, 'id' | 'organization_id'>,
  members: NonNullable<GroupFields['members']>,
): Promise<{ added: number[]; removed: number[] }> {
  const now = await transaction
    .selectFrom('sign_on_group_people')
    .select('person_id')
    .where('group_id', '=', id)
    .execute();
  const present = new Set(now.map(({ person_id }) => person_id));
  const wanted = new Set(members);
  const added = [...wanted].filter((each) => !present.has(each));
  const removed = [...present].filter((each) => !wanted.has(each));
  const changed = [...added, ...removed];
  if (changed.length > MOST_CHANGES)
    throw new DirectoryRefusal('too_many', `At most ${MOST_CHANGES} members enter or leave in one call.`);
  if (changed.length === 0) return { added, removed };
  const people = await transaction
    .selectFrom('sign_on_people')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('id', 'in', changed)
    .execute();
  const known = new Set(people.map((person) => person.id));
  const unknown = added.find((each) => !known.has(each));
  if (unknown !== undefined)
    throw new DirectoryRefusal('invalid', `members: there is no user ${unknown} in this organization.`);
  if (added.length > 0)
    await transaction
      .insertInto('sign_on_group_people')
      .values(added.map((person_id) => ({ group_id: id, person_id })))
      .execute();
  if (removed.length > 0)
    await transaction
      .deleteFrom('sign_on_group_people')
      .where('group_id', '=', id)
      .where('person_id', 'in', removed)
      .execute();
  // A user's own resource lists the groups.
  await transaction
    .updateTable('sign_on_people')
    .set((builder) => ({ changed_at: unixSeconds(), version: builder('version', '+', 1) }))
    .where('id', 'in', changed)
    .execute();
  for (const person of people) await applyGroups(keys, transaction, person);
  return { added, removed };
}
