// What happens to the keys of an organization when a member, a project or a service account goes: these keys, these columns, and no
// other key beside them.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Transaction } from 'kysely';
import { holderColumns, organizationKeys, projectColumns } from '#server/admin/tokens/of-organization.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
/** A number that also names a member, a project or a service account elsewhere. */
const [acme, other, ann, bob, red, blue, robot] = [51, 52, 61, 62, 61, 72, 61];
const [ENABLED, DISABLED, EXHAUSTED] = [1, 2, 4];

forEachDatabase((_label, open) =>
  describe('the keys of an organization', () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
      for (const id of [acme, other, ann, bob])
        await store.db
          .insertInto('users')
          .values({ id, username: `user ${id}`, aff_code: `code ${id}` })
          .execute();
      const key = (id: number, user_id: number, columns: Partial<NewRow<'tokens'>>) => ({
        id,
        user_id,
        name: `key ${id}`,
        key_digest: `digest ${id}`,
        status: ENABLED,
        deleted_at: null,
        ...columns,
      });
      const rows = [
        key(1, acme, { member_id: ann, project_id: red }),
        key(2, acme, { member_id: ann, project_id: blue, status: DISABLED }),
        key(3, acme, { member_id: ann, project_id: blue, status: EXHAUSTED }),
        key(4, acme, { member_id: ann, project_id: red, deleted_at: 9 }),
        key(5, acme, { member_id: bob, project_id: red }),
        key(6, acme, { service_account_id: robot, project_id: blue }),
        key(7, acme, { service_account_id: robot, project_id: red, deleted_at: 9 }),
        key(8, acme, { service_account_id: 99, project_id: blue }),
        // The same person in another organization, and the person's own key.
        key(9, other, { member_id: ann, project_id: red }),
        key(10, other, { service_account_id: robot, project_id: red }),
        key(11, ann, {}),
      ];
      for (const row of rows) await store.db.insertInto('tokens').values(row).execute();
    });
    afterEach(() => store.close());

    const run = <Result>(work: (transaction: Transaction<Schema>) => Promise<Result>) =>
      store.db.transaction().execute(work);
    const all = () =>
      store.db
        .selectFrom('tokens')
        .select(['id', 'status', 'deleted_at', 'member_id', 'project_id', 'service_account_id'])
        .select(['project_requests_per_minute as requests', 'project_tokens_per_minute as tokens'])
        .orderBy('id')
        .execute();
    /** What differs afterwards, by key. */
    async function changesOf<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>) {
      const before = await all();
      const result = await run(work);
      const after = await all();
      const changes = after.flatMap((row, index) => {
        const changed = Object.entries(row).filter(
          ([name, value]) => before[index]?.[name as keyof typeof row] !== value,
        );
        return changed.length === 0 ? [] : [[row.id, Object.fromEntries(changed)]];
      });
      return { result, changes: Object.fromEntries(changes) as Record<number, object> };
    }
    const disabled = { status: DISABLED };

    test('of a member who goes are disabled', async () => {
      const { result, changes } = await changesOf((transaction) =>
        organizationKeys.disableOfMember(transaction, acme, ann),
      );
      expect(changes).toEqual({ 1: disabled, 3: disabled });
      expect(result).toBe(2);
    });

    test('of a member who goes are handed over as they are, to a person or to a service account', async () => {
      const toBob = await changesOf((transaction) =>
        organizationKeys.handOver(transaction, acme, ann, { memberId: bob }),
      );
      expect(toBob.changes).toEqual({ 1: { member_id: bob }, 2: { member_id: bob }, 3: { member_id: bob } });
      expect(toBob.result).toBe(3);
      const held = { member_id: 0, service_account_id: robot };
      const toRobot = await changesOf((transaction) =>
        organizationKeys.handOver(transaction, acme, bob, { serviceAccountId: robot }),
      );
      expect(toRobot.changes).toEqual({ 1: held, 2: held, 3: held, 5: held });
      expect(holderColumns({ memberId: 3 })).toEqual({ member_id: 3, service_account_id: 0 });
      expect(holderColumns({ serviceAccountId: 4 })).toEqual({ member_id: 0, service_account_id: 4 });
    });

    test('of an archived project are disabled', async () => {
      const { result, changes } = await changesOf((transaction) =>
        organizationKeys.disableOfProject(transaction, acme, blue),
      );
      expect(changes).toEqual({ 3: disabled, 6: disabled, 8: disabled });
      expect(result).toBe(3);
    });

    test('outside the projects that a member still has are disabled', async () => {
      const { result, changes } = await changesOf((transaction) =>
        organizationKeys.disableOutsideProjects(transaction, acme, ann, [red, 73]),
      );
      expect(changes).toEqual({ 3: disabled });
      expect(result).toBe(1);
      const next = await changesOf((transaction) =>
        organizationKeys.disableOutsideProjects(transaction, acme, ann, [blue]),
      );
      expect(next.changes).toEqual({ 1: disabled });
    });

    test('of a project take its limits, also those that are deleted', async () => {
      const limits = { requests_per_minute: 7, tokens_per_minute: 900 };
      const { changes } = await changesOf((transaction) =>
        organizationKeys.limitProject(transaction, acme, { id: red, ...limits }),
      );
      const taken = { requests: 7, tokens: 900 };
      expect(changes).toEqual({ 1: taken, 4: taken, 5: taken, 7: taken });
      expect(projectColumns({ id: red, ...limits })).toEqual({
        project_id: red,
        project_requests_per_minute: 7,
        project_tokens_per_minute: 900,
      });
    });

    test('of a service account are deleted with it, all with the organization, and nobody else’s', async () => {
      const ofRobot = await changesOf((transaction) =>
        organizationKeys.removeOfServiceAccount(transaction, acme, robot),
      );
      expect(Object.keys(ofRobot.changes)).toEqual(['6']);
      expect(ofRobot.result).toBe(1);
      const rest = await changesOf((transaction) => organizationKeys.removeAll(transaction, acme));
      expect(Object.keys(rest.changes)).toEqual(['1', '2', '3', '5', '8']);
      expect(rest.result).toBe(5);
      const now = Date.now() / 1000;
      for (const change of Object.values(rest.changes)) {
        const { deleted_at } = change as { deleted_at: number };
        expect(Math.abs(deleted_at - now)).toBeLessThan(600);
      }
    });
  }),
);
