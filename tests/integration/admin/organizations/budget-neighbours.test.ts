// Budgets beside others: of another subject with the same id, of another organization, another value of a tag, another member's
// requests, and in a window that is over. No call runs here: what is spent is written into the counters.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { BUDGETS_MAX, type BudgetView, type budgets } from '#contract/admin/organization-budgets.ts';
import type { Input } from '#contract/endpoint.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Member, type Scene } from './support.ts';

setDefaultTimeout(120_000);
type New = Input<typeof budgets.create>['body'];
const now = () => Math.floor(Date.now() / 1000);
const HOUR = 3600;

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(database);
  });
  afterAll(() => scene.close());

  const create = (by: Member, body: Partial<New> = {}) =>
    by.client.budgets.create({
      body: { name: 'All', subject: 'organization', period: 'month', quota: 1000, ...body },
    });
  const find = async (by: Member, id: number): Promise<BudgetView> => {
    const found = (await by.client.budgets.list()).find((budget) => budget.id === id);
    if (found === undefined) throw new Error('no such budget');
    return found;
  };
  const db = () => scene.app.store.db;
  let organizations = 0;
  /** Twenty of one name get names of their own in logs. */
  const newOrganization = () => scene.organization(`Budgets ${(organizations += 1)}`);
  const setCounter = (budgetId: number, columns: Partial<Record<string, number>>) =>
    db().updateTable('budget_counters').set(columns).where('budget_id', '=', budgetId).execute();
  const counterOf = (budgetId: number) =>
    db()
      .selectFrom('budget_counters')
      .selectAll()
      .where('budget_id', '=', budgetId)
      .executeTakeFirstOrThrow();
  const ended = async (ids: readonly number[]) => {
    const rows = await db().selectFrom('budgets').select(['id', 'ended_at']).where('id', 'in', ids).execute();
    return ids.map((id) => (rows.find((row) => row.id === id)?.ended_at ?? 0) > 0);
  };
  const keyOf = async (member: Member, holder: object = {}): Promise<number> => {
    const [token] = await member.client.tokens.create({
      body: { name: 'key', unlimited_quota: true, ...holder },
    });
    return token?.id ?? 0;
  };

  describe('a budget shows', () => {
    test('what is left beside what is spent, held and granted; in the next window only what is held', async () => {
      const { owner } = await newOrganization();
      const { id } = await create(owner, { period: 'day' });
      await setCounter(id, { spent: 300, held: 100, extra: 50 });
      expect(await find(owner, id)).toMatchObject({ spent: 300, held: 100, extra: 50, left: 650 });
      await setCounter(id, { window_start: now() - 2 * 86_400, window_end: now() - 86_400 });
      const rolled = await find(owner, id);
      expect(rolled).toMatchObject({ spent: 0, held: 100, extra: 0, left: 900 });
      expect(rolled.resets_at).toBeGreaterThan(now());
      await setCounter(id, { held: 5000 });
      expect(await find(owner, id)).toMatchObject({ left: 0 });
    });

    test('no reset and no forecast without an end, and none in its first hour', async () => {
      const { owner } = await newOrganization();
      const total = await create(owner, { name: 'total', period: 'total' });
      expect(await find(owner, total.id)).toMatchObject({ resets_at: 0, forecast: null });
      const young = await create(owner, { name: 'young' });
      await db()
        .updateTable('budgets')
        .set({ created_at: now() - HOUR / 2 })
        .where('id', '=', young.id)
        .execute();
      expect((await find(owner, young.id)).forecast).toBeNull();
    });

    test('a forecast at the pace since it was made, until the window ends', async () => {
      const { owner } = await newOrganization();
      const { id, window_start } = await create(owner);
      const created = now() - 5 * HOUR;
      await db().updateTable('budgets').set({ created_at: created }).where('id', '=', id).execute();
      await setCounter(id, { spent: 1_000_000 });
      const { forecast, resets_at } = await find(owner, id);
      const passed = now() - Math.max(created, window_start);
      // In the first hour of a month there is none.
      if (passed < HOUR + 60) return;
      const pace = 1_000_000 / passed;
      expect((forecast ?? 0) / (1_000_000 + pace * (resets_at - now()))).toBeCloseTo(1, 2);
    });
  });

  describe('a new budget', () => {
    test('refuses calls unless it is said to count only, and keeps its models', async () => {
      const { owner } = await newOrganization();
      expect(await create(owner)).toMatchObject({ is_hard: true, models: '' });
      const soft = await create(owner, { name: 'soft', is_hard: false, models: 'gpt-4o, gpt-4o-mini' });
      expect(soft).toMatchObject({ is_hard: false, models: 'gpt-4o,gpt-4o-mini' });
      expect(await counterOf(soft.id)).toMatchObject({ is_hard: 0, name: 'soft', quota: 1000, value: '' });
    });

    test('is of a project, a key or a tag that this organization has now', async () => {
      const [mine, other] = [await newOrganization(), await newOrganization()];
      const { owner } = mine;
      const foreign = await other.owner.client.projects.create({ body: { name: 'Foreign' } });
      const old = await owner.client.projects.create({ body: { name: 'Old' } });
      await owner.client.projects.archive({ params: { id: old.id } });
      const gone = await keyOf(owner);
      await owner.client.tokens.remove({ params: { id: gone } });
      const stranger = await other.member('member');
      const subjects = [
        { subject: 'project', subject_id: foreign.id },
        { subject: 'project', subject_id: old.id },
        { subject: 'token', subject_id: await keyOf(other.owner) },
        { subject: 'token', subject_id: gone },
        { subject: 'member', subject_id: stranger.id },
      ] as const;
      for (const subject of subjects)
        expect(await codeOf(create(owner, subject))).toBe('budget_subject_unknown');
      await owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } });
      expect(await codeOf(create(owner, { subject: 'tag', tag_key: 'tea' }))).toBe('tag_key_not_allowed');
    });

    test('of one value of a tag can be spent at once, one of every value with the first call of each', async () => {
      const { owner } = await newOrganization();
      await owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } });
      const tag = { subject: 'tag', tag_key: 'team' } as const;
      const blue = await create(owner, { ...tag, name: 'blue', tag_value: 'blue' });
      const each = await create(owner, { ...tag, name: 'each' });
      expect([blue.left, blue.counters.length]).toEqual([1000, 1]);
      expect([each.left, each.counters.length]).toEqual([null, 0]);
    });

    test('is one of five hundred at most, of which deleted ones are none', async () => {
      const { id, owner } = await newOrganization();
      const gone = await create(owner);
      await owner.client.budgets.remove({ params: { id: gone.id } });
      const values = Array.from({ length: BUDGETS_MAX - 1 }, (_, index) => ({
        organization_id: id,
        name: `budget ${index}`,
        subject: 'organization' as const,
        period: 'day' as const,
        quota: 1,
        created_at: 1,
        created_by: owner.id,
      }));
      await db().insertInto('budgets').values(values).execute();
      expect((await create(owner)).name).toBe('All');
      expect(await codeOf(create(owner, { name: 'one more' }))).toBe('budget_limit_reached');
    });

    test('may have the name of one that was deleted', async () => {
      const { owner } = await newOrganization();
      const { id } = await create(owner);
      await owner.client.budgets.remove({ params: { id } });
      expect((await create(owner)).name).toBe('All');
      expect(await codeOf(owner.client.budgets.remove({ params: { id } }))).toBe('not_found');
      expect(await codeOf(owner.client.budgets.change({ params: { id }, body: { quota: 1 } }))).toBe(
        'not_found',
      );
    });
  });

  test('a changed budget changes what its counter has of it, and nothing else', async () => {
    const { owner } = await newOrganization();
    const [{ id }, beside] = [await create(owner), await create(owner, { name: 'beside' })];
    await setCounter(id, { spent: 70, extra: 5 });
    await owner.client.budgets.change({
      params: { id },
      body: { name: 'Renamed', quota: 500, is_hard: false },
    });
    const changed = { name: 'Renamed', quota: 500, is_hard: 0, spent: 70, extra: 5 };
    expect(await counterOf(id)).toMatchObject(changed);
    expect(await counterOf(beside.id)).toMatchObject({ name: 'beside', quota: 1000, is_hard: 1 });
  });

  test('with a member end the budgets of that member alone, and the open requests for them', async () => {
    const [mine, other] = [await newOrganization(), await newOrganization()];
    const { owner } = mine;
    const [leaving, staying] = [await mine.member('member'), await mine.member('member')];
    const of = (member: Member, name: string) =>
      create(owner, { name, subject: 'member', subject_id: member.id });
    const [first, second] = [await of(leaving, 'leaving'), await of(leaving, 'leaving too')];
    const stays = await of(staying, 'staying');
    const organization = await create(owner);
    // The same number names a key, and a member elsewhere.
    const sameNumber = await create(owner, { name: 'key', subject: 'token', subject_id: await keyOf(owner) });
    const elsewhere = await create(other.owner);
    const { db: database } = scene.app.store;
    await database
      .updateTable('budgets')
      .set({ subject_id: leaving.id })
      .where('id', '=', sameNumber.id)
      .execute();
    await database
      .updateTable('budgets')
      .set({ subject: 'member', subject_id: leaving.id })
      .where('id', '=', elsewhere.id)
      .execute();
    const ask = (member: Member, id: number) =>
      member.client.budgets.ask({ params: { id }, body: { amount: 10 } });
    const [granted, open] = [await ask(leaving, first.id), await ask(leaving, second.id)];
    const [kept, ofAll] = [await ask(staying, stays.id), await ask(leaving, organization.id)];
    await owner.client.budgets.grant({ params: { id: granted.id }, body: {} });
    await owner.client.members.remove({ params: { user_id: leaving.id }, body: {} });
    const ids = [first.id, second.id, stays.id, organization.id, sameNumber.id, elsewhere.id];
    expect(await ended(ids)).toEqual([true, true, false, false, false, false]);
    const requests = await database
      .selectFrom('budget_requests')
      .select(['id', 'status', 'decided_at'])
      .where('organization_id', '=', mine.id)
      .orderBy('id')
      .execute();
    expect(requests.map(({ id, status }) => [id, status])).toEqual([
      [granted.id, 'granted'],
      [open.id, 'declined'],
      [kept.id, 'open'],
      [ofAll.id, 'open'],
    ]);
    expect(requests[1]?.decided_at).toBeGreaterThan(0);
    // Running calls settle into its counter.
    expect(await counterOf(first.id)).toMatchObject({ extra: 10 });
  });

  test('a deleted budget stays for the audit with its counter', async () => {
    const { owner } = await newOrganization();
    const [{ id }, beside] = [await create(owner), await create(owner, { name: 'beside' })];
    await owner.client.budgets.remove({ params: { id } });
    expect(await ended([id, beside.id])).toEqual([true, false]);
    expect((await counterOf(id)).budget_id).toBe(id);
    expect((await owner.client.budgets.list()).map(({ name }) => name)).toEqual(['beside']);
  });

  test('a member sees the budgets that bound the own calls, and of a tag not what others spend', async () => {
    const mine = await newOrganization();
    const { owner } = mine;
    const [member, other] = [await mine.member('member'), await mine.member('member')];
    const [used, unused] = [
      await owner.client.projects.create({ body: { name: 'Used' } }),
      await owner.client.projects.create({ body: { name: 'Unused' } }),
    ];
    const own = await keyOf(member, { project_id: used.id });
    const gone = await keyOf(member, { project_id: unused.id });
    const foreign = await keyOf(other);
    await owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } });
    const made: Partial<New>[] = [
      { name: 'all' },
      { name: 'gone key', subject: 'token', subject_id: gone },
      { name: 'other', subject: 'member', subject_id: other.id },
      { name: 'other key', subject: 'token', subject_id: foreign },
      { name: 'own', subject: 'member', subject_id: member.id },
      { name: 'own key', subject: 'token', subject_id: own },
      { name: 'tag', subject: 'tag', tag_key: 'team', tag_value: 'blue' },
      { name: 'unused', subject: 'project', subject_id: unused.id },
      { name: 'used', subject: 'project', subject_id: used.id },
    ];
    for (const body of made) await create(owner, body);
    await member.client.tokens.remove({ params: { id: gone } });
    const seen = await member.client.budgets.list();
    expect(seen.map(({ name }) => name)).toEqual(['all', 'own', 'own key', 'tag', 'used']);
    expect(seen.map(({ counters }) => counters.length)).toEqual([1, 1, 1, 0, 1]);
    const all = await owner.client.budgets.list();
    expect(all.map(({ name }) => name)).toEqual(made.map(({ name }) => name ?? ''));
    expect(all.find(({ name }) => name === 'tag')?.counters).toHaveLength(1);
  });

  describe('a request for more', () => {
    async function asking() {
      const organization = await newOrganization();
      const { owner } = organization;
      const [first, second] = [await organization.member('member'), await organization.member('member')];
      const budget = await create(owner, { name: 'Shared', quota: 1 });
      const ask = (by: Member, body: object = {}, id = budget.id) =>
        by.client.budgets.ask({ params: { id }, body: { amount: 10, reason: 'a job', ...body } });
      return { organization, owner, first, second, budget, ask };
    }

    test('is one of each member for each budget, and another after it was decided', async () => {
      const { owner, first, second, ask } = await asking();
      const other = await create(owner, { name: 'Other' });
      const made = await ask(first);
      expect(await codeOf(ask(first))).toBe('budget_request_open');
      await ask(second);
      await ask(first, {}, other.id);
      const declined = await owner.client.budgets.decline({
        params: { id: made.id },
        body: { answer: 'not now' },
      });
      expect(declined).toMatchObject({ status: 'declined', granted: 0, answer: 'not now', amount: 10 });
      await ask(first);
      const statuses = (await owner.client.budgets.requests()).map(({ status }) => status);
      expect(statuses).toEqual(['open', 'open', 'open', 'declined']);
      expect(await first.client.budgets.requests()).toHaveLength(3);
    });

    test('is granted with another amount, on top of what was granted before, and decides no other request', async () => {
      const { organization, owner, first, second, budget, ask } = await asking();
      const [one, two] = [await ask(first), await ask(second, { amount: 20 })];
      const grant = (id: number, body: object = {}) =>
        owner.client.budgets.grant({ params: { id }, body: { answer: 'fine', ...body } });
      const granted = await grant(one.id, { amount: 7 });
      expect(granted).toMatchObject({
        amount: 10,
        granted: 7,
        status: 'granted',
        decided_by_name: owner.username,
      });
      expect(granted.decided_at).toBeGreaterThan(0);
      expect(await find(owner, budget.id)).toMatchObject({ extra: 7, left: 8 });
      const [open] = await owner.client.budgets.requests();
      expect(open).toMatchObject({ id: two.id, status: 'open', granted: 0, decided_by_name: '' });
      await grant(two.id);
      expect(await find(owner, budget.id)).toMatchObject({ extra: 27 });
      expect(await codeOf(grant(two.id))).toBe('budget_request_decided');
      const notices = await db()
        .selectFrom('notices')
        .select(['event', 'user_id', 'details'])
        .where('event', 'in', ['budget_asked', 'budget_decided'])
        .where('user_id', 'in', [organization.id, first.id, second.id])
        .orderBy('id')
        .execute();
      const common = { organization: organization.name, budget: 'Shared', answer: 'fine' };
      const told: unknown[] = notices.map(({ details, ...row }) => ({
        ...row,
        ...(JSON.parse(details) as object),
      }));
      expect(told).toEqual([
        {
          event: 'budget_asked',
          user_id: organization.id,
          budget: 'Shared',
          member: first.username,
          amount: 10,
          reason: 'a job',
        },
        {
          event: 'budget_asked',
          user_id: organization.id,
          budget: 'Shared',
          member: second.username,
          amount: 20,
          reason: 'a job',
        },
        { event: 'budget_decided', user_id: first.id, ...common, granted: 7 },
        { event: 'budget_decided', user_id: second.id, ...common, granted: 20 },
      ]);
      const audited = await db()
        .selectFrom('audit')
        .select(['action', 'actor_id', 'after'])
        .where('organization_id', '=', organization.id)
        .where('action', 'in', ['budget.ask', 'budget.grant'])
        .orderBy('id')
        .execute();
      expect(audited.map(({ after, ...row }) => ({ ...row, after: JSON.parse(after) as unknown }))).toEqual([
        { action: 'budget.ask', actor_id: first.id, after: { request: one.id, amount: 10, reason: 'a job' } },
        {
          action: 'budget.ask',
          actor_id: second.id,
          after: { request: two.id, amount: 20, reason: 'a job' },
        },
        {
          action: 'budget.grant',
          actor_id: owner.id,
          after: { request: one.id, asked_by: first.id, amount: 7, answer: 'fine' },
        },
        {
          action: 'budget.grant',
          actor_id: owner.id,
          after: { request: two.id, asked_by: second.id, amount: 20, answer: 'fine' },
        },
      ]);
    });

    test('that is declined is told to who asked', async () => {
      const { organization, owner, first, ask } = await asking();
      const { id } = await ask(first);
      await owner.client.budgets.decline({ params: { id }, body: { answer: 'no' } });
      const [notice] = await db()
        .selectFrom('notices')
        .select('details')
        .where('user_id', '=', first.id)
        .where('event', '=', 'budget_decided')
        .execute();
      expect(JSON.parse(notice?.details ?? '{}')).toEqual({
        organization: organization.name,
        budget: 'Shared',
        granted: 0,
        answer: 'no',
      });
    });

    test('is decided by its own organization alone', async () => {
      const [{ first, ask, budget, owner }, other] = [await asking(), await newOrganization()];
      const { id } = await ask(first);
      const decision = { params: { id }, body: {} };
      expect(await codeOf(other.owner.client.budgets.grant(decision))).toBe('not_found');
      expect(await codeOf(other.owner.client.budgets.decline(decision))).toBe('not_found');
      expect(await codeOf(ask(other.owner))).toBe('not_found');
      expect(await find(owner, budget.id)).toMatchObject({ extra: 0 });
    });

    test('names the value only where each value has the amount for itself', async () => {
      const { owner, first, ask } = await asking();
      await owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } });
      const blue = { name: 'Blue', subject: 'tag', tag_key: 'team', tag_value: 'blue' } as const;
      const { id } = await create(owner, blue);
      expect(await ask(first, { value: 'blue' }, id)).toMatchObject({ budget_name: 'Blue', value: '' });
    });

    test('that is granted in a new window counts in it, and the old one keeps what it spent', async () => {
      const { owner, first, budget, ask } = await asking();
      const start = now() - 40 * 86_400;
      const window = { window_start: start, window_end: start + 86_400 };
      await setCounter(budget.id, { ...window, spent: 90, extra: 30, noticed: 80, held: 4 });
      const { id: counterId } = await counterOf(budget.id);
      const spentThen = { counter_id: counterId, ...window, spent: 5 };
      await db().insertInto('budget_windows').values(spentThen).execute();
      const { id } = await ask(first);
      await owner.client.budgets.grant({ params: { id }, body: {} });
      const counter = await counterOf(budget.id);
      expect(counter).toMatchObject({ spent: 0, extra: 10, noticed: 0, held: 4 });
      expect(counter.window_end).toBeGreaterThan(now());
      const windows = db().selectFrom('budget_windows').selectAll().where('counter_id', '=', counterId);
      expect(await windows.execute()).toEqual([{ ...spentThen, spent: 95 }]);
    });
  });
});
