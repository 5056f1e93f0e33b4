// Money between balances: whose consent it needs, what stays, that both sides have an entry, and that no two people take it twice.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const FUNDS = 1_000_000;

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
  const balanceOf = async (id: number) =>
    (
      await scene.app.store.db
        .selectFrom('users')
        .select('quota')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).quota;
  const fund = (id: number) =>
    scene.app.client(scene.root).organizationManagement.adjustBalance({
      params: { id },
      body: { quota_change: FUNDS },
    });
  async function funded(): Promise<Organization> {
    const organization = await scene.organization();
    await fund(organization.id);
    return organization;
  }
  const out = (by: Member, to: Member, amount: number) =>
    by.client.moves.out({ body: { amount, to_user_id: to.id, request_id: request_id() } });
  const accept = (by: Member, id: number) => by.client.moves.accept({ params: { id } });
  const decline = (by: Member, id: number) => by.client.moves.decline({ params: { id } });

  test('a request id that was used for another amount, receiver or direction is refused, not answered with that move', async () => {
    const [acme, other] = [await funded(), await funded()];
    const billing = await acme.member('billing', { quota: 500 });
    const [first, second] = [await acme.member('member'), await acme.member('member')];
    const key = request_id();
    const { id } = await billing.client.moves.into({ body: { amount: 300, request_id: key } });
    expect((await billing.client.moves.into({ body: { amount: 300, request_id: key } })).id).toBe(id);
    for (const amount of [299, 301])
      expect(await codeOf(billing.client.moves.into({ body: { amount, request_id: key } }))).toBe(
        'invalid_parameter',
      );
    const outKey = request_id();
    const out = (amount: number, to: Member, request = outKey) =>
      acme.owner.client.moves.out({ body: { amount, to_user_id: to.id, request_id: request } });
    const { id: asked } = await out(10, first);
    expect((await out(10, first)).id).toBe(asked);
    expect([await codeOf(out(11, first)), await codeOf(out(10, second))]).toEqual([
      'invalid_parameter',
      'invalid_parameter',
    ]);
    const back = acme.owner.client.moves.into({ body: { amount: 10, request_id: outKey } });
    expect(await codeOf(back)).toBe('invalid_parameter');
    expect([await balanceOf(billing.id), await balanceOf(other.id)]).toEqual([200, FUNDS]);
  });

  test('whoever may top up moves their own money in, once for each form', async () => {
    const acme = await scene.organization();
    const billing = await acme.member('billing', { quota: 500 });
    const body = { amount: 300, request_id: request_id() };
    const moved = await billing.client.moves.into({ body });
    expect(moved).toMatchObject({
      direction: 'in',
      other_name: billing.username,
      amount: 300,
      status: 'done',
    });
    expect((await billing.client.moves.into({ body })).id).toBe(moved.id);
    expect([await balanceOf(billing.id), await balanceOf(acme.id)]).toEqual([200, 300]);
    const short = billing.client.moves.into({ body: { amount: 201, request_id: request_id() } });
    expect(await codeOf(short)).toBe('move_short');
    for (const role of ['member', 'viewer'] as const) {
      const other = await acme.member(role, { quota: 500 });
      const asked = other.client.moves.into({ body: { amount: 1, request_id: request_id() } });
      expect(await codeOf(asked)).toBe('organization_right_missing');
    }
    // Each side has an entry with the name of the other.
    const month = new Date().toISOString().slice(0, 7);
    const own = await billing.own.statements.own({ query: { month } });
    const theirs = await acme.owner.client.statements.own({ query: { month } });
    const entry = ({ kind, amount, note }: { kind: string; amount: number; note: string }) => [
      kind,
      amount,
      note,
    ];
    expect(own.entries.map(entry)).toContainEqual(['move_out', -300, 'Acme']);
    expect(theirs.entries.map(entry)).toContainEqual(['move_in', 300, billing.username]);
  });

  test('the only owner moves money out at once; what a billing member asks for waits for the owner', async () => {
    const acme = await funded();
    expect(await out(acme.owner, acme.owner, 400)).toMatchObject({ status: 'done', direction: 'out' });
    expect([await balanceOf(acme.owner.id), await balanceOf(acme.id)]).toEqual([400, FUNDS - 400]);
    const billing = await acme.member('billing');
    const asked = await out(billing, billing, 100);
    expect(asked).toMatchObject({ status: 'open', may_accept: false });
    expect(await balanceOf(billing.id)).toBe(0);
    expect(await codeOf(accept(billing, asked.id))).toBe('organization_right_missing');
    expect((await acme.owner.client.moves.list())[0]).toMatchObject({ id: asked.id, may_accept: true });
    expect(await accept(acme.owner, asked.id)).toMatchObject({ status: 'done' });
    expect(await codeOf(accept(acme.owner, asked.id))).toBe('move_decided');
    expect([await balanceOf(billing.id), await balanceOf(acme.id)]).toEqual([100, FUNDS - 500]);
  });

  test('of several owners one accepts who neither asked nor gets it, while there is one', async () => {
    const acme = await funded();
    const [second, third] = [await acme.member('owner'), await acme.member('owner')];
    const asked = await out(acme.owner, second, 100);
    expect(asked.status).toBe('open');
    for (const wrong of [acme.owner, second])
      expect(await codeOf(accept(wrong, asked.id))).toBe('move_other_owner');
    expect((await accept(third, asked.id)).status).toBe('done');
    // Of two owners the other one accepts, also what they get.
    await third.client.members.leave();
    const next = await out(acme.owner, second, 50);
    expect(await codeOf(accept(acme.owner, next.id))).toBe('move_other_owner');
    expect((await accept(second, next.id)).status).toBe('done');
    expect(await balanceOf(second.id)).toBe(150);
  });

  test('a move is declined by an owner or withdrawn by who asked, and nobody else', async () => {
    const acme = await funded();
    const [billing, other] = [await acme.member('billing'), await acme.member('billing')];
    const [first, second] = [await out(billing, billing, 10), await out(billing, billing, 10)];
    expect(await codeOf(decline(other, first.id))).toBe('move_other_owner');
    expect((await decline(billing, first.id)).status).toBe('declined');
    expect((await decline(acme.owner, second.id)).status).toBe('declined');
    expect(await codeOf(accept(acme.owner, second.id))).toBe('move_decided');
    expect(await balanceOf(acme.id)).toBe(FUNDS);
    const elsewhere = await funded();
    expect(await codeOf(accept(elsewhere.owner, first.id))).toBe('not_found');
  });

  test('the receiver is a member, or another organization of who asks; also when it is accepted', async () => {
    const acme = await funded();
    const stranger = acme.as(await scene.app.actor());
    expect(await codeOf(out(acme.owner, stranger, 10))).toBe('move_receiver_unknown');
    const foreign = await scene.organization('Foreign');
    const to = (id: number) =>
      acme.owner.client.moves.out({ body: { amount: 10, to_organization_id: id, request_id: request_id() } });
    expect(await codeOf(to(foreign.id))).toBe('move_receiver_unknown');
    expect(await codeOf(to(acme.id))).toBe('move_receiver_unknown');
    const { id: own } = await acme.owner.own.organizations.create({ body: { name: 'Second' } });
    expect(await to(own)).toMatchObject({ status: 'done', other_name: 'Second' });
    expect(await balanceOf(own)).toBe(10);
    const leaving = await acme.member('billing');
    const asked = await out(leaving, leaving, 10);
    await leaving.client.members.leave();
    expect(await codeOf(accept(acme.owner, asked.id))).toBe('move_receiver_unknown');
  });

  test('what calls hold and what was granted on top of budgets stays', async () => {
    const acme = await funded();
    const member = await acme.member('member');
    const budget = await acme.owner.client.budgets.create({
      body: { name: 'Month', subject: 'organization', period: 'month', quota: 10 },
    });
    const { id } = await member.client.budgets.ask({ params: { id: budget.id }, body: { amount: 300_000 } });
    await acme.owner.client.budgets.grant({ params: { id }, body: {} });
    const free = FUNDS - 300_000;
    expect(await codeOf(out(acme.owner, acme.owner, free + 1))).toBe('move_short');
    await scene.app.store.db
      .updateTable('users')
      .set({ held_quota: 200_000 })
      .where('id', '=', acme.id)
      .execute();
    expect(await codeOf(out(acme.owner, acme.owner, free - 199_999))).toBe('move_short');
    expect((await out(acme.owner, acme.owner, free - 200_000)).status).toBe('done');
    await scene.app.store.db.updateTable('users').set({ held_quota: 0 }).where('id', '=', acme.id).execute();
  });

  test('of many moves at once, in both directions, no more leaves than there is', async () => {
    const acme = await scene.organization();
    await scene.app.client(scene.root).organizationManagement.adjustBalance({
      params: { id: acme.id },
      body: { quota_change: 500 },
    });
    const rich = await acme.member('billing', { quota: 500 });
    const calls = Array.from({ length: 10 }, (_, at) =>
      codeOf(
        at % 2 === 0
          ? out(acme.owner, acme.owner, 100)
          : rich.client.moves.into({ body: { amount: 100, request_id: request_id() } }),
      ),
    );
    const results = await Promise.all(calls);
    expect(new Set(results)).toEqual(new Set(['done']));
    expect([await balanceOf(acme.id), await balanceOf(acme.owner.id), await balanceOf(rich.id)]).toEqual([
      500, 500, 0,
    ]);
    const more = await Promise.all(Array.from({ length: 7 }, () => codeOf(out(acme.owner, acme.owner, 100))));
    expect(more.toSorted()).toEqual([...Array<string>(5).fill('done'), 'move_short', 'move_short']);
    expect(await balanceOf(acme.id)).toBe(0);
  });

  test('a suspended receiver gets nothing', async () => {
    const acme = await funded();
    const member = await acme.member('member');
    await scene.app.client(scene.root).userManagement.manage({ body: { id: member.id, action: 'disable' } });
    expect(await codeOf(out(acme.owner, member, 10))).toBe('move_receiver_unknown');
    expect(await balanceOf(acme.id)).toBe(FUNDS);
  });
});
