// What groups give to whom: their own people of their own organization, the highest role, only projects that all of them name, and
// which keys stop. Beside each person is one in another group, and the same account in another organization.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Transaction } from 'kysely';
import type { OrganizationDependencies } from '#server/admin/organizations/dependencies.ts';
import { createScimDirectory } from '#server/admin/organizations/sign-on/index.ts';
import { applyGroups, givenBy, readGiven } from '#server/admin/organizations/sign-on/mapping.ts';
import type { PersonFields, ScimActor } from '#server/admin/scim-directory.ts';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const [acme, other, owner, ann, bob, cleo] = [51, 52, 61, 62, 63, 64];
type Group = Parameters<typeof givenBy>[0][number];

describe('groups together', () => {
  const group = (role: Group['role'], project_ids = ''): Group => ({ role, project_ids });
  test.each<[string, Group[], ReturnType<typeof givenBy>]>([
    ['none: the usual role', [], { role: 'billing', projectIds: [] }],
    ['one that means nothing yet', [group('')], { role: 'billing', projectIds: [] }],
    [
      'the highest role',
      [group('viewer'), group('admin'), group('member')],
      { role: 'admin', projectIds: [] },
    ],
    ['billing before member', [group('member'), group('billing')], { role: 'billing', projectIds: [] }],
    ['member before viewer', [group('viewer'), group('member')], { role: 'member', projectIds: [] }],
    ['projects without a role', [group('', '9')], { role: 'billing', projectIds: [9] }],
    [
      'the projects of all, in order',
      [group('viewer', '30,4'), group('', '4,12')],
      { role: 'viewer', projectIds: [4, 12, 30] },
    ],
    ['all projects by one', [group('viewer', '4'), group('member')], { role: 'member', projectIds: [] }],
    [
      'one that means nothing lifts no limit',
      [group('viewer', '4'), group('')],
      { role: 'viewer', projectIds: [4] },
    ],
  ])('%s', (_, groups, given) => {
    expect(givenBy(groups, 'billing')).toEqual(given);
  });
});

forEachDatabase((_label, open) =>
  describe('a directory', () => {
    let store: Store;
    let done: unknown[][];
    let audited: unknown[][];
    let announced: string[];
    let people: Record<'ann' | 'bob' | 'annElsewhere', Row<'sign_on_people'>>;
    let keys: OrganizationDependencies['keys'];

    beforeEach(async () => {
      store = await open();
      [done, audited, announced] = [[], [], []];
      const noted =
        (name: string, result: number) =>
        async (_: unknown, ...rest: unknown[]) => {
          done.push([name, ...rest]);
          return result;
        };
      keys = {
        disableOfMember: noted('disableOfMember', 3),
        disableOutsideProjects: noted('disableOutsideProjects', 7),
        removeAdminKeys: noted('removeAdminKeys', 0),
      } as unknown as OrganizationDependencies['keys'];
      for (const id of [acme, other, owner, ann, bob, cleo])
        await store.db
          .insertInto('users')
          .values({
            id,
            username: `user ${id}`,
            aff_code: `code ${id}`,
            email: `${id}@x.example`,
            kind: id < 60 ? 'organization' : 'person',
          })
          .execute();
      for (const id of [acme, other]) {
        await store.db
          .insertInto('organizations')
          .values({ id, name: `org ${id}`, created_at: 1, created_by: owner, deleted_at: null })
          .execute();
        for (const user_id of [owner, ann, bob])
          await member(id, user_id, user_id === owner ? 'owner' : 'member');
        await store.db
          .insertInto('sign_on_domains')
          .values({
            organization_id: id,
            domain: 'x.example',
            proof: '',
            created_at: 1,
            verified_at: id === acme ? 5 : 0,
          })
          .execute();
      }
      people = {
        ann: await person(acme, ann),
        bob: await person(acme, bob),
        annElsewhere: await person(other, ann),
      };
    });
    afterEach(() => store.close());

    const member = (organization_id: number, user_id: number, role: 'owner' | 'member') =>
      store.db
        .insertInto('organization_members')
        .values({ organization_id, user_id, role, source: 'scim', joined_at: 1 })
        .execute();
    const person = (organization_id: number, user_id: number, more: Partial<NewRow<'sign_on_people'>> = {}) =>
      store.db
        .insertInto('sign_on_people')
        .values({
          organization_id,
          user_id,
          email: `${user_id}@x.example`,
          user_name: `u${user_id}`,
          created_at: 1,
          changed_at: 1,
          ...more,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    const group = async (
      organization_id: number,
      columns: Partial<NewRow<'sign_on_groups'>>,
      members: Row<'sign_on_people'>[] = [],
    ) => {
      const { id } = await store.db
        .insertInto('sign_on_groups')
        .values({ organization_id, name: 'group', created_at: 1, changed_at: 1, ...columns })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const { id: person_id } of members)
        await store.db.insertInto('sign_on_group_people').values({ group_id: id, person_id }).execute();
      return id;
    };
    const run = <Result>(work: (transaction: Transaction<Schema>) => Promise<Result>) =>
      store.db.transaction().execute(work);
    const given = (of: Row<'sign_on_people'>) => run((transaction) => readGiven(transaction, of));
    const apply = (of: Row<'sign_on_people'>) => run((transaction) => applyGroups(keys, transaction, of));
    /** Organization, person, role and projects of those who are there. */
    const members = async () => {
      const rows = await store.db
        .selectFrom('organization_members')
        .select(['organization_id', 'user_id', 'role', 'project_ids'])
        .where('left_at', '=', 0)
        .orderBy('organization_id')
        .orderBy('user_id')
        .execute();
      return rows.map(({ organization_id, user_id, role, project_ids }) =>
        [organization_id, user_id, role, project_ids].join(' '),
      );
    };
    const usual = [
      '51 61 owner ',
      '51 62 member ',
      '51 63 member ',
      '52 61 owner ',
      '52 62 member ',
      '52 63 member ',
    ];
    const but = (...changed: string[]) =>
      usual.map((row) => changed.find((each) => each.slice(0, 6) === row.slice(0, 6)) ?? row);

    test('gives what its own groups say, by list, claim or external id; what gives nothing leaves members as they are', async () => {
      await group(other, { name: 'Admins', role: 'admin' }, [people.annElsewhere]);
      await group(acme, { name: 'empty' }, [people.ann]);
      expect(await given(people.ann)).toBeUndefined();
      expect(await apply(people.ann)).toBeUndefined();
      await group(acme, { name: 'Lookers', role: 'viewer' }, [people.ann]);
      await group(acme, { name: 'Payers', role: 'billing', external_id: 'Ext-7' });
      await group(acme, { name: 'Builders', project_ids: '12' });
      expect(await given(people.ann)).toEqual({ role: 'viewer', projectIds: [] });
      // In no group: the usual role, which the provider of this organization says.
      expect(await given(people.bob)).toEqual({ role: 'member', projectIds: [] });
      const provider = { issuer: '', client_id: '', secret_sealed: '', created_at: 1, changed_at: 1 };
      for (const [organization_id, default_role] of [
        [acme, 'viewer'],
        [other, 'admin'],
      ] as const)
        await store.db
          .insertInto('sign_on_providers')
          .values({ ...provider, organization_id, default_role })
          .execute();
      expect(await given(people.bob)).toEqual({ role: 'viewer', projectIds: [] });
      const claims = (...names: string[]) => ({ ...people.bob, claimed_groups: JSON.stringify(names) });
      expect(await given(claims('ext-7'))).toEqual({ role: 'billing', projectIds: [] });
      expect(await given(claims('BUILDERS'))).toEqual({ role: 'viewer', projectIds: [12] });
      expect(await given(claims('Admins', ''))).toEqual({ role: 'viewer', projectIds: [] });
    });

    test('changes one membership, no owner and nobody who has left, and stops the keys that it takes away', async () => {
      await group(acme, { name: 'Lookers', role: 'viewer' }, [people.ann]);
      expect(await apply(people.ann)).toEqual({
        before: { user_id: ann, role: 'member', project_ids: '' },
        after: { user_id: ann, role: 'viewer', project_ids: '', tokens_disabled: 3 },
      });
      expect(await members()).toEqual(but('51 62 viewer '));
      expect(done).toEqual([['disableOfMember', acme, ann]]);
      expect(await apply(people.ann)).toBeUndefined();
      done = [];
      await group(acme, { name: 'Two projects', role: 'member', project_ids: '30,9' }, [people.bob]);
      expect((await apply(people.bob))?.after).toEqual({
        user_id: bob,
        role: 'member',
        project_ids: '9,30',
        tokens_disabled: 7,
      });
      expect(done).toEqual([['disableOutsideProjects', acme, bob, [9, 30]]]);
      done = [];
      await group(acme, { name: 'Bosses', role: 'admin' }, [people.bob, await person(acme, owner)]);
      expect((await apply(people.bob))?.after).toMatchObject({
        role: 'admin',
        project_ids: '',
        tokens_disabled: 0,
      });
      expect(done).toEqual([]);
      const founder = { id: 0, organization_id: acme, user_id: owner, claimed_groups: '["Lookers"]' };
      expect(await run((transaction) => applyGroups(keys, transaction, founder))).toBeUndefined();
      const absent = { ...founder, user_id: cleo };
      expect(await run((transaction) => applyGroups(keys, transaction, absent))).toBeUndefined();
      expect(await members()).toEqual(but('51 62 viewer ', '51 63 admin '));
    });

    describe('of SCIM', () => {
      const scim = () =>
        createScimDirectory({
          store: {
            dialect: store.dialect,
            db: store.db,
            changes: { announce: async (...words: string[]) => void announced.push(words.join(' ')) },
          },
          keys,
        } as never);
      const actor = {
        organizationId: acme,
        audit: async (_: unknown, ...entry: unknown[]) => void audited.push(entry),
      } as unknown as ScimActor;
      const refused = (promise: Promise<unknown>) =>
        promise.then(
          () => 'done',
          (error: { problem?: string; code?: string }) => error.problem ?? error.code,
        );
      const fields = (of: Row<'sign_on_people'>, more: Partial<PersonFields> = {}): PersonFields => ({
        userName: of.user_name,
        externalId: of.external_id,
        email: of.email,
        name: '',
        active: true,
        attributes: '',
        ...more,
      });
      const peopleIn = async (groupId: number) => {
        const rows = await store.db
          .selectFrom('sign_on_group_people')
          .select('person_id')
          .where('group_id', '=', groupId)
          .orderBy('person_id')
          .execute();
        return rows.map(({ person_id }) => person_id);
      };
      const versions = async () => {
        const rows = await store.db
          .selectFrom('sign_on_people')
          .select(['id', 'version'])
          .orderBy('id')
          .execute();
        return rows.map(({ id, version }) => [id, version]);
      };

      test('a group is filled and emptied by its list, and who enters or leaves follows at once', async () => {
        const { ann: one, bob: two, annElsewhere: foreign } = people;
        const beside = await group(acme, { name: 'Beside' }, [one, two]);
        const id = await group(acme, { name: 'Lookers', role: 'viewer' }, [one]);
        await run((transaction) => applyGroups(keys, transaction, one));
        done = [];
        const change = (members: number[], version?: number) =>
          scim().changeGroup(actor, id, { name: 'Lookers', externalId: '', members }, version);
        await change([two.id]);
        expect([await peopleIn(id), await peopleIn(beside)]).toEqual([[two.id], [one.id, two.id]]);
        expect(await members()).toEqual(but('51 63 viewer '));
        expect(done).toEqual([['disableOfMember', acme, bob]]);
        expect(await versions()).toEqual([
          [one.id, 2],
          [two.id, 2],
          [foreign.id, 1],
        ]);
        const changed = { id, name: 'Lookers', added: [two.id], removed: [one.id] };
        expect(audited.at(-1)).toEqual([
          'scim.change_group',
          `organization:${acme}`,
          { id, name: 'Lookers' },
          changed,
        ]);
        expect(announced).toEqual([`organizations ${acme}`, 'tokens']);
        // The same list again changes nothing; a foreign person and a passed version are refused.
        await change([two.id, two.id], 2);
        expect(audited).toHaveLength(1);
        expect(await refused(change([foreign.id]))).toBe('invalid');
        expect(await refused(change([], 1))).toBe('version');
        expect(await peopleIn(id)).toEqual([two.id]);
        const theirs = await group(other, { name: 'Theirs', role: 'admin' }, [foreign]);
        const wanted = { name: 'x', externalId: '', members: [] };
        expect(await refused(scim().changeGroup(actor, theirs, wanted))).toBe('not_found');
        expect(await refused(scim().removeGroup(actor, theirs))).toBe('not_found');
        expect(await peopleIn(theirs)).toEqual([foreign.id]);
      });

      test('a removed group takes away what it gave to its people alone', async () => {
        await group(acme, { name: 'Payers', role: 'billing' }, [people.bob]);
        const id = await group(acme, { name: 'Bosses', role: 'admin' }, [people.ann]);
        for (const each of [people.ann, people.bob]) await apply(each);
        expect(await members()).toEqual(but('51 62 admin ', '51 63 billing '));
        await scim().removeGroup(actor, id);
        expect(await members()).toEqual(but('51 63 billing '));
        expect(await peopleIn(id)).toEqual([]);
        expect(announced).toEqual([`organizations ${acme}`, 'tokens']);
      });

      test('a person who is not active any more leaves this organization with keys stopped, and comes back with the groups’ role', async () => {
        const { ann: one } = people;
        await group(acme, { name: 'Payers', role: 'billing', project_ids: '9' }, [one]);
        await scim().changePerson(actor, one.id, fields(one, { active: false }), 1);
        expect(await members()).toEqual(usual.filter((row) => !row.startsWith('51 62')));
        expect(done).toEqual([
          ['removeAdminKeys', acme, ann],
          ['disableOfMember', acme, ann],
        ]);
        expect(audited.map(([action, , , after]) => [action, (after as { tokens: number }).tokens])).toEqual([
          ['scim.deactivate_user', 3],
        ]);
        expect(announced).toEqual([`organizations ${acme}`, `users ${ann}`, 'tokens']);
        expect(await refused(scim().changePerson(actor, one.id, fields(one), 1))).toBe('version');
        done = [];
        await scim().changePerson(actor, one.id, fields(one), 2);
        expect(await members()).toEqual(but('51 62 billing 9'));
        expect(done).toEqual([]);
        expect(audited.at(-1)?.[0]).toBe('scim.activate_user');
      });

      test('a removed person is gone from the lists of this organization, and stays in others', async () => {
        const { ann: one, bob: two, annElsewhere: foreign } = people;
        const [mine, theirs] = [
          await group(acme, { name: 'Mine' }, [one, two]),
          await group(other, { name: 'Theirs' }, [foreign]),
        ];
        expect(await refused(scim().removePerson(actor, foreign.id))).toBe('not_found');
        await scim().removePerson(actor, one.id);
        expect([await peopleIn(mine), await peopleIn(theirs)]).toEqual([[two.id], [foreign.id]]);
        expect((await versions()).map(([id]) => id)).toEqual([two.id, foreign.id]);
        expect(await members()).toEqual(usual.filter((row) => !row.startsWith('51 62')));
        expect(done).toEqual([
          ['removeAdminKeys', acme, ann],
          ['disableOfMember', acme, ann],
        ]);
      });

      test('a new person has a name and an address of their own, in a domain that was proven here', async () => {
        const wanted: PersonFields = {
          userName: 'cleo',
          externalId: 'e9',
          email: `${cleo}@x.example`,
          name: 'Cleo',
          active: true,
          attributes: '',
        };
        const create = (more: Partial<PersonFields>, as = actor) =>
          refused(scim().createPerson(as, { ...wanted, ...more }));
        expect(await create({ userName: 'U62' })).toBe('uniqueness');
        expect(await create({ email: `${bob}@x.example` })).toBe('uniqueness');
        expect(await create({ email: 'a@y.example' })).toBe('invalid');
        // The same domain, named by the other organization and not proven.
        expect(await create({}, { ...actor, organizationId: other })).toBe('invalid');
        await group(acme, { name: 'Payers', role: 'billing' });
        const id = await scim().createPerson(actor, wanted);
        expect(await members()).toEqual([...usual.slice(0, 3), '51 64 member ', ...usual.slice(3)]);
        const stored = await store.db
          .selectFrom('sign_on_people')
          .select(['user_id', 'user_name', 'external_id', 'active', 'by_scim'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        expect(stored).toEqual({
          user_id: cleo,
          user_name: 'cleo',
          external_id: 'e9',
          active: 1,
          by_scim: 1,
        });
        const elsewhere = fields(people.ann, { email: `${cleo}@x.example` });
        expect(await refused(scim().changePerson(actor, people.ann.id, elsewhere))).toBe('uniqueness');
      });
    });
  }),
);
