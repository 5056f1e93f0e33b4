// Money between balances beside others: promises of other organizations, requests that are decided, owners elsewhere, balances that
// are full or gone, and what each record says.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { OPEN_MOVES_MAX, type moves } from '#contract/admin/organization-moves.ts';
import type { Input } from '#contract/endpoint.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { setAsideOf } from '#server/money/ledger/held-by-calls.ts';
import { maximumAmount } from '#server/money/quota-units.ts';
import { ApiRefusal } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { callOf, outcome } from '#tests/integration/money/ledger/world.ts';
import { codeOf, openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const FUNDS = 1_000_000;
type Out = Input<typeof moves.out>['body'];

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(database);
  });
  afterAll(async () => {
    expect(await checkInvariants(scene.app.store)).toEqual([]);
    await scene.close();
  });

  let requests = 0;
  const request_id = () => `request-${(requests += 1)}`;
  const db = () => scene.app.store.db;
  const now = () => Math.floor(Date.now() / 1000);
  const balanceOf = async (id: number) =>
    (await db().selectFrom('users').select('quota').where('id', '=', id).executeTakeFirstOrThrow()).quota;
  const credit = (userId: number, amount: number) =>
    scene.app.ledger.credit({
      idem: request_id(),
      userId,
      amount,
      from: 'world:admin',
      kind: 'test',
      reference: '',
    });
  let organizations = 0;
  async function funded(amount = FUNDS): Promise<Organization> {
    const organization = await scene.organization(`Mover ${(organizations += 1)}`);
    if (amount > 0) await credit(organization.id, amount);
    return organization;
  }
  const ask = (by: Member, body: Partial<Out>) =>
    by.client.moves.out({ body: { amount: 10, request_id: request_id(), ...body } });
  const accept = (by: Member, id: number) => by.client.moves.accept({ params: { id } });
  const decline = (by: Member, id: number) => by.client.moves.decline({ params: { id } });
  const messageOf = async (call: Promise<unknown>): Promise<string> => {
    const error: unknown = await call.then(
      () => undefined,
      (refusal: unknown) => refusal,
    );
    return error instanceof ApiRefusal ? error.body.message : '';
  };
  const rowOf = (id: number) =>
    db().selectFrom('balance_moves').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  test('a form that is sent twice is one request, and the same text of another person is another', async () => {
    const acme = await funded();
    const [first, second] = [await acme.member('billing'), await acme.member('billing')];
    const key = request_id();
    const asked = await ask(first, { amount: 7, to_user_id: first.id, request_id: key });
    const again = await ask(first, { amount: 7, to_user_id: first.id, request_id: key });
    const other = await ask(second, { amount: 9, to_user_id: second.id, request_id: key });
    expect(again).toEqual(asked);
    expect(other.id).not.toBe(asked.id);
    await accept(acme.owner, asked.id);
    expect(await ask(first, { amount: 7, to_user_id: first.id, request_id: key })).toMatchObject({
      id: asked.id,
      status: 'done',
    });
    const alone = { amount: 5, to_user_id: acme.owner.id, request_id: request_id() };
    const done = await ask(acme.owner, alone);
    // The owner who could have accepted is not asked for what is done.
    expect(await ask(acme.owner, alone)).toEqual(done);
    expect([await balanceOf(first.id), await balanceOf(second.id), await balanceOf(acme.owner.id)]).toEqual([
      7, 0, 5,
    ]);
    expect(await balanceOf(acme.id)).toBe(FUNDS - 12);
  });

  test('each record says who asked and why, who decided and when, and the audit the same', async () => {
    const acme = await funded();
    const billing = await acme.member('billing');
    const began = now();
    const to = { to_user_id: billing.id };
    const first = await ask(billing, { ...to, amount: 41, reason: 'for the tools' });
    const second = await ask(billing, { ...to, amount: 42, reason: 'for a test' });
    const third = await ask(billing, { ...to, amount: 43 });
    expect(first).toMatchObject({
      direction: 'out',
      other_id: billing.id,
      other_name: billing.username,
      amount: 41,
      reason: 'for the tools',
      status: 'open',
      asked_by: billing.id,
      asked_by_name: billing.username,
      decided_by_name: '',
      decided_at: 0,
      may_accept: false,
    });
    expect(first.created_at).toBeGreaterThanOrEqual(began);
    const accepted = await accept(acme.owner, first.id);
    const declined = await decline(acme.owner, second.id);
    const decided = { decided_by_name: acme.owner.username, asked_by_name: billing.username };
    expect(accepted).toMatchObject({ ...decided, status: 'done', may_accept: false });
    expect(declined).toMatchObject({ ...decided, status: 'declined', may_accept: false });
    for (const { decided_at } of [accepted, declined]) expect(decided_at).toBeGreaterThanOrEqual(began);
    const own = await ask(acme.owner, { amount: 44, to_user_id: acme.owner.id });
    expect(own).toMatchObject({ status: 'done', decided_by_name: acme.owner.username });
    expect(own.decided_at).toBeGreaterThanOrEqual(began);
    await credit(billing.id, 5);
    const into = await billing.client.moves.into({ body: { amount: 46, request_id: request_id() } });
    expect(await rowOf(into.id)).toMatchObject({
      from_id: billing.id,
      to_id: acme.id,
      asked_by: billing.id,
      decided_by: billing.id,
      status: 'done',
    });
    expect(into.decided_at).toBeGreaterThanOrEqual(began);
    expect(await rowOf(third.id)).toMatchObject({ status: 'open', decided_by: 0, decided_at: 0 });
    // Open ones first, then the newest.
    const listed = (await acme.owner.client.moves.list()).map(({ id }) => id);
    expect(listed).toEqual([third.id, into.id, own.id, second.id, first.id]);
    const rows = await db()
      .selectFrom('audit')
      .select(['action', 'actor_id', 'after'])
      .where('target', '=', `organization:${acme.id}`)
      .where('action', 'like', 'organization.move%')
      .orderBy('id')
      .execute();
    const of = (request: number, user_id: number, quota: number) => ({ request, user_id, quota });
    expect(
      rows.map(({ action, actor_id, after }) => [action, actor_id, JSON.parse(after) as unknown]),
    ).toEqual([
      ['organization.move_ask', billing.id, { ...of(first.id, billing.id, 41), reason: 'for the tools' }],
      ['organization.move_ask', billing.id, { ...of(second.id, billing.id, 42), reason: 'for a test' }],
      ['organization.move_ask', billing.id, { ...of(third.id, billing.id, 43), reason: '' }],
      ['organization.move_accept', acme.owner.id, of(first.id, billing.id, 41)],
      ['organization.move_decline', acme.owner.id, of(second.id, billing.id, 42)],
      ['organization.move_ask', acme.owner.id, { ...of(own.id, acme.owner.id, 44), reason: '' }],
      ['organization.move_in', billing.id, { user_id: billing.id, quota: 46 }],
    ]);
  });

  test('promises of this organization stay as far as they are not spent; ended, past and foreign ones do not', async () => {
    const [acme, beside] = [await funded(), await funded()];
    const month = { subject: 'organization', period: 'month', quota: 10 } as const;
    const promise = async (organization: Organization, name: string, columns: Record<string, number>) => {
      const { id } = await organization.owner.client.budgets.create({ body: { ...month, name } });
      await db().updateTable('budget_counters').set(columns).where('budget_id', '=', id).execute();
      return id;
    };
    await promise(acme, 'partly spent', { quota: 10, extra: 300_000, spent: 40_000, held: 5_000 });
    await promise(acme, 'not begun', { quota: 1_000, extra: 7_000, spent: 100, held: 20 });
    await promise(acme, 'overspent', { quota: 5, extra: 100, spent: 200_000 });
    await promise(acme, 'nothing granted', { quota: 90_000 });
    await promise(acme, 'past', { extra: 60_000, window_end: now() - 5 });
    const ended = await promise(acme, 'ended', { extra: 50_000 });
    await acme.owner.client.budgets.remove({ params: { id: ended } });
    await promise(beside, 'foreign', { extra: 80_000 });
    const free = FUNDS - (300_000 + 10 - 45_000) - 7_000;
    const short = ask(acme.owner, { amount: free + 1, to_user_id: acme.owner.id });
    expect(await messageOf(short)).toContain(`at most $${(free / 500_000).toFixed(6)} can be moved`);
    expect((await ask(acme.owner, { amount: free, to_user_id: acme.owner.id })).status).toBe('done');
    // Nothing was written for the refused one.
    const list = await acme.owner.client.moves.list();
    expect(list.map(({ amount, status }) => [amount, status])).toEqual([[free, 'done']]);
    await promise(beside, 'more than there is', { extra: 2 * FUNDS });
    const none = ask(beside.owner, { amount: 1, to_user_id: beside.owner.id });
    expect(await messageOf(none)).toContain('at most $0.000000 can be moved');
    for (const { id } of [acme, beside])
      await db()
        .updateTable('budget_counters')
        .set({ spent: 0, held: 0, extra: 0 })
        .where('organization_id', '=', id)
        .execute();
  });

  test('twenty requests wait at most; decided ones and those of others do not count', async () => {
    const [acme, beside] = [await funded(), await funded()];
    const billing = await acme.member('billing');
    const rowsOf = (from: number, count: number, status: 'open' | 'declined') =>
      Array.from({ length: count }, () => ({
        from_id: from,
        to_id: billing.id,
        amount: 1,
        reason: '',
        asked_by: billing.id,
        request_key: request_id(),
        created_at: 1,
        status,
      }));
    const values = [
      ...rowsOf(acme.id, OPEN_MOVES_MAX - 1, 'open'),
      ...rowsOf(acme.id, 90, 'declined'),
      ...rowsOf(beside.id, 3, 'open'),
      ...rowsOf(billing.id, 3, 'open'),
    ];
    await db().insertInto('balance_moves').values(values).execute();
    const last = await ask(billing, { to_user_id: billing.id });
    expect(last.status).toBe('open');
    expect(await codeOf(ask(billing, { to_user_id: billing.id }))).toBe('move_limit_reached');
    const list = await acme.owner.client.moves.list();
    expect(list).toHaveLength(100);
    expect(list.filter(({ status }) => status === 'open').map(({ id }) => id)).toContain(last.id);
    await decline(acme.owner, last.id);
    expect((await ask(billing, { to_user_id: billing.id })).status).toBe('open');
  });

  test('a receiver is one, and another organization only while who asked owns it', async () => {
    const [acme, home] = [await funded(), await funded()];
    const second = await acme.member('owner');
    const to = { to_organization_id: home.id };
    for (const wrong of [{}, { to_user_id: home.owner.id }, to])
      expect(await codeOf(ask(acme.owner, wrong))).toBe('move_receiver_unknown');
    // Of somebody who pays for the other one, but does not own it.
    const { id: invitation } = await home.owner.client.invitations.create({
      body: { to: second.username, role: 'billing' },
    });
    await second.own.invitations.accept({ body: { id: invitation } });
    expect(await codeOf(ask(second, to))).toBe('move_receiver_unknown');
    const mine = await acme.owner.own.organizations.create({ body: { name: `Mine ${organizations}` } });
    const there = { to_organization_id: mine.id };
    const two = { ...there, to_user_id: second.id };
    expect(await codeOf(ask(acme.owner, two))).toBe('move_receiver_unknown');
    const [kept, lost] = [await ask(acme.owner, there), await ask(acme.owner, { ...there, amount: 20 })];
    expect(kept).toMatchObject({ status: 'open', other_id: mine.id, other_name: `Mine ${organizations}` });
    // Who accepts need not own the other organization.
    expect((await accept(second, kept.id)).status).toBe('done');
    await db()
      .updateTable('organization_members')
      .set({ role: 'admin' })
      .where('organization_id', '=', mine.id)
      .where('user_id', '=', acme.owner.id)
      .execute();
    expect(await codeOf(accept(second, lost.id))).toBe('move_receiver_unknown');
    expect([await balanceOf(mine.id), await balanceOf(acme.id)]).toEqual([10, FUNDS - 10]);
    expect((await rowOf(lost.id)).status).toBe('open');
  });

  test('the other organization sees what comes in, and neither accepts nor declines it', async () => {
    const [acme, mine, beside] = [await funded(), await funded(0), await funded()];
    const second = await acme.member('owner');
    await db()
      .insertInto('organization_members')
      .values({
        organization_id: mine.id,
        user_id: acme.owner.id,
        role: 'owner',
        source: 'invited',
        joined_at: now(),
      })
      .execute();
    const asked = await ask(acme.owner, { amount: 30, to_organization_id: mine.id });
    const seen = { id: asked.id, direction: 'in', other_id: acme.id, other_name: acme.name, amount: 30 };
    expect(await mine.owner.client.moves.list()).toMatchObject([{ ...seen, may_accept: false }]);
    expect(await beside.owner.client.moves.list()).toEqual([]);
    expect((await second.client.moves.list())[0]?.may_accept).toBe(true);
    for (const decide of [accept, decline])
      expect(await codeOf(decide(mine.owner, asked.id))).toBe('not_found');
    await accept(second, asked.id);
    expect([await balanceOf(mine.id), await balanceOf(acme.id)]).toEqual([30, FUNDS - 30]);
  });

  test('a balance that would be too large, or whose owner is deleted, gets nothing, and nothing leaves', async () => {
    const acme = await funded();
    const [rich, gone] = [await acme.member('member'), await acme.member('member')];
    await credit(rich.id, maximumAmount - 5);
    expect(await codeOf(ask(acme.owner, { amount: 6, to_user_id: rich.id }))).toBe('move_over_limit');
    expect(await balanceOf(acme.id)).toBe(FUNDS);
    expect((await ask(acme.owner, { amount: 5, to_user_id: rich.id })).status).toBe('done');
    const user = db().updateTable('users').where('id', '=', gone.id);
    await user.set({ deleted_at: now() }).execute();
    expect(await codeOf(ask(acme.owner, { to_user_id: gone.id }))).toBe('move_receiver_unknown');
    await user.set({ deleted_at: null }).execute();
    expect([await balanceOf(acme.id), await balanceOf(gone.id)]).toEqual([FUNDS - 5, 0]);
    // Too large a sum for the books: it goes back.
    await scene.app.ledger.debit({
      idem: request_id(),
      userId: rich.id,
      amount: maximumAmount - 5,
      to: 'world:admin',
      kind: 'test',
      reference: '',
    });
  });

  test('what nodes have set aside can be moved, and every node reads both balances again', async () => {
    const { ledger, store } = scene.app;
    const announced: (string | undefined)[] = [];
    store.changes.subscribe('users', (detail) => announced.push(detail));
    /** PostgreSQL sets a part of the balance aside for the next call of a token. */
    const setAside = async (client: Member['client'], userId: number) => {
      const [token] = await client.tokens.create({ body: { name: 'key', unlimited_quota: true } });
      for (let calls = 0; calls < 100; calls += 1) {
        const opening = await ledger.open(callOf(userId, token?.id ?? 0, 100));
        if (opening.ok) await ledger.settle(opening.call, outcome(0));
        const slices = await setAsideOf(store.db, userId);
        if (database === 'sqlite' || slices.size > 0) return;
      }
      throw new Error('nothing was set aside');
    };
    const moved = async (from: number, to: number, move: () => Promise<{ status: string }>) => {
      announced.length = 0;
      expect((await move()).status).toBe('done');
      for (const id of [from, to]) expect(announced).toContain(String(id));
      expect(await balanceOf(from)).toBe(0);
    };
    const [first, second, third] = [await funded(), await funded(), await funded()];
    const payer = await first.member('billing');
    await credit(payer.id, FUNDS);
    await setAside(payer.own, payer.id);
    const all = { amount: FUNDS, request_id: request_id() };
    await moved(payer.id, first.id, () => payer.client.moves.into({ body: all }));
    await setAside(second.owner.client, second.id);
    await moved(second.id, second.owner.id, () =>
      ask(second.owner, { amount: FUNDS, to_user_id: second.owner.id }),
    );
    // Not asked through the API, which would give back what is set aside.
    const asker = await third.member('billing');
    const { id } = await db()
      .insertInto('balance_moves')
      .values({
        from_id: third.id,
        to_id: asker.id,
        amount: FUNDS,
        asked_by: asker.id,
        request_key: request_id(),
        created_at: now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await setAside(third.owner.client, third.id);
    await moved(third.id, asker.id, () => accept(third.owner, id));
    expect(await balanceOf(first.id)).toBe(2 * FUNDS);
  });
});
