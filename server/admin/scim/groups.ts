// Groups: the console says which role and which projects each gives.
import { SIGN_ON_GROUP_NAME_MAX } from '#contract/admin/sign-on.ts';
import type { GroupFields } from '#server/admin/scim-directory.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely } from 'kysely';
import { tagOf, type Asked, type Kept } from './asked.ts';
import { matches, requiredText, type Resource } from './filter.ts';
import { isoTime, type Source } from './lists.ts';
import type { Operations } from './operations.ts';
import { invalidValue, ScimProblem } from './problem.ts';
import { GROUP, GROUP_SCHEMA } from './schema.ts';
import { needs, type Shown } from './shown.ts';

type Group = Row<'sign_on_groups'>;
type Members = ReadonlyMap<number, readonly number[]>;

const groupsOf = ({ store, actor }: Asked) =>
  store.db.selectFrom('sign_on_groups').selectAll().where('organization_id', '=', actor.organizationId);

export const groups: Operations = {
  definition: GROUP,
  what: 'group',
  joined: 'members',
  source: groupSource,
  read,
  create: ({ directory, actor }, resource) => directory.createGroup(actor, fieldsIn(resource)),
  change: ({ directory, actor }, { id, version }, resource) =>
    directory.changeGroup(actor, id, fieldsIn(resource), version),
  remove: ({ directory, actor }, { id, version }) => directory.removeGroup(actor, id, version),
};

function fieldsIn({ displayName, externalId, members }: Resource): GroupFields {
  if (typeof displayName !== 'string' || displayName.trim() === '')
    throw invalidValue('displayName is required.');
  if (displayName.length > SIGN_ON_GROUP_NAME_MAX)
    throw invalidValue(`displayName has at most ${SIGN_ON_GROUP_NAME_MAX} characters.`);
  return {
    name: displayName.trim(),
    externalId: typeof externalId === 'string' ? externalId : '',
    members: (Array.isArray(members) ? members : []).map(memberIn),
  };
}

function memberIn(entry: unknown): number {
  const { value, $ref } = entry as { value?: unknown; $ref?: unknown };
  const text =
    typeof value === 'string' ? value : typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : '';
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidValue('members: each value is the id of a user of this organization.');
}

async function read(asked: Asked, id: number, isWhole: boolean): Promise<Kept> {
  const group = await groupsOf(asked).where('id', '=', id).executeTakeFirst();
  if (group === undefined) throw new ScimProblem(404, 'There is no such group.');
  const members = isWhole ? await membersOf(asked.store.db, [id]) : new Map<number, never>();
  return { id, version: group.version, resource: resourceOf(asked.root, group, members) };
}

async function membersOf(db: Kysely<Schema>, ids: readonly number[]): Promise<Members> {
  const found = new Map<number, number[]>();
  if (ids.length === 0) return found;
  const rows = await db
    .selectFrom('sign_on_group_people')
    .select(['group_id', 'person_id'])
    .where('group_id', 'in', [...ids])
    .orderBy('person_id')
    .execute();
  for (const { group_id, person_id } of rows) {
    const known = found.get(group_id);
    if (known === undefined) found.set(group_id, [person_id]);
    else known.push(person_id);
  }
  return found;
}

function resourceOf(root: string, group: Group, members: Members): Resource {
  const theirs = members.get(group.id) ?? [];
  return {
    schemas: [GROUP_SCHEMA],
    id: String(group.id),
    ...(group.external_id === '' ? {} : { externalId: group.external_id }),
    displayName: group.name,
    ...(theirs.length === 0
      ? {}
      : {
          members: theirs.map((id) => ({
            value: String(id),
            $ref: `${root}/Users/${id}`,
            type: 'User',
          })),
        }),
    meta: {
      resourceType: 'Group',
      created: isoTime(group.created_at),
      lastModified: isoTime(group.changed_at),
      location: `${root}/Groups/${group.id}`,
      version: tagOf(group.version),
    },
  };
}

export function groupSource(asked: Asked, shown: Shown): Source {
  const { db } = asked.store;
  const toKept = async (rows: readonly Group[], isWhole: boolean) => {
    const ids = rows.map(({ id }) => id);
    const members = isWhole || needs(shown, 'members') ? await membersOf(db, ids) : new Map<number, never>();
    return rows.map((group) => ({
      id: group.id,
      version: group.version,
      resource: resourceOf(asked.root, group, members),
    }));
  };
  return {
    page: async (offset, limit) => {
      const { total } = await groupsOf(asked)
        .clearSelect()
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows =
        limit === 0 ? [] : await groupsOf(asked).orderBy('id').offset(offset).limit(limit).execute();
      return { total, kept: await toKept(rows, false) };
    },
    matching: async (filter) => {
      const name = requiredText(filter, 'displayName');
      const rows = await groupsOf(asked)
        .$if(name !== undefined, (query) => query.where(sql`lower(name)`, '=', (name ?? '').toLowerCase()))
        .orderBy('id')
        .execute();
      const kept = await toKept(rows, true);
      return kept.filter(({ resource }) => matches(GROUP, resource, filter));
    },
  };
}
