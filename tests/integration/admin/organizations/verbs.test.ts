// What each verb over an organization writes, in its own rows and in no others, what it audits and what it announces.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { leaveAll } from '#server/admin/organizations/end-membership.ts';
import { createOrganizationHandlers, type OrganizationHandlers } from '#server/admin/organizations/index.ts';
import type { OrganizationDependencies } from '#server/admin/organizations/dependencies.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { NewRow, RowChange } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
/** The organizations, their owners, and others. */
const [acme, other, owner, second, helper, outsider] = [51, 52, 61, 62, 63, 64];

forEachDatabase((_label, open) =>
  describe('a verb over an organization', () => {
    let store: Store;
    let handlers: OrganizationHandlers;
    let parts: OrganizationDependencies;
    let audited: unknown[][];
    let announced: string[];
    let done: unknown[][];
    let booked: { difference: number; quota: number; reason: string } | undefined;

    beforeEach(async () => {
      store = await open();
      [audited, announced, done, booked] = [[], [], [], undefined];
      const noted =
        (name: string, result: unknown) =>
        async (_: unknown, ...rest: unknown[]) => {
          done.push([name, ...rest]);
          return result;
        };
      parts = {
        store: {
          dialect: store.dialect,
          db: store.db,
          changes: { announce: async (...words: string[]) => void announced.push(words.join(' ')) },
        },
        settings: {
          current: {
            OrganizationsEnabled: true,
            OrganizationCreation: 'everybody',
            OrganizationCreationGroups: ['vip'],
            OrganizationsPerUser: 2,
            GroupRatio: { default: 1, vip: 1 },
            QuotaPerUnit: 1000,
            ServerAddress: '',
            SystemName: 'Gate',
            SiteTimeZone: 'UTC',
          },
        },
        ledger: { writeHolds: async (id: number) => void done.push(['writeHolds', id]) },
        keys: {
          disableOfMember: noted('disableOfMember', 3),
          handOver: noted('handOver', 4),
          disableOfProject: noted('disableOfProject', 5),
          limitProject: noted('limitProject', undefined),
          disableOutsideProjects: noted('disableOutsideProjects', 7),
          removeOfServiceAccount: noted('removeOfServiceAccount', 6),
          removeAll: noted('removeAll', 7),
          removeAdminKeys: noted('removeAdminKeys', undefined),
        },
        letters: {
          configured: true,
          put: async (_: unknown, { recipient, text }: { recipient: string; text: string }) =>
            done.push(['letter', recipient, text.includes('late payment')]),
          wake: () => void done.push(['wake']),
        },
        adjustBalance: async (_: unknown, __: unknown, { id }: { id: number }, body: unknown) => {
          done.push(['adjust', id, body]);
          return booked;
        },
      } as unknown as OrganizationDependencies;
      handlers = createOrganizationHandlers(parts);
      for (const id of [acme, other]) {
        await user(id, { kind: 'organization', group: 'default' });
        const row = { id, name: `org ${id}`, created_at: 1, created_by: owner, deleted_at: null };
        await store.db.insertInto('organizations').values(row).execute();
        await store.db
          .insertInto('projects')
          .values({ id: id + 20, organization_id: id, name: 'default', is_default: 1, created_at: 1 })
          .execute();
      }
      for (const id of [owner, second, helper, outsider]) await user(id, { email: `${id}@x` });
      await member(acme, owner, 'owner');
      await member(acme, helper, 'member');
      await member(other, second, 'owner');
      await member(other, helper, 'member');
    });
    afterEach(async () => store.close());

    const user = (id: number, columns: Partial<NewRow<'users'>> = {}) =>
      store.db
        .insertInto('users')
        .values({ id, username: `user ${id}`, aff_code: `code ${id}`, ...columns })
        .execute();
    const member = (organization_id: number, user_id: number, role: OrganizationRole, left_at = 0) =>
      store.db
        .insertInto('organization_members')
        .values({ organization_id, user_id, role, source: 'admin', joined_at: 1, left_at })
        .execute();
    const account = (columns: RowChange<'users'>) =>
      store.db.updateTable('users').set(columns).where('id', '=', acme).execute();
    const rows = async (text: string) =>
      Array.from((await sql<object>`${sql.raw(text)}`.execute(store.db)).rows, (row) => Object.values(row));
    const as = (id: number, more: Partial<RequestContext> & { role?: number } = {}): RequestContext =>
      ({
        user: { id, role: more.role ?? 1, group: 'vip', username: `user ${id}` },
        organization: { id: acme, role: 'owner' },
        via: 'session',
        verifiedAt: 0,
        audit: async (_: unknown, ...entry: unknown[]) => void audited.push(entry),
        ...more,
      }) as unknown as RequestContext;
    const refused = (promise: unknown) =>
      Promise.resolve(promise).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
    const members = () =>
      rows(
        'select organization_id, user_id, role, left_at > 0 from organization_members order by organization_id, user_id',
      ).then((all) => all.map((row) => [...row.slice(0, 3), Number(row[3])]));
    const asked = (body: object = {}, params: object = { id: acme }) =>
      ({ body, params, query: {} }) as never;

    describe('by an administrator of the site', () => {
      const root = () => as(9, { role: 100 });
      const admin = () => as(9, { role: 10 });
      const states = () =>
        rows('select id, status, suspended_reason, "group" from users where id < 60 order by id');

      test('suspends it with a reason, tells each owner, and lifts it again', async () => {
        await member(acme, second, 'owner', 5);
        const { suspend, lift } = handlers.organizationManagement;
        expect(await refused(lift(asked(), admin()))).toBe('user_not_suspended');
        await suspend(asked({ reason: 'late payment' }), admin());
        expect(await states()).toEqual([
          [acme, 2, 'late payment', 'default'],
          [other, 1, '', 'default'],
        ]);
        expect(done).toEqual([['letter', `${owner}@x`, true], ['wake']]);
        await lift(asked(), admin());
        expect((await states())[0]).toEqual([acme, 1, '', 'default']);
        expect(announced).toEqual([`users ${acme}`, `users ${acme}`]);
        expect(audited).toEqual([
          ['organization.suspend', 'organization:51', undefined, { reason: 'late payment' }],
          ['organization.lift', 'organization:51', { status: 2, suspended_reason: 'late payment' }],
        ]);
      });

      test('leaves a suspension by the check of the books to the super admin', async () => {
        const { suspend, lift } = handlers.organizationManagement;
        await account({ status: 3, suspended_reason: 'books' });
        expect(await refused(suspend(asked({ reason: '' }), admin()))).toBe('user_suspended');
        expect(await refused(lift(asked(), admin()))).toBe('user_suspended');
        expect((await states())[0]).toEqual([acme, 3, 'books', 'default']);
        expect(await refused(lift(asked(), root()))).toBe('done');
        expect((await states())[0]).toEqual([acme, 1, '', 'default']);
        expect(await refused(suspend(asked({ reason: '' }, { id: owner }), admin()))).toBe(
          'organization_missing',
        );
      });

      test('sets a price group that there is', async () => {
        const { setGroup } = handlers.organizationManagement;
        expect(await refused(setGroup(asked({ group: 'toString' }), admin()))).toBe('group_unknown');
        await setGroup(asked({ group: 'vip' }), admin());
        expect((await states()).map((row) => row[3])).toEqual(['vip', 'default']);
        expect(audited).toEqual([
          ['organization.set_group', 'organization:51', { group: 'default' }, { group: 'vip' }],
        ]);
        expect(announced).toEqual([`users ${acme}`]);
      });

      test('adds an owner, who may be a member already, and must be a person who is there', async () => {
        const { addOwner } = handlers.organizationManagement;
        const add = (user_id: number) => refused(addOwner(asked({ user_id }), admin()));
        expect(await add(owner)).toBe('nothing_changed');
        expect(await add(helper)).toBe('done');
        expect(await add(second)).toBe('done');
        for (const columns of [{ status: 2 }, { status: 1, deleted_at: 5 }] as const) {
          await store.db.updateTable('users').set(columns).where('id', '=', outsider).execute();
          expect(await add(outsider)).toBe('user_unavailable');
        }
        expect(await add(other)).toBe('user_unavailable');
        expect(await members()).toEqual([
          [acme, owner, 'owner', 0],
          [acme, second, 'owner', 0],
          [acme, helper, 'owner', 0],
          [other, second, 'owner', 0],
          [other, helper, 'member', 0],
        ]);
        const entry = ['organization.add_owner', 'organization:51'];
        expect(audited).toEqual([
          [...entry, { user_id: helper, role: 'member' }, { user_id: helper, role: 'owner' }],
          [...entry, undefined, { user_id: second, role: 'owner' }],
        ]);
        expect(announced).toEqual([`organizations ${acme}`, `organizations ${acme}`]);
      });

      test('adjusts the balance after the holds are written, a large amount only after a sign-in', async () => {
        const { adjustBalance } = handlers.organizationManagement;
        for (const quota_change of [100_001, -100_001])
          expect(await refused(adjustBalance(asked({ quota_change }), admin()))).toBe('step_up_required');
        expect(done).toEqual([]);
        const body = { quota_change: 100_000 };
        await adjustBalance(asked(body), admin());
        expect(done).toEqual([
          ['writeHolds', acme],
          ['adjust', acme, body],
        ]);
        expect([audited, announced]).toEqual([[], [`users ${acme}`]]);
        booked = { difference: -30, quota: 70, reason: 'credit note' };
        await adjustBalance(asked(body), admin());
        expect(audited).toEqual([['organization.balance', 'organization:51', { quota: 100 }, { ...booked }]]);
      });
    });

    describe('deletes it', () => {
      const remove = () => refused(handlers.organizations.remove(asked(), as(owner)));

      test('with its members, keys and invitations, and nothing of another', async () => {
        for (const [id, organization_id] of [
          [81, acme],
          [82, other],
        ] as const)
          await store.db
            .insertInto('organization_invitations')
            .values({
              id,
              organization_id,
              email: 'a@x',
              role: 'member',
              invited_by: owner,
              created_at: 1,
              expires_at: 2 ** 31,
              token_digest: `digest ${id}`,
              status: 'open',
              kind: 'join',
            })
            .execute();
        expect(await remove()).toBe('done');
        expect(await members()).toEqual([
          [acme, owner, 'owner', 1],
          [acme, helper, 'member', 1],
          [other, second, 'owner', 0],
          [other, helper, 'member', 0],
        ]);
        expect(await rows('select id from organizations where deleted_at is null')).toEqual([[other]]);
        expect(
          await rows('select id, auth_version > 0 from users where deleted_at is not null'),
        ).toHaveLength(1);
        expect(await rows('select id, status from organization_invitations order by id')).toEqual([
          [81, 'revoked'],
          [82, 'open'],
        ]);
        expect(done).toEqual([
          ['writeHolds', acme],
          ['removeAll', acme],
          ['removeAdminKeys', acme],
        ]);
        expect(audited).toEqual([['organization.delete', 'organization:51', { name: 'org 51' }]]);
        expect(announced).toEqual([`organizations ${acme}`, `users ${acme}`, 'tokens']);
      });

      const subscribe = (id: number, user_id: number) =>
        store.db
          .insertInto('subscriptions')
          .values({
            id,
            user_id,
            plan_id: 1,
            created_at: 0,
            started_at: 0,
            ends_at: 2 ** 31,
            plan_name: '',
            status: 'active',
            interval_unit: 'day',
            interval_count: 1,
            periods: 1,
            period: 0,
            period_ends_at: 2 ** 31,
            period_quota: 1,
            models: '',
            group: '',
            currency: 'USD',
            price_quota: 0,
            price_minor: 0,
            source: 'balance',
          } as unknown as NewRow<'subscriptions'>)
          .execute();

      test('only where no money can come or go', async () => {
        for (const columns of [{ quota: 1 }, { aff_quota: 1 }, { dividend_quota: 1 }]) {
          await account(columns);
          expect(await remove()).toBe('organization_has_balance');
          await account({ quota: 0, aff_quota: 0, dividend_quota: 0 });
        }
        for (const columns of [{ quota: 1, held_quota: 1 }, { plan_held_quota: 1 }]) {
          await account(columns);
          expect(await remove()).toBe('organization_has_calls');
          await account({ quota: 0, held_quota: 0, plan_held_quota: 0 });
        }
        const order = {
          provider: 'epay',
          payment_method: '',
          amount_minor: 1,
          currency: 'CNY',
          amount: 1,
          quota: 1,
        };
        const add = async (id: number, user_id: number, status: 'pending' | 'paid') =>
          store.db
            .insertInto('orders')
            .values({
              ...order,
              id,
              user_id,
              status,
              trade_no: `t${id}`,
              created_at: 1,
              expires_at: 1,
              detail: '{}',
            })
            .execute();
        await add(1, other, 'pending');
        await add(2, acme, 'pending');
        expect(await remove()).toBe('organization_has_orders');
        await store.db.updateTable('orders').set({ status: 'paid' }).where('id', '=', 2).execute();
        const refund = {
          request_id: 'r',
          order_id: 2,
          user_id: acme,
          created_at: 1,
          status: 'pending',
        } as const;
        await store.db
          .insertInto('refunds')
          .values({ ...refund, amount_minor: 1, quota: 1 })
          .execute();
        expect(await remove()).toBe('organization_has_orders');
        await store.db
          .updateTable('refunds')
          .set({ status: 'failed' as never })
          .execute();
        const dispute = {
          reference: 'd',
          order_id: 2,
          user_id: acme,
          created_at: 1,
          status: 'open',
        } as const;
        await store.db.insertInto('disputes').values(dispute).execute();
        expect(await remove()).toBe('organization_has_orders');
        await store.db
          .updateTable('disputes')
          .set({ status: 'won' as never })
          .execute();
        await subscribe(71, other);
        await subscribe(72, acme);
        expect(await remove()).toBe('organization_has_plan');
        await store.db.updateTable('subscriptions').set({ status: 'ended' }).where('id', '=', 72).execute();
        expect(await remove()).toBe('done');
      });
    });

    describe('ends a membership', () => {
      const end = (user_id: number, tokens: object = { action: 'disable' }, by = owner) =>
        refused(handlers.members.remove(asked({ tokens }, { user_id }), as(by)));

      test('with what the member could do, here and nowhere else', async () => {
        await store.db
          .insertInto('budgets')
          .values(
            [
              [91, acme, 'member', helper],
              [92, other, 'member', helper],
              [93, acme, 'member', owner],
              [94, acme, 'project', helper],
            ].map(
              ([id, organization_id, subject, subject_id]) =>
                ({
                  id,
                  organization_id,
                  subject,
                  subject_id,
                  name: `b${id}`,
                  period: 'month',
                  created_at: 1,
                  created_by: 1,
                  quota: 5,
                }) as NewRow<'budgets'>,
            ),
          )
          .execute();
        expect(await end(helper)).toBe('done');
        expect(await members()).toEqual([
          [acme, owner, 'owner', 0],
          [acme, helper, 'member', 1],
          [other, second, 'owner', 0],
          [other, helper, 'member', 0],
        ]);
        expect(await rows('select id from budgets where ended_at > 0')).toEqual([[91]]);
        expect(done).toEqual([
          ['removeAdminKeys', acme, helper],
          ['disableOfMember', acme, helper],
        ]);
        expect(audited).toEqual([
          [
            'organization.remove_member',
            'organization:51',
            { user_id: helper, role: 'member' },
            { tokens: 3, action: 'disable' },
          ],
        ]);
        expect(announced).toEqual([`organizations ${acme}`, `users ${helper}`, 'tokens']);
        expect(await end(helper)).toBe('not_found');
      });

      test('hands the keys to a member or a service account of the same organization', async () => {
        const service = (id: number, organization_id: number, deleted_at = 0) =>
          store.db
            .insertInto('service_accounts')
            .values({
              id,
              organization_id,
              project_id: 71,
              name: `s${id}`,
              created_by: 1,
              created_at: 1,
              deleted_at,
            })
            .execute();
        await service(1, acme);
        await service(2, other);
        await service(3, acme, 5);
        for (const tokens of [
          { action: 'to_member', user_id: outsider },
          { action: 'to_member', user_id: helper },
          { action: 'to_service_account', service_account_id: 2 },
          { action: 'to_service_account', service_account_id: 3 },
        ])
          expect(await end(helper, tokens)).toBe('token_owner_unknown');
        done = [];
        expect(await end(helper, { action: 'to_service_account', service_account_id: 1 })).toBe('done');
        expect(done.at(-1)).toEqual(['handOver', acme, helper, { serviceAccountId: 1 }]);
        await member(acme, second, 'member');
        expect(await end(second, { action: 'to_member', user_id: owner })).toBe('done');
        expect(done.at(-1)).toEqual(['handOver', acme, second, { memberId: owner }]);
      });

      test('never of the last owner, neither by leaving nor with the account', async () => {
        const leave = (id: number) => refused(handlers.members.leave(asked(), as(id)));
        const all = (id: number) =>
          refused(
            store.db
              .transaction()
              .execute((transaction) => leaveAll(parts, transaction, as(id) as never, id)),
          );
        expect(await leave(owner)).toBe('last_owner');
        expect(await all(owner)).toBe('owns_organizations');
        await member(acme, second, 'owner');
        expect(await leave(owner)).toBe('done');
        expect(await all(second)).toBe('owns_organizations');
        expect(await all(helper)).toBe('done');
        expect(audited.map(([action, target, before]) => [action, target, before])).toEqual([
          ['organization.leave', 'organization:51', { user_id: owner, role: 'owner' }],
          ['organization.leave', 'organization:51', { user_id: helper, role: 'member' }],
          ['organization.leave', 'organization:52', { user_id: helper, role: 'member' }],
        ]);
      });
    });

    describe('changes a project', () => {
      const project = (id: number, columns: Partial<NewRow<'projects'>> = {}) =>
        store.db
          .insertInto('projects')
          .values({ id, organization_id: acme, name: `p${id}`, created_at: 1, ...columns })
          .execute();
      const change = (id: number, body: object) =>
        refused(handlers.projects.change(asked(body, { id }), as(owner)));
      const archive = (id: number) => refused(handlers.projects.archive(asked({}, { id }), as(owner)));

      test('of its own, under a name that no open one has', async () => {
        await project(81, { models: 'a,b' });
        await project(82, { organization_id: other, name: 'theirs' });
        await project(83, { archived_at: 5, name: 'old' });
        expect(await change(82, { name: 'x' })).toBe('not_found');
        expect(await change(83, { name: 'x' })).toBe('project_archived');
        expect(await change(81, { name: 'DEFAULT' })).toBe('project_name_taken');
        expect(await change(81, { allow_ips: 'nonsense' })).toBe('address_list_invalid');
        expect(await change(81, { name: 'old' })).toBe('done');
        expect(await change(81, { name: 'Theirs', models: 'b' })).toBe('done');
        expect(await rows('select id, name, models from projects where id > 80 order by id')).toEqual([
          [81, 'Theirs', 'b'],
          [82, 'theirs', ''],
          [83, 'old', ''],
        ]);
        expect(announced).toEqual(['tokens', 'tokens']);
        expect(audited.at(-1)).toEqual([
          'project.change',
          'project:81',
          { name: 'old', models: 'a,b', allow_ips: '', requests_per_minute: 0, tokens_per_minute: 0 },
          { name: 'Theirs', models: 'b', allow_ips: '', requests_per_minute: 0, tokens_per_minute: 0 },
        ]);
      });

      test('archives it with its keys and budgets, but never the default one', async () => {
        await project(81);
        await project(82, { organization_id: other });
        await store.db
          .insertInto('budgets')
          .values(
            [
              [91, acme, 'project', 81],
              [92, acme, 'project', 71],
              [93, acme, 'member', 81],
              [94, acme, 'organization', 0],
            ].map(
              ([id, organization_id, subject, subject_id]) =>
                ({
                  id,
                  organization_id,
                  subject,
                  subject_id,
                  name: `b${id}`,
                  period: 'month',
                  created_at: 1,
                  created_by: 1,
                  quota: 5,
                }) as NewRow<'budgets'>,
            ),
          )
          .execute();
        expect(await archive(71)).toBe('project_is_default');
        expect(await archive(82)).toBe('not_found');
        expect(await archive(81)).toBe('done');
        expect(await archive(81)).toBe('project_archived');
        expect(await rows('select id from projects where archived_at > 0')).toEqual([[81]]);
        expect(await rows('select id from budgets where ended_at > 0')).toEqual([[91]]);
        expect(done).toEqual([['disableOfProject', acme, 81]]);
        expect(announced).toEqual(['tokens', `budgets ${acme}`]);
        expect(audited).toEqual([['project.archive', 'project:81', { name: 'p81' }, { tokens: 5 }]]);
      });
    });

    describe('makes one', () => {
      const create = (context: RequestContext, name = 'Acme & Sons') =>
        refused(handlers.organizations.create(asked({ name }), context));

      test('with its account, owner and project, in the price group of its maker', async () => {
        expect(await create(as(owner))).toBe('done');
        expect(await create(as(second))).toBe('done');
        expect(
          await rows(
            `select kind, username, display_name, "group", quota from users where username like '@%' order by id`,
          ),
        ).toEqual([
          ['organization', '@acme-sons', 'Acme & Sons', 'vip', 0],
          ['organization', '@acme-sons-2', 'Acme & Sons', 'vip', 0],
        ]);
        expect(await create(as(owner))).toBe('organization_limit_reached');
        expect(await create(as(owner, { role: 10 }))).toBe('done');
        const ids = (await rows('select id from organizations where id not in (51, 52) order by id')).map(
          ([id]) => id,
        );
        expect((await members()).filter(([id]) => id === ids[0])).toEqual([[ids[0], owner, 'owner', 0]]);
        expect(
          await rows(`select name, is_default from projects where organization_id = ${Number(ids[0])}`),
        ).toEqual([['default', 1]]);
        expect(announced[0]).toBe(`organizations ${Number(ids[0])}`);
      });

      test('however many have its name already', async () => {
        // The rows of this file have chosen numbers, which the sequence would reach.
        if (store.dialect === 'postgres')
          await rows(`select setval(pg_get_serial_sequence('users', 'id'), 1000)`);
        for (let made = 0; made < 22; made += 1) expect(await create(as(owner, { role: 10 }))).toBe('done');
        const names = (await rows(`select username from users where username like '@%' order by id`)).flat();
        expect(names.slice(18, 20)).toEqual(['@acme-sons-19', '@acme-sons-20']);
        for (const name of names.slice(20)) expect(name).toMatch(/^@acme-sons-[0-9a-f]{8}$/);
      });

      test('only for those who may', async () => {
        const current = parts.settings.current as Record<string, unknown>;
        current['OrganizationCreation'] = 'groups';
        expect(await create(as(owner))).toBe('done');
        current['OrganizationCreationGroups'] = ['default'];
        expect(await create(as(owner))).toBe('organization_creation_refused');
        expect(await create(as(owner, { role: 10 }))).toBe('done');
        current['OrganizationsEnabled'] = false;
        expect(await create(as(owner, { role: 100 }))).toBe('organizations_disabled');
      });
    });
  }),
);
