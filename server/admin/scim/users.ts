// Users: accounts as the organization's provider knows them.
import type { PersonFields } from '#server/admin/scim-directory.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { tagOf, type Asked, type Kept } from './asked.ts';
import { matches, requiredText, type Json, type Resource } from './filter.ts';
import { isoTime, type Source } from './lists.ts';
import type { Operations } from './operations.ts';
import { invalidValue, ScimProblem } from './problem.ts';
import { ENTERPRISE_SCHEMA, USER, USER_SCHEMA } from './schema.ts';
import { needs, type Shown } from './shown.ts';

type Person = Row<'sign_on_people'>;
type Groups = ReadonlyMap<number, readonly { id: number; name: string }[]>;

const address = z.email().max(254);
/** Read into memory for a filter; organizations have no more members. */
const MOST_SCANNED = 10_000;
/** Columns that a filter on these attributes is looked up by. */
const LOOKED_UP = { id: 'id', userName: 'user_name', externalId: 'external_id' } as const;

const peopleOf = ({ store, actor }: Asked) =>
  store.db.selectFrom('sign_on_people').selectAll().where('organization_id', '=', actor.organizationId);

export const users: Operations = {
  definition: USER,
  what: 'user',
  joined: 'groups',
  source: userSource,
  read,
  create: ({ directory, actor }, resource) => directory.createPerson(actor, fieldsIn(resource, true)),
  change: async ({ directory, actor, method }, before, resource) => {
    const wanted = fieldsIn(resource, method === 'PUT' || before.resource['active'] === true);
    await directory.changePerson(actor, before.id, wanted, before.version);
  },
  remove: ({ directory, actor }, { id, version }) => directory.removePerson(actor, id, version),
};

/** `active` is what counts when the client leaves it out. */
function fieldsIn(resource: Resource, active: boolean): PersonFields {
  const { userName, externalId, active: given, schemas: _, ...attributes } = resource;
  if (typeof userName !== 'string' || userName.trim() === '') throw invalidValue('userName is required.');
  if (userName.length > 254) throw invalidValue('userName has at most 254 characters.');
  const text = JSON.stringify(attributes);
  if (text.length > 100_000) throw invalidValue('The attributes are too long.');
  return {
    userName: userName.trim(),
    externalId: typeof externalId === 'string' ? externalId : '',
    email: addressIn(resource, userName),
    name: nameOf(resource),
    active: typeof given === 'boolean' ? given : active,
    attributes: text,
  };
}

/** The primary address, else the first, else a name that is one. */
function addressIn({ emails }: Resource, userName: string): string {
  const entries = (Array.isArray(emails) ? emails : []) as { value?: Json; primary?: Json }[];
  const chosen = entries.find(({ primary }) => primary === true) ?? entries[0] ?? { value: userName };
  const parsed = address.safeParse(typeof chosen.value === 'string' ? chosen.value.trim() : '');
  if (!parsed.success) throw invalidValue('emails: the primary value must be a mail address.');
  return parsed.data.toLowerCase();
}

function nameOf({ displayName, name }: Resource): string {
  if (typeof displayName === 'string') return displayName;
  const { formatted, givenName, familyName } = (name ?? {}) as Record<string, Json | undefined>;
  if (typeof formatted === 'string') return formatted;
  return [givenName, familyName].filter((part) => typeof part === 'string').join(' ');
}

async function read(asked: Asked, id: number, isWhole: boolean): Promise<Kept> {
  const person = await peopleOf(asked).where('id', '=', id).executeTakeFirst();
  if (person === undefined) throw new ScimProblem(404, 'There is no such user.');
  const groups = isWhole ? await groupsOf(asked.store.db, [id]) : new Map<number, never>();
  return { id, version: person.version, resource: resourceOf(asked.root, person, groups) };
}

function resourceOf(root: string, person: Person, groups: Groups): Resource {
  const attributes = (person.attributes === '' ? {} : JSON.parse(person.attributes)) as Resource;
  const theirs = groups.get(person.id) ?? [];
  return {
    schemas: [USER_SCHEMA, ...(attributes[ENTERPRISE_SCHEMA] === undefined ? [] : [ENTERPRISE_SCHEMA])],
    id: String(person.id),
    ...(person.external_id === '' ? {} : { externalId: person.external_id }),
    userName: person.user_name,
    active: person.active === 1,
    // Of somebody who came by signing in.
    ...(attributes['emails'] === undefined
      ? { emails: [{ value: person.email, type: 'work', primary: true }] }
      : {}),
    ...attributes,
    ...(theirs.length === 0
      ? {}
      : {
          groups: theirs.map(({ id, name }) => ({
            value: String(id),
            $ref: `${root}/Groups/${id}`,
            display: name,
            type: 'direct',
          })),
        }),
    meta: {
      resourceType: 'User',
      created: isoTime(person.created_at),
      lastModified: isoTime(person.changed_at),
      location: `${root}/Users/${person.id}`,
      version: tagOf(person.version),
    },
  };
}

async function groupsOf(db: Kysely<Schema>, ids: readonly number[]): Promise<Groups> {
  const found = new Map<number, { id: number; name: string }[]>();
  for (let start = 0; start < ids.length; start += 500) {
    const rows = await db
      .selectFrom('sign_on_group_people')
      .innerJoin('sign_on_groups', 'sign_on_groups.id', 'sign_on_group_people.group_id')
      .select(['sign_on_group_people.person_id', 'sign_on_groups.id', 'sign_on_groups.name'])
      .where('sign_on_group_people.person_id', 'in', ids.slice(start, start + 500))
      .orderBy('sign_on_groups.id')
      .execute();
    for (const { person_id, ...group } of rows) {
      const known = found.get(person_id);
      if (known === undefined) found.set(person_id, [group]);
      else known.push(group);
    }
  }
  return found;
}

export function userSource(asked: Asked, shown: Shown): Source {
  const { db } = asked.store;
  const toKept = async (people: readonly Person[], isWhole: boolean) => {
    const ids = people.map(({ id }) => id);
    const groups = isWhole || needs(shown, 'groups') ? await groupsOf(db, ids) : new Map<number, never>();
    return people.map((person) => ({
      id: person.id,
      version: person.version,
      resource: resourceOf(asked.root, person, groups),
    }));
  };
  return {
    page: async (offset, limit) => {
      const { total } = await peopleOf(asked)
        .clearSelect()
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const people =
        limit === 0 ? [] : await peopleOf(asked).orderBy('id').offset(offset).limit(limit).execute();
      return { total, kept: await toKept(people, false) };
    },
    matching: async (filter) => {
      let query = peopleOf(asked);
      for (const [name, column] of Object.entries(LOOKED_UP)) {
        const text = requiredText(filter, name);
        if (text === undefined) continue;
        if (column === 'user_name') query = query.where(sql`lower(user_name)`, '=', text.toLowerCase());
        else if (column === 'id') query = query.where('id', '=', /^\d{1,15}$/.test(text) ? Number(text) : 0);
        else query = query.where(column, '=', text);
      }
      const people = await query.orderBy('id').limit(MOST_SCANNED).execute();
      const kept = await toKept(people, true);
      return kept.filter(({ resource }) => matches(USER, resource, filter));
    },
  };
}
