// What needs an organization: one list from the server, for those whose role lets them see it, and for nobody else.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AttentionItem } from '#contract/admin/attention.ts';
import { ORGANIZATION_KINDS } from '#contract/admin/attention-organization-kinds.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { mailReceivers } from '#server/platform/notices/mail-receivers.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { codeOf, openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const DOLLAR = 500_000;

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let acme: Organization;
  let other: Organization;
  const people = {} as Record<'admin' | 'billing' | 'member' | 'viewer', Member>;
  const budgets = {} as Record<'over' | 'soft' | 'fast' | 'calm', number>;
  const db = () => scene.app.store.db;
  const now = () => Math.floor(Date.now() / 1000);

  async function needsOf(member: Member): Promise<Map<string, AttentionItem>> {
    const { items } = await member.client.attention.list();
    return new Map(items.map((item) => [item.id, item]));
  }
  /** As calls would have spent it. */
  const spend = (budget: number, spent: number) =>
    db().updateTable('budget_counters').set({ spent }).where('budget_id', '=', budget).execute();

  beforeAll(async () => {
    scene = await openScene(database);
    acme = await scene.organization('Acme');
    other = await scene.organization('Other');
    for (const role of ['admin', 'billing', 'member', 'viewer'] as const)
      people[role] = await acme.member(role, { row: { email: `${role}@example.com` } });
    const { client } = acme.owner;
    const budget = async (name: string, period: 'month' | 'total', is_hard: boolean) => {
      const { id } = await client.budgets.create({
        body: { name, subject: 'organization', period, quota: 100 * DOLLAR, is_hard },
      });
      return id;
    };
    budgets.over = await budget('Launch', 'total', true);
    budgets.soft = await budget('Hint', 'total', false);
    budgets.fast = await budget('Month', 'month', true);
    budgets.calm = await budget('Calm', 'month', true);
  });
  afterAll(() => scene.close());

  const money = (id: number, quota_change: number) =>
    scene.app.client(scene.root).organizationManagement.adjustBalance({
      params: { id },
      body: { quota_change },
    });

  test('nothing needs a new organization but money; who cannot pay is led there to look', async () => {
    const shown = async (member: Member) =>
      [...(await needsOf(member)).values()].map(({ id, severity, action }) => [id, severity, action]);
    const empty = `wallet_empty:${acme.id}`;
    expect(await shown(acme.owner)).toEqual([[empty, 'stop', 'top_up']]);
    expect(await shown(people.billing)).toEqual([[empty, 'stop', 'top_up']]);
    expect(await shown(people.viewer)).toEqual([[empty, 'stop', 'look']]);
    expect(await shown(people.member)).toEqual([]);
    expect((await acme.owner.client.attention.list()).counts).toEqual({ '/topup': { stop: 1, act: 0 } });
    await money(acme.id, DOLLAR);
    await money(other.id, DOLLAR);
    expect(await shown(acme.owner)).toEqual([]);
  });

  test('a budget that is used up stops calls where it is hard, and one that will be is said before', async () => {
    await spend(budgets.over, 100 * DOLLAR);
    await spend(budgets.soft, 120 * DOLLAR);
    await db()
      .updateTable('budgets')
      .set({ created_at: now() - 7200 })
      .where('organization_id', '=', acme.id)
      .execute();
    await spend(budgets.fast, 99 * DOLLAR);
    const { forecast } = (await acme.owner.client.budgets.list()).find(({ id }) => id === budgets.fast) ?? {};
    const needs = await needsOf(acme.owner);
    expect(needs.get(`budget_over:${budgets.over}`)).toMatchObject({
      severity: 'stop',
      values: { name: 'Launch', spent_quota: 100 * DOLLAR, limit_quota: 100 * DOLLAR },
      address: '/budgets',
    });
    expect(needs.get(`budget_over:${budgets.soft}`)?.severity).toBe('wait');
    // In the first hour of a month, and in its last minutes, there is nothing to say.
    expect(needs.has(`budget_forecast:${budgets.fast}`)).toBe((forecast ?? 0) > 100 * DOLLAR);
    expect(needs.has(`budget_forecast:${budgets.calm}`)).toBe(false);
    await acme.owner.client.budgets.change({ params: { id: budgets.over }, body: { quota: 200 * DOLLAR } });
    expect((await needsOf(acme.owner)).has(`budget_over:${budgets.over}`)).toBe(false);
    await spend(budgets.over, 200 * DOLLAR);
  });

  test('requests, invitations and money out wait for those who decide on them, each until it is done', async () => {
    const { client } = acme.owner;
    await money(acme.id, 9 * DOLLAR);
    const asked = await people.member.client.budgets.ask({
      params: { id: budgets.calm },
      body: { amount: DOLLAR, reason: 'a test' },
    });
    const guest = await scene.app.actor();
    const invited = await client.invitations.create({ body: { to: guest.username, role: 'member' } });
    await people.billing.client.moves.out({
      body: { amount: DOLLAR, to_user_id: people.billing.id, request_id: 'needs-test', reason: 'a refund' },
    });
    const all = ['budget_over', 'budget_requested', 'invitation_waits', 'move_waits'];
    const seen = async (member: Member) => {
      const kinds = new Set<string>([...(await needsOf(member)).values()].map(({ kind }) => kind));
      return all.filter((kind) => kinds.has(kind));
    };
    expect(await seen(acme.owner)).toEqual(all);
    expect(await seen(people.admin)).toEqual(['budget_over', 'budget_requested', 'invitation_waits']);
    expect(await seen(people.billing)).toEqual(['budget_over', 'budget_requested']);
    expect(await seen(people.viewer)).toEqual(['budget_over']);
    expect(await seen(people.member)).toEqual([]);
    const invitation = (await needsOf(acme.owner)).get(`invitation_waits:${acme.id}`);
    expect(invitation).toMatchObject({ count: 1, values: { name: guest.username, expired: 0 } });
    await db()
      .updateTable('organization_invitations')
      .set({ expires_at: now() - 1 })
      .where('id', '=', invited.id)
      .execute();
    const expired = (await needsOf(acme.owner)).get(`invitation_waits:${acme.id}`);
    expect(expired?.values['expired']).toBe(1);
    expect(expired?.mark).not.toBe(invitation?.mark);
    await client.invitations.revoke({ params: { id: invited.id } });
    await client.budgets.decline({ params: { id: asked.id }, body: {} });
    const [move] = await client.moves.list();
    await client.moves.decline({ params: { id: move?.id ?? 0 } });
    expect(await seen(acme.owner)).toEqual(['budget_over']);
  });

  test('a low balance is seen by those who read bills, and its mail goes to owners and billing', async () => {
    await db()
      .insertInto('usage_hours')
      .values({
        hour: now() - (now() % 3600) - 3600,
        user_id: acme.id,
        token_id: 0,
        channel_id: 1,
        model_name: 'm',
        count: 1,
        quota: 70 * DOLLAR,
      })
      .execute();
    for (const member of [acme.owner, people.admin, people.billing, people.viewer])
      expect((await needsOf(member)).has(`balance_low:${acme.id}`)).toBe(true);
    expect((await needsOf(people.member)).has(`balance_low:${acme.id}`)).toBe(false);
    await db()
      .updateTable('users')
      .set({ email: 'owner@example.com' })
      .where('id', '=', acme.owner.id)
      .execute();
    const { recipients } = await mailReceivers(scene.app.store, db(), acme.id, {} as never);
    expect(recipients).toEqual(['owner@example.com', 'billing@example.com']);
  });

  test('keys that are nearly used up: all for those who see all, the own for a member', async () => {
    const key = async (member: Member, name: string) => {
      const [token] = await member.client.tokens.create({ body: { name, remain_quota: DOLLAR } });
      await db()
        .updateTable('tokens')
        .set({ used_quota: 19 * DOLLAR })
        .where('id', '=', token?.id ?? 0)
        .execute();
      return `key_limit:${token?.id}`;
    };
    const keys = [await key(people.member, 'his'), await key(people.admin, 'theirs')];
    const shown = async (member: Member) => {
      const needs = await needsOf(member);
      return keys.filter((id) => needs.has(id));
    };
    expect(await shown(acme.owner)).toEqual(keys);
    expect(await shown(people.member)).toEqual(keys.slice(0, 1));
    expect(await shown(people.billing)).toEqual([]);
  });

  test('keys that are used up or expired are one item each, of the keys that the reader sees', async () => {
    const key = async (member: Member, name: string, columns: Partial<Row<'tokens'>>) => {
      const [token] = await member.client.tokens.create({ body: { name, remain_quota: DOLLAR } });
      const id = token?.id ?? 0;
      await db().updateTable('tokens').set(columns).where('id', '=', id).execute();
      return id;
    };
    const spent = { remain_quota: 0, used_quota: DOLLAR };
    await key(people.member, 'spent', spent);
    await key(people.admin, 'spent too', spent);
    await key(people.admin, 'off', { ...spent, status: 2 });
    await key(people.admin, 'old', { expired_time: now() - 60 });
    const exhausted = (await needsOf(acme.owner)).get(`keys_exhausted:${acme.id}`);
    expect(exhausted).toMatchObject({
      severity: 'act',
      action: 'raise_limit',
      count: 2,
      address: '/token?status=4',
    });
    const expired = (await needsOf(acme.owner)).get(`keys_expired:${acme.id}`);
    expect(expired).toMatchObject({ severity: 'wait', count: 1, values: { name: 'old' } });
    expect((await needsOf(people.viewer)).get(`keys_exhausted:${acme.id}`)?.action).toBe('look');
    const own = await needsOf(people.member);
    expect(own.get(`keys_exhausted:${acme.id}`)).toMatchObject({ count: 1, values: { name: 'spent' } });
    expect(own.has(`keys_expired:${acme.id}`)).toBe(false);
    // Without any left a key is not "nearly" used up as well.
    expect([...own.values()].filter(({ values }) => values['name'] === 'spent')).toHaveLength(1);
    expect((await needsOf(people.billing)).has(`keys_exhausted:${acme.id}`)).toBe(false);
  });

  test('an offered ownership waits for its receiver, and is shown to owners until it is answered', async () => {
    const { client } = acme.owner;
    await client.organizations.offerOwnership({ body: { user_id: people.admin.id, then_role: 'admin' } });
    const kindsOf = async (member: Member) =>
      [...(await needsOf(member)).values()].filter(({ kind }) => kind.startsWith('ownership_'));
    expect(await kindsOf(people.admin)).toMatchObject([
      {
        kind: 'ownership_offered',
        severity: 'act',
        address: '/invitation',
        values: { from: acme.owner.username },
      },
    ]);
    expect(await kindsOf(acme.owner)).toMatchObject([
      {
        kind: 'ownership_waits',
        severity: 'wait',
        address: '/organization-settings',
        values: { to: people.admin.username },
      },
    ]);
    expect(await kindsOf(people.viewer)).toEqual([]);
    await client.organizations.withdrawOwnership();
    expect(await kindsOf(people.admin)).toEqual([]);
  });

  test('a suspension is said to every member, with its reason, until it is lifted', async () => {
    const { organizationManagement } = scene.app.client(scene.root);
    const params = { id: acme.id };
    await organizationManagement.suspend({ params, body: { reason: 'an unpaid bill.' } });
    for (const member of [acme.owner, ...Object.values(people)]) {
      const { items, counts } = await member.client.attention.list();
      expect(items[0]).toMatchObject({
        kind: 'organization_suspended',
        severity: 'stop',
        values: { reason: 'an unpaid bill' },
      });
      expect(counts['/organization']?.stop).toBe(1);
    }
    await organizationManagement.lift({ params });
    expect((await needsOf(acme.owner)).has(`organization_suspended:${acme.id}`)).toBe(false);
  });

  test('nobody outside sees any of it: not another organization, not the person, not the operators', async () => {
    const isOfOrganization = ({ kind }: AttentionItem) => kind in ORGANIZATION_KINDS;
    expect((await other.owner.client.attention.list()).items).toEqual([]);
    expect(await codeOf(acme.as(other.owner).client.attention.list())).toBe('organization_missing');
    const own = await acme.owner.own.attention.list();
    expect(own.items.filter(isOfOrganization)).toEqual([]);
    expect(own.checks.map(({ name }) => name)).toEqual(['account']);
    const site = await scene.app.client(scene.root).attention.list();
    expect(site.items.filter(isOfOrganization)).toEqual([]);
    expect(site.items.filter(({ kind }) => kind === 'balance_low')).toEqual([]);
    // In the organization there is nothing of the site.
    const inside = await acme.owner.client.attention.list();
    expect(inside.checks.map(({ name }) => name)).toEqual(['organization']);
  });

  test('an item can be put off by one reader, until its fact changes', async () => {
    const id = `budget_over:${budgets.over}`;
    const mark = (await needsOf(acme.owner)).get(id)?.mark ?? '';
    await acme.owner.client.attention.snooze({ body: { id, mark } });
    expect((await needsOf(acme.owner)).get(id)?.is_snoozed).toBe(true);
    expect((await needsOf(people.admin)).get(id)?.is_snoozed).toBe(false);
    expect(await codeOf(other.owner.client.attention.snooze({ body: { id, mark } }))).toBe('not_found');
  });
});
