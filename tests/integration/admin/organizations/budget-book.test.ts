// Which budgets apply to a call: those of its organization, project, member, key and tags, as far as they count its model.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { BUDGET_VALUES_MAX } from '#contract/admin/organization-budgets.ts';
import { openCounter } from '#server/money/ledger/budget-counters.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import { BUDGETS_OF_UTC } from '#contract/money/budget-windows.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { createBudgetBook, type BudgetBook } from '#server/relay/money/budget-book.ts';
import type { Tags } from '#server/relay/request/tags.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const now = () => Math.floor(Date.now() / 1000);

forEachDatabase((_label, open) => {
  let store: Store;
  let book: BudgetBook;
  beforeEach(async () => {
    store = await open();
    book = createBudgetBook(store, { current: { SiteTimeZone: 'UTC' } } as never);
  });
  afterEach(() => book.close());

  let serial = 0;
  async function user(columns: Partial<NewRow<'users'>> = {}): Promise<number> {
    serial += 1;
    const name = `user-${serial}`;
    const row = await store.db
      .insertInto('users')
      .values({ username: name, aff_code: name, ...columns })
      .returning('id')
      .executeTakeFirstOrThrow();
    return row.id;
  }
  async function organization(tag_keys = ''): Promise<number> {
    const id = await user({ kind: 'organization' });
    const values = { id, name: `org ${id}`, created_at: 1, created_by: 1, deleted_at: null, tag_keys };
    await store.db.insertInto('organizations').values(values).execute();
    return id;
  }
  /** With its counter, unless each value of a tag gets one. */
  async function budget(organization_id: number, columns: Partial<NewRow<'budgets'>> = {}): Promise<number> {
    serial += 1;
    const row = await store.db
      .insertInto('budgets')
      .values({
        organization_id,
        name: `budget ${serial}`,
        subject: 'organization',
        period: 'month',
        quota: 100,
        created_at: 1,
        created_by: 1,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    if (row.subject === 'tag' && row.tag_value === '') return row.id;
    return await openCounter(store.db, row, '', { zones: BUDGETS_OF_UTC, now: now() });
  }
  const callerOf = (id: number, projectId = 5, memberId = 7, tokenId = 9) =>
    ({
      userId: id,
      tokenId,
      organization: { id, projectId, memberId, serviceAccountId: 0 },
    }) as unknown as Caller;
  const ask = async (caller: Caller, model = 'gpt-4o', tags: Tags = {}) =>
    await book.attribute(caller, model, () => tags);
  const list = (...ids: number[]) => ids.toSorted((one, other) => one - other).join(',');

  test('those of its own organization, project, member and key, and no others', async () => {
    const [id, other] = [await organization(), await organization()];
    const own = [
      await budget(id),
      await budget(id, { subject: 'project', subject_id: 5 }),
      await budget(id, { subject: 'member', subject_id: 7 }),
      await budget(id, { subject: 'token', subject_id: 9 }),
      await budget(id, { models: 'gpt-4o,o3' }),
    ];
    const [project, account] = [
      await budget(id, { subject: 'project', subject_id: 7 }),
      await budget(id, { subject: 'member', subject_id: 0 }),
    ];
    await budget(id, { subject: 'member', subject_id: 5 });
    await budget(id, { subject: 'token', subject_id: 5 });
    await budget(id, { models: 'o3' });
    await budget(id, { ended_at: 1 });
    const foreign = await budget(other);
    expect(await ask(callerOf(id))).toEqual({ budgets: list(...own), tags: '' });
    expect(await ask(callerOf(other))).toEqual({ budgets: list(foreign), tags: '' });
    // A service account has no member.
    const [all, , , , counted] = own;
    expect((await ask(callerOf(id, 7, 0, 1))).budgets).toBe(list(all ?? 0, counted ?? 0, project));
    expect(account).toBeGreaterThan(0);
    const personal = { userId: 1, tokenId: 9, organization: undefined } as unknown as Caller;
    expect(await ask(personal)).toEqual({ budgets: '', tags: '' });
  });

  test('those of its tags: of one value, or of each with a counter that its first call makes', async () => {
    const id = await organization('team,user');
    const all = await budget(id);
    const blue = await budget(id, { subject: 'tag', tag_key: 'team', tag_value: 'blue' });
    await budget(id, { subject: 'tag', tag_key: 'team', tag_value: 'red' });
    await budget(id, { subject: 'tag', tag_key: 'team', tag_value: 'blue', models: 'o3' });
    const each = await budget(id, { subject: 'tag', tag_key: 'user' });
    await budget(id, { subject: 'tag', tag_key: 'user', models: 'o3' });
    const counters = async () => {
      const rows = await store.db
        .selectFrom('budget_counters')
        .select(['id', 'value'])
        .where('budget_id', '=', each)
        .orderBy('id')
        .execute();
      return rows.map(({ value, id: counter }) => [value, counter] as const);
    };
    const caller = callerOf(id);
    expect(await ask(caller, 'gpt-4o', { team: 'blue', other: 'x' })).toEqual({
      budgets: list(all, blue),
      tags: '{"team":"blue"}',
    });
    const [adam, eve] = [
      await ask(caller, 'gpt-4o', { user: 'adam' }),
      await ask(caller, 'gpt-4o', { user: 'eve' }),
    ];
    const found = await counters();
    expect(found.map(([value]) => value)).toEqual(['adam', 'eve']);
    expect([adam.budgets, eve.budgets]).toEqual(found.map(([, counter]) => list(all, counter)));
    // Again: no other counter. Also after everything was read anew.
    await store.changes.announce('budgets', String(id));
    expect((await ask(caller, 'gpt-4o', { user: 'adam' })).budgets).toBe(adam.budgets);
    expect(await counters()).toEqual(found);
    expect((await ask(caller, 'o3', { user: 'adam' })).budgets.split(',')).toHaveLength(3);
  });

  test('a tag with too many values has no more counters: a soft budget counts them no more, a hard one refuses', async () => {
    const id = await organization('user');
    const full = async (is_hard: 0 | 1, name: string) => {
      const budgetId = await budget(id, { subject: 'tag', tag_key: 'user', is_hard, name });
      const values = Array.from({ length: BUDGET_VALUES_MAX - 1 }, (_, index) => ({
        budget_id: budgetId,
        organization_id: id,
        value: `v${index}`,
        name,
        period: 'month' as const,
        is_hard,
        quota: 100,
        window_start: 0,
        window_end: 1,
        created_at: 1,
      }));
      for (let at = 0; at < values.length; at += 2000)
        await store.db
          .insertInto('budget_counters')
          .values(values.slice(at, at + 2000))
          .execute();
    };
    const caller = callerOf(id);
    const of = (value: string) => ask(caller, 'gpt-4o', { user: value });
    await full(0, 'soft');
    expect((await of('last')).budgets).not.toBe('');
    expect(await of('beyond')).toEqual({ budgets: '', tags: '{"user":"beyond"}' });
    expect((await of('v3')).budgets).not.toBe('');
    await full(1, 'hard');
    await store.changes.announce('budgets', String(id));
    expect((await of('last')).budgets.split(',')).toHaveLength(2);
    expect(of('beyond')).rejects.toMatchObject({ code: 'budget_values_full', parameters: { name: 'hard' } });
  });

  test('that were read while a change was heard are read again for the next call', async () => {
    const id = await organization();
    const first = await budget(id);
    let heard: (detail: string) => void = () => {};
    const changes = {
      subscribe(_topic: string, listener: typeof heard) {
        heard = listener;
        return () => {};
      },
    };
    const settings = { current: { SiteTimeZone: 'UTC' } } as never;
    const own = createBudgetBook({ db: store.db, changes } as unknown as Store, settings);
    const applying = async () => (await own.attribute(callerOf(id), 'gpt-4o', () => ({}))).budgets;
    const reading = applying();
    heard(String(id));
    expect(await reading).toBe(list(first));
    const second = await budget(id);
    expect(await applying()).toBe(list(first, second));
    // Without a change they are kept.
    await budget(id);
    expect(await applying()).toBe(list(first, second));
  });

  describe('a refusal names', () => {
    test('the budget with its value, and the owners who are there', async () => {
      const id = await organization();
      const member = async (role: 'owner' | 'admin', username: string, left_at = 0) => {
        const user_id = await user({ username });
        const values = {
          organization_id: id,
          user_id,
          role,
          source: 'invited',
          joined_at: 1,
          left_at,
        } as const;
        await store.db.insertInto('organization_members').values(values).execute();
      };
      await member('owner', 'gone', 5);
      await member('admin', 'admin');
      for (const name of ['ann', 'bob', 'cid', 'dan']) await member('owner', name);
      const row = { organization_id: id, name: 'Users', is_hard: 1, quota: 1 } as const;
      const clock = { zones: BUDGETS_OF_UTC, now: now() };
      const eve = await openCounter(store.db, { ...row, id: 77, period: 'day' }, 'eve', clock);
      const adam = await openCounter(store.db, { ...row, id: 77, period: 'day' }, 'adam', clock);
      const whole = await openCounter(store.db, { ...row, id: 78, period: 'total' }, '', clock);
      expect(new Set([eve, adam, whole]).size).toBe(3);
      expect(await openCounter(store.db, { ...row, id: 77, period: 'day' }, 'eve', clock)).toBe(eve);
      const caller = callerOf(id);
      const owners = 'ann, bob, cid';
      expect(await book.refusing(caller, eve)).toEqual({ name: 'Users (eve)', owners, isTotal: false });
      expect(await book.refusing(caller, whole)).toEqual({ name: 'Users', owners, isTotal: true });
      expect(await book.refusing(caller, 9_999_999)).toBeUndefined();
    });
  });

  test('what is kept in memory is read again when the organization or its budgets have changed, of that one alone', async () => {
    const [id, other] = [await organization(), await organization()];
    expect([(await ask(callerOf(id))).budgets, (await ask(callerOf(other))).budgets]).toEqual(['', '']);
    const [made, beside] = [await budget(id), await budget(other)];
    expect((await ask(callerOf(id))).budgets).toBe('');
    await store.changes.announce('budgets', String(id));
    expect([(await ask(callerOf(id))).budgets, (await ask(callerOf(other))).budgets]).toEqual([
      String(made),
      '',
    ]);
    await store.db.updateTable('organizations').set({ tag_keys: 'team' }).where('id', '=', id).execute();
    expect((await ask(callerOf(id), 'gpt-4o', { team: 'a' })).tags).toBe('');
    await store.changes.announce('organizations', String(id));
    expect((await ask(callerOf(id), 'gpt-4o', { team: 'a' })).tags).toBe('{"team":"a"}');
    // A call without any of them has a blank, as one of an organization that keeps none.
    const others: Record<string, string>[] = [{}, { user: 'b' }];
    for (const tags of others) expect((await ask(callerOf(id), 'gpt-4o', tags)).tags).toBe('');
    await store.changes.announce('budgets');
    expect((await ask(callerOf(other))).budgets).toBe(String(beside));
  });

  test('the zones of budgets are those that the site left while a month of them could be open', async () => {
    const left = async (key: string, old_value: string, daysAgo: number) => {
      const created_at = now() - daysAgo * 86_400;
      const values = { key, old_value, new_value: 'x', created_at, actor_id: 1 };
      await store.db.insertInto('option_history').values(values).execute();
      return { zone: old_value, at: created_at };
    };
    await left('SiteTimeZone', 'Asia/Tokyo', 33);
    const recent = [await left('SiteTimeZone', 'Asia/Shanghai', 31), await left('SiteTimeZone', 'UTC', 1)];
    await left('SystemName', 'Europe/Berlin', 1);
    const zones = await readBudgetZones(store, 'Asia/Kolkata', now());
    expect(zones).toEqual({ zone: 'Asia/Kolkata', left: recent });
  });
});
