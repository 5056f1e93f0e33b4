// How a move of money is booked: between whom, what stays, what is said when it is too much, and who must accept it.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { AppError } from '#contract/errors.ts';
import {
  acceptingOwners,
  book,
  openAccount,
  type MoveParts,
} from '#server/admin/organizations/moves/book.ts';
import type { CounterClock } from '#server/money/ledger/budget-counters.ts';
import { maximumAmount } from '#server/money/quota-units.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';

setDefaultTimeout(60_000);
const [acme, beside, ann] = [71, 72, 51];
const NOW = 1_800_000_000;

forEachDatabase((_label, open) =>
  describe('a move', () => {
    async function scene(): Promise<Store> {
      const store = await open();
      for (const [id, columns] of [
        [acme, { quota: 10_000, held_quota: 1_000 }],
        [beside, { quota: 10_000 }],
        [ann, { quota: 5 }],
        [52, { status: 2 }],
        [53, { deleted_at: 1 }],
      ] as [number, Partial<NewRow<'users'>>][])
        await store.db
          .insertInto('users')
          .values({ id, username: `user ${id}`, aff_code: `code ${id}`, ...columns })
          .execute();
      for (const id of [acme, beside])
        await store.db
          .insertInto('organizations')
          .values({ id, name: `organization ${id}`, created_at: 1, created_by: 0 })
          .execute();
      return store;
    }

    test('is between open accounts; an organization has its own name', async () => {
      const store = await scene();
      const account = (id: number) =>
        store.db.transaction().execute((transaction) => openAccount(transaction, id));
      expect(await account(acme)).toEqual({ id: acme, name: 'organization 71' });
      expect(await account(ann)).toEqual({ id: ann, name: 'user 51' });
      for (const id of [52, 53, 404])
        expect(await failure(account(id))).toMatchObject({ code: 'move_receiver_unknown' });
    });

    test('leaves what was promised to members: as much of it as is not spent or held', async () => {
      const store = await scene();
      let id = 0;
      const promise = async (counter: Partial<NewRow<'budget_counters'>>, ended_at = 0) => {
        id += 1;
        const organization_id = counter.organization_id ?? acme;
        const budget = { id, organization_id, name: '', subject: 'organization', period: 'month' } as const;
        await store.db
          .insertInto('budgets')
          .values({ ...budget, quota: 100, created_at: 1, created_by: 0, ended_at })
          .execute();
        await store.db
          .insertInto('budget_counters')
          .values({
            budget_id: id,
            organization_id,
            value: '',
            name: '',
            period: 'month',
            quota: 100,
            window_start: 1,
            window_end: NOW + 1,
            created_at: 1,
            ...counter,
          })
          .execute();
      };
      await promise({ extra: 1_000 });
      await promise({ extra: 500, spent: 90, held: 30 });
      await promise({ extra: 50, spent: 300 });
      await promise({ extra: 7, window_end: NOW });
      await promise({ extra: 11, organization_id: beside });
      await promise({ extra: 13 }, 5);
      await promise({ extra: 0, spent: 0 });
      await promise({ extra: 1 });
      // 10,000 without 1,000 that calls hold, 1,000, 500 + 100 − 90 − 30, and 1.
      const free = 9_000 - 1_000 - 480 - 1;
      const settings = { current: { QuotaPerUnit: 1_000 } };
      const parts = { store, settings } as unknown as MoveParts;
      const move = async (amount: number, serial: number, to_id = ann) =>
        store.db.transaction().execute((transaction) =>
          book(parts, transaction, { id: serial, from_id: acme, to_id, amount }, {
            now: NOW,
          } as unknown as CounterClock),
        );
      const refusal = (call: Promise<unknown>) =>
        call.then(
          () => undefined,
          (error: unknown) =>
            error instanceof AppError ? [error.code, error.parameters, error.extra['field']] : error,
        );
      expect(await refusal(move(free + 1, 1))).toEqual(['move_short', { available: '$7.519000' }, 'amount']);
      expect(await refusal(move(1, 2, 52))).toEqual(['move_receiver_unknown', {}, undefined]);
      await store.db.updateTable('users').set({ quota: maximumAmount }).where('id', '=', beside).execute();
      expect(await refusal(move(1, 2, beside))).toEqual(['move_over_limit', {}, undefined]);
      await store.db.updateTable('users').set({ quota: 10_000 }).where('id', '=', beside).execute();
      await move(free, 3);
      const balances = await store.db.selectFrom('users').select(['id', 'quota']).orderBy('id').execute();
      expect(balances.map(({ quota }) => quota)).toEqual([5 + free, 0, 0, 10_000 - free, 10_000]);
      const entries = await store.db
        .selectFrom('ledger')
        .select(['idem', 'user_id', 'debit_account', 'credit_account', 'amount', 'kind', 'reference'])
        .orderBy('id')
        .execute();
      expect(entries.map((entry) => Object.values(entry))).toEqual([
        ['move:3:out', acme, 'user:71', 'world:moved', free, 'move_out', 'user 51'],
        ['move:3:in', ann, 'world:moved', 'user:51', free, 'move_in', 'organization 71'],
      ]);
    });

    test('is accepted by another owner than who asked, and than who gets it where there is one', async () => {
      const store = await scene();
      const member = (user_id: number, role: OrganizationRole, left_at = 0, organization_id = acme) =>
        store.db
          .insertInto('organization_members')
          .values({ organization_id, user_id, role, source: 'created', joined_at: 1, left_at })
          .execute();
      const accepting = async (asked_by: number, to_id: number) =>
        (await acceptingOwners(store.db, acme, { asked_by, to_id })).toSorted((left, right) => left - right);
      await member(1, 'owner');
      expect([await accepting(1, 9), await accepting(9, 9)]).toEqual([[], [1]]);
      expect(await accepting(9, 1)).toEqual([1]);
      await member(2, 'owner');
      await member(3, 'admin');
      await member(4, 'billing');
      await member(5, 'owner', 7);
      await member(6, 'owner', 0, beside);
      expect(await accepting(1, 1)).toEqual([2]);
      expect(await accepting(1, 2)).toEqual([2]);
      await member(8, 'owner');
      expect(await accepting(1, 2)).toEqual([8]);
      expect(await accepting(9, 10)).toEqual([1, 2, 8]);
      expect(await accepting(1, 10)).toEqual([2, 8]);
    });
  }),
);
