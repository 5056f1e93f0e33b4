// Redemption codes as an administrator manages them: real HTTP, both databases.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { RedemptionOverview, RedemptionView } from '#contract/money/redemptions.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

const PATH = '/api/redemption/';

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  let counter = 0;
  const unique = (prefix: string) => `${prefix}-${(counter += 1)}`;
  const seconds = () => Math.floor(Date.now() / 1000);

  beforeAll(async () => {
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
  });
  afterAll(async () => {
    expect(await checkInvariants(app.store)).toEqual([]);
    await app.close();
  });

  const create = (body: Record<string, unknown>, as = admin) => app.request(PATH, { as, body });
  async function made(body: Record<string, unknown> = {}): Promise<RedemptionView> {
    const name = unique('one');
    const reply = await create({ name, quota: 500, ...body });
    if (!reply.body.success) throw new Error(reply.body.message);
    const [code] = reply.body.data as string[];
    const { items } = await app.client(admin).redemptions.search({ query: { keyword: code ?? '' } });
    const [view] = items;
    if (!view) throw new Error('the new code was not found');
    return view;
  }
  const change = (body: Record<string, unknown>, statusOnly = false) =>
    app.request(statusOnly ? `${PATH}?status_only=true` : PATH, { as: admin, method: 'PUT', body });
  const setStatus = (id: number, status: number) => change({ id, status }, true);
  const redeem = (key: string, as: Actor) => app.request('/api/user/topup', { as, body: { key } });
  const read = async (id: number) => app.client(admin).redemptions.read({ params: { id } });

  test('REL-0.05 REL-1.02 REL-7.42 REL-7.43 REL-3.70 creation answers the codes, count of them, each of 128 random bits', async () => {
    const reply = await create({ name: 'spring', quota: 500_000, count: 100 });
    const codes = reply.body.data as string[];
    expect(reply.headers.get('cache-control')).toContain('no-store');
    expect(codes).toHaveLength(100);
    expect(new Set(codes).size).toBe(100);
    expect(codes.every((code) => /^[\da-f]{32}$/.test(code))).toBe(true);
    const rows = await app.store.db
      .selectFrom('redemptions')
      .selectAll()
      .where('name', '=', 'spring')
      .execute();
    expect(rows).toHaveLength(100);
    expect(new Set(rows.map(({ batch }) => batch)).size).toBe(1);
    // A copy of the database discloses no code.
    const stored = JSON.stringify(rows);
    expect(codes.some((code) => stored.includes(code))).toBe(false);
  });

  test('REL-7.39 REL-3.65 REL-3.66 REL-3.67 REL-3.68 REL-3.69 REL-3.71 REL-3.72 GET /api/redemption/?p&page_size answers items, page and total', async () => {
    const view = await made({ quota: 1234 });
    const reply = await app.request(`${PATH}?p=1&page_size=2`, { as: admin });
    expect(reply.body.data).toMatchObject({ page: 1, page_size: 2 });
    const { items, total } = reply.body.data as { items: RedemptionView[]; total: number };
    expect(items).toHaveLength(2);
    expect(total).toBeGreaterThan(2);
    expect(items[0]).toMatchObject({
      id: view.id,
      name: view.name,
      status: 1,
      quota: 1234,
      used_user_id: 0,
      user_id: admin.id,
    });
    expect(items[0]?.key).toMatch(/^[\da-f]{32}$/);
    expect(Math.abs((items[0]?.created_time ?? 0) - seconds())).toBeLessThan(60);
    const next = await app.request(`${PATH}?p=2&page_size=2`, { as: admin });
    expect((next.body.data as { items: RedemptionView[] }).items[0]?.id).toBeLessThan(items[1]?.id ?? 0);
  });

  test('REL-7.40 a search finds by id, by a part of the name and by the whole code', async () => {
    const view = await made({ name: `needle ${unique('n')}` });
    await made();
    const found = async (keyword: string) => {
      const reply = await app.request(
        `${PATH}search?keyword=${encodeURIComponent(keyword)}&p=1&page_size=100`,
        { as: admin },
      );
      return (reply.body.data as { items: RedemptionView[] }).items.map(({ id }) => id);
    };
    expect(await found(String(view.id))).toContain(view.id);
    expect(await found(view.name.toUpperCase())).toEqual([view.id]);
    expect(await found(` ${view.key.toUpperCase()} `)).toEqual([view.id]);
    expect(await found('needle%')).toEqual([]);
    expect(await found('no such thing')).toEqual([]);
  });

  test('REL-7.41 reads one code; an unknown or deleted one is not found', async () => {
    const view = await made();
    expect(await read(view.id)).toEqual(view);
    const unknown = await app.request(`${PATH}99999999`, { as: admin });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  });

  test('REL-5.33 REL-5.34 a blank name becomes the formatted quota, cut to 20 characters', async () => {
    expect((await made({ name: '  ', quota: 100_000 })).name).toBe('$0.20');
    expect((await made({ name: '', quota: 7_500_000 })).name).toBe('$15.00');
    await app.settings.set('DisplayInCurrencyEnabled', 'false', 0);
    expect((await made({ name: '', quota: 7_500_000 })).name).toBe('7.5M');
    await app.settings.set('DisplayInCurrencyEnabled', 'true', 0);
    await app.settings.set('QuotaPerUnit', '1', 0);
    const longest = await made({ name: '', quota: 9_007_199_254_740_000, count: 1 }).catch(() => undefined);
    await app.settings.set('QuotaPerUnit', '500000', 0);
    expect(longest?.name).toBe('$9,007,199,254,740,0');
    await app.client(admin).redemptions.remove({ params: { id: longest?.id ?? 0 } });
  });

  test('REL-5.39 a name has 1 to 20 characters, counted as people count', async () => {
    expect((await made({ name: '兑'.repeat(20) })).name).toBe('兑'.repeat(20));
    expect((await made({ name: '🎁'.repeat(20) })).name).toBe('🎁'.repeat(20));
    const long = await create({ name: '兑'.repeat(21), quota: 500 });
    expect(long.body).toMatchObject({ success: false, code: 'redemption_name_too_long', field: 'name' });
  });

  test('REL-5.35 REL-5.36 quota and count are whole numbers, also when they come as text', async () => {
    const reply = await create({ name: 'text', quota: '500', count: '2' });
    expect(reply.body.data).toHaveLength(2);
    for (const quota of [0, -5, 1.5, 'abc', Number.MAX_SAFE_INTEGER + 1]) {
      const refused = await create({ name: 'bad', quota });
      expect(refused.body).toMatchObject({ success: false, code: 'invalid_parameter', field: 'quota' });
    }
    expect((await create({ name: 'bad', quota: 5, count: 1.5 })).body.success).toBe(false);
    expect((await create({ name: 'bad' })).body.success).toBe(false);
  });

  test('REL-5.37 REL-5.38 a batch has between 1 and 100 codes', async () => {
    for (const count of [0, -1, 101, 100_000]) {
      const reply = await create({ name: 'bad', quota: 5, count });
      expect(reply.body).toMatchObject({ success: false, code: 'redemption_count_invalid', field: 'count' });
    }
  });

  test('an end is in the future', async () => {
    const past = await create({ name: 'past', quota: 5, expired_time: seconds() - 1 });
    expect(past.body).toMatchObject({ code: 'redemption_expiry_in_past', field: 'expired_time' });
    const { id, expired_time } = await made({ expired_time: seconds() + 3600 });
    expect(expired_time).toBeGreaterThan(seconds());
    // Nor is an end moved into the past; a code that is past its end keeps it when its name changes (M21).
    const moved = await change({ id, expired_time: seconds() - 1 });
    expect(moved.body).toMatchObject({ code: 'redemption_expiry_in_past', field: 'expired_time' });
    await app.store.db.updateTable('redemptions').set({ expired_time: 5 }).where('id', '=', id).execute();
    expect((await change({ id, name: 'over', expired_time: 5 })).body.success).toBe(true);
  });

  test('REL-7.44 REL-4.31 an unused code can be edited; count is ignored; others cannot', async () => {
    const view = await made();
    const edited = await change({ id: view.id, name: 'edited', quota: 900, count: 50 });
    expect(edited.body.data).toMatchObject({ id: view.id, name: 'edited', quota: 900, status: 1 });
    expect((await change({ id: view.id, name: '', quota: 1_000_000 })).body.data).toMatchObject({
      name: '$2.00',
    });
    await setStatus(view.id, 2);
    expect((await change({ id: view.id, name: 'x' })).body).toMatchObject({
      success: false,
      code: 'redemption_not_editable',
    });
    await setStatus(view.id, 1);
    const user = await app.actor();
    await redeem(view.key, user);
    expect((await change({ id: view.id, quota: 1 })).body).toMatchObject({ code: 'redemption_not_editable' });
    expect(await read(view.id)).toMatchObject({ quota: 1_000_000, status: 3 });
  });

  test('REL-7.45 REL-4.27 REL-4.28 REL-4.29 REL-4.30 status 1, 2 and 3: a used code is never enabled or disabled', async () => {
    const view = await made();
    expect((await setStatus(view.id, 2)).body.data).toMatchObject({ status: 2, name: view.name });
    expect((await setStatus(view.id, 1)).body.data).toMatchObject({ status: 1 });
    expect((await setStatus(view.id, 3)).body).toMatchObject({ success: false, field: 'status' });
    const user = await app.actor();
    await redeem(view.key, user);
    const used = await read(view.id);
    expect(used).toMatchObject({ status: 3, used_user_id: user.id, used_username: user.username });
    expect(used.redeemed_time).toBeGreaterThan(0);
    for (const status of [1, 2])
      expect((await setStatus(view.id, status)).body).toMatchObject({ code: 'redemption_used_fixed' });
  });

  test('REL-7.46 a deleted code is not listed and not accepted; a used one keeps its ledger entry', async () => {
    const [unused, used] = [await made(), await made()];
    const user = await app.actor();
    await redeem(used.key, user);
    for (const { id } of [unused, used]) {
      const reply = await app.request(`${PATH}${id}/`, { as: admin, method: 'DELETE' });
      expect(reply.body).toMatchObject({ success: true });
      expect((await app.request(`${PATH}${id}/`, { as: admin, method: 'DELETE' })).status).toBe(404);
    }
    // Nobody learns from it that there was such a code.
    for (const { key } of [unused, used])
      expect((await redeem(key, user)).body).toMatchObject({ code: 'redemption_invalid' });
    expect(await app.ledger.balance(user.id)).toBe(500);
  });

  test('many at once: used codes are refused, the others change', async () => {
    const [first, second, used] = [await made(), await made(), await made()];
    await redeem(used.key, await app.actor());
    const ids = [first.id, second.id, used.id, 99_999_999];
    const batch = (action: 'enable' | 'disable' | 'delete') =>
      app.client(admin).redemptions.batch({ body: { ids, action } });
    expect(await batch('disable')).toEqual({ changed: [first.id, second.id], refused: [used.id] });
    expect(await batch('enable')).toEqual({ changed: [first.id, second.id], refused: [used.id] });
    expect(await batch('delete')).toEqual({ changed: [first.id, second.id, used.id], refused: [] });
  });

  test('the list is filtered by state and batch; the overview has the outstanding amount and the progress of a batch', async () => {
    const client = app.client(admin);
    const before = await client.redemptions.overview();
    const codes = (await create({ name: 'batch', quota: 300, count: 4, expired_time: seconds() + 900 })).body
      .data as string[];
    const { items } = await client.redemptions.search({ query: { keyword: codes[0] ?? '' } });
    const batch = items[0]?.batch ?? '';
    const idOf = async (code = '') =>
      (await client.redemptions.search({ query: { keyword: code } })).items[0]?.id ?? 0;
    await redeem(codes[0] ?? '', await app.actor());
    await setStatus(await idOf(codes[1]), 2);
    await app.store.db
      .updateTable('redemptions')
      .set({ expired_time: 5 })
      .where('id', '=', await idOf(codes[2]))
      .execute();
    for (const [state, code] of [
      ['used', codes[0]],
      ['disabled', codes[1]],
      ['expired', codes[2]],
      ['unused', codes[3]],
    ] as const) {
      const list = await client.redemptions.list({ query: { state, batch } });
      expect(list.items.map(({ key }) => key)).toEqual([code ?? '']);
      expect(list.total).toBe(1);
    }
    const after = await client.redemptions.overview();
    const grown = (name: 'outstanding' | 'disabled' | 'redeemed' | 'expired') => [
      after[name].codes - before[name].codes,
      after[name].quota - before[name].quota,
    ];
    for (const name of ['outstanding', 'disabled', 'redeemed', 'expired'] as const)
      expect(grown(name)).toEqual([1, 300]);
    const [newest] = (after satisfies RedemptionOverview).batches;
    expect(newest).toMatchObject({ batch, name: 'batch', total: 4, used: 1, open_quota: 300 });
    // A code that was deleted is worth nothing any more (M21).
    await client.redemptions.batch({ body: { action: 'delete', ids: [await idOf(codes[3])] } });
    const { outstanding, batches } = await client.redemptions.overview();
    expect(outstanding).toEqual(before.outstanding);
    expect(batches[0]).toMatchObject({ batch, total: 3, used: 1, open_quota: 0 });
  });

  test('a system access token reads codes masked and gets the new ones it creates', async () => {
    const token = unique('access-token');
    const digest = app.store.vault.digest('access_token', token);
    const holder = await app.createUser({ role: ROLE.admin, row: { access_token_digest: digest } });
    const headers = { Authorization: token, 'New-Api-User': String(holder.id) };
    const created = await app.request(PATH, { headers, body: { name: 'script', quota: 5 } });
    const [code = ''] = created.body.data as string[];
    expect(code).toHaveLength(32);
    const list = await app.request(`${PATH}?p=1&page_size=1`, { headers });
    const { items } = list.body.data as { items: RedemptionView[] };
    expect(items[0]?.key).toBe(`${code.slice(0, 4)}…${code.slice(-4)}`);
  });

  test('reading codes in a browser is audited once an hour', async () => {
    const reader = await app.actor({ role: ROLE.admin });
    await made();
    for (let index = 0; index < 3; index += 1) await app.client(reader).redemptions.list({ query: {} });
    const rows = await app.store.db
      .selectFrom('audit')
      .select('action')
      .where('target', '=', `user:${reader.id}`)
      .where('action', '=', 'redemption.read_keys')
      .execute();
    expect(rows).toHaveLength(1);
  });

  test('codes worth more than 100 units of currency need a step-up', async () => {
    const late = await app.actor({ role: ROLE.admin });
    await app.store.db
      .updateTable('sessions')
      .set({ verified_at: 1 })
      .where('user_id', '=', late.id)
      .execute();
    expect((await create({ name: 'small', quota: 500_000, count: 100 }, late)).body.success).toBe(true);
    const large = await create({ name: 'large', quota: 500_001, count: 100 }, late);
    expect([large.status, large.body.code]).toEqual([403, 'step_up_required']);
    const small = await made();
    const raised = await app.request(PATH, {
      as: late,
      method: 'PUT',
      body: { id: small.id, quota: 60_000_000 },
    });
    expect(raised.body.code).toBe('step_up_required');
  });

  test('REL-2.82 REL-6.03 an ordinary user may only redeem', async () => {
    const user = await app.actor();
    for (const path of [PATH, `${PATH}search`, `${PATH}overview`, `${PATH}1`])
      expect((await app.request(path, { as: user })).status).toBe(403);
    expect((await create({ name: 'x', quota: 5 }, user)).status).toBe(403);
  });
});
