// What an agent does with dividends, what administrators decide, and what neither may do.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { standBeside, type Bystanders } from '#tests/integration/money/payments/bystanders.ts';
import { breaches, openShop, orderRow, type Shop } from '#tests/integration/money/payments/support.ts';
import { customerOf, makeAgent, moneyOf, pay, refund, setAgent } from './support.ts';

const BODY = { quota: 300_000, method: 'alipay', account: 'agent@example.org, Li' };
let serial = 0;
const key = () => `request-${(serial += 1)}`;

forEachDatabase((label) => {
  describe('withdrawals', () => {
    let shop: Shop;
    let bystanders: Bystanders;
    let root: Actor;
    let admin: Actor;
    beforeAll(async () => {
      shop = await openShop(label, { WithdrawalMinimum: '0.5', WithdrawalFeePercent: '1.25' });
      bystanders = await standBeside(shop);
      root = await shop.app.login('root', ROOT_PASSWORD);
      admin = await shop.app.actor({ role: ROLE.admin });
    }, 60_000);
    afterAll(() => shop.close());
    afterEach(async () => {
      await bystanders.expectUnchanged();
      expect(await breaches(shop)).toEqual([]);
    });

    /** An agent with 500,000 of dividends. */
    async function earned(): Promise<Actor> {
      const agent = await makeAgent(shop, root, 10);
      await pay(shop, await customerOf(shop, agent));
      return agent;
    }

    const ask = (as: Actor, body: object = {}) =>
      shop.app.request('/api/agent/self/withdraw', { as, body: { ...BODY, request_id: key(), ...body } });
    const idOf = ({ body }: Awaited<ReturnType<typeof ask>>) => (body.data as { id: number }).id;
    const decide = (as: Actor, id: number, action: string, note = '', app = shop.app) =>
      app.request(`/api/agent/withdrawals/${id}/decide`, { as, body: { action, note } });
    const notices = async (event: string, userId: number) =>
      (
        await shop.app.store.db
          .selectFrom('notices')
          .select('details')
          .where('event', '=', event)
          .where('user_id', '=', userId)
          .orderBy('id')
          .execute()
      ).map(({ details }) => JSON.parse(details) as object);

    test('REL-1.16 a request reserves the amount and freezes the fee; approved and paid follow', async () => {
      const agent = await earned();
      /** For administrators: this agent’s, and what the totals have more than before. */
      const figures = async () => {
        const { items, totals } = await shop.app
          .client(root)
          .agents.list({ query: { keyword: agent.username } });
        return { withdrawing: items[0]?.withdrawing, withdrawn: items[0]?.withdrawn, totals };
      };
      const { totals: before } = await figures();
      const expectFigures = async (withdrawing: number, withdrawn: number, fees: number) => {
        const { totals, ...own } = await figures();
        expect(own).toEqual({ withdrawing, withdrawn });
        expect(totals).toMatchObject({
          withdrawing: before.withdrawing + withdrawing,
          withdrawn: before.withdrawn + withdrawn,
          fees: before.fees + fees,
        });
      };
      const reply = await ask(agent);
      expect(reply.body.data).toMatchObject({ status: 'requested', quota: 300_000, fee_quota: 3750 });
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 200_000 });
      expect(await notices('withdrawal_requested', 0)).toContainEqual({
        username: agent.username,
        amount: '$0.60',
      });
      const id = idOf(reply);
      expect((await decide(admin, id, 'pay')).body.code).toBe('withdrawal_decided');
      expect((await decide(admin, id, 'approve')).body.data).toMatchObject({
        status: 'approved',
        username: agent.username,
        account: BODY.account,
      });
      expect((await decide(admin, id, 'approve')).body.code).toBe('withdrawal_decided');
      // Until it is paid it is on its way (M21).
      await expectFigures(300_000, 0, 0);
      expect(await shop.app.client(agent).agents.overview()).toMatchObject({
        withdrawing: 300_000,
        withdrawn: 0,
      });
      expect((await decide(admin, id, 'pay', 'TX-1')).body.data).toMatchObject({
        status: 'paid',
        note: 'TX-1',
      });
      expect((await decide(admin, id, 'refuse', 'too late')).body.code).toBe('withdrawal_decided');
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 200_000 });
      expect(await notices('withdrawal_decided', agent.id)).toEqual([
        { decision: 'approved', amount: '$0.60', reason: '' },
        { decision: 'paid', amount: '$0.60', reason: '' },
      ]);
      const [own] = (await shop.app.client(agent).agents.withdrawals({ query: {} })).items;
      expect(own).toMatchObject({ id, status: 'paid', note: 'TX-1' });
      const { withdrawn, withdrawing } = await shop.app.client(agent).agents.overview();
      expect([withdrawn, withdrawing]).toEqual([300_000, 0]);
      await expectFigures(0, 300_000, 3750);
    });

    test('REL-1.16 a refusal gives the amount back, also after an approval', async () => {
      const agent = await earned();
      for (const isApproved of [false, true]) {
        const id = idOf(await ask(agent));
        if (isApproved) await decide(admin, id, 'approve');
        expect((await decide(admin, id, 'refuse')).body).toMatchObject({ success: false, field: 'note' });
        expect((await decide(admin, id, 'refuse', 'wrong name')).body.data).toMatchObject({
          status: 'refused',
          note: 'wrong name',
        });
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 500_000 });
      }
      const asked = await notices('withdrawal_requested', 0);
      expect(asked.filter((values) => Object.values(values).includes(agent.username))).toHaveLength(2);
      expect((await notices('withdrawal_decided', agent.id)).at(-1)).toEqual({
        decision: 'refused',
        amount: '$0.60',
        reason: 'wrong name',
      });
    });

    test('money that comes back pays what is owed first', async () => {
      const agent = await makeAgent(shop, root, 10);
      const tradeNo = await pay(shop, await customerOf(shop, agent));
      const id = idOf(await ask(agent));
      await refund(shop, root, tradeNo);
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 300_000 });
      await decide(admin, id, 'refuse', 'refunded');
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 0 });
    });

    test('an agent who has moved the dividend away owes what two half refunds take, not the first half twice (M21)', async () => {
      const agent = await makeAgent(shop, root, 10);
      const tradeNo = await pay(shop, await customerOf(shop, agent));
      await shop.app.client(agent).agents.transfer({ body: { quota: 500_000, request_id: key() } });
      const { amount_minor } = await orderRow(shop, tradeNo);
      for (const owed of [250_000, 500_000]) {
        await refund(shop, root, tradeNo, { minor: amount_minor / 2 });
        expect(await moneyOf(shop, agent)).toEqual({ quota: 500_000, dividends: 0, owed });
      }
    });

    test('a hundred decisions in parallel, over two nodes, are one', async () => {
      const agent = await earned();
      const nodes: TestApplication[] = [shop.app];
      if (label === 'postgres')
        nodes.push(
          await startApplication({
            place: { dataDir: shop.place.dataDir, databaseUrl: shop.place.databaseUrl! },
            nodeId: 'second',
          }),
        );
      const many = async (id: number, actions: readonly string[]) => {
        const replies = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            decide(admin, id, actions[index % actions.length]!, 'one of many', nodes[index % nodes.length]),
          ),
        );
        return replies.filter(({ body }) => body.success).length;
      };
      const first = idOf(await ask(agent));
      expect(await many(first, ['refuse'])).toBe(1);
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 500_000 });
      const second = idOf(await ask(agent));
      expect(await many(second, ['approve'])).toBe(1);
      // Paid or refused, never both.
      expect(await many(second, ['pay', 'refuse'])).toBe(1);
      const { status } = await shop.app.store.db
        .selectFrom('withdrawals')
        .select('status')
        .where('id', '=', second)
        .executeTakeFirstOrThrow();
      expect((await moneyOf(shop, agent)).dividends).toBe(status === 'paid' ? 200_000 : 500_000);
      for (const node of nodes.slice(1)) await node.close();
    });

    test('requests and transfers at once take no more than there is, and the same request once', async () => {
      const agent = await earned();
      const same = key();
      const [requests, transfers, repeated] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => ask(agent))),
        Promise.all(
          Array.from({ length: 10 }, () =>
            shop.app.request('/api/agent/self/transfer', {
              as: agent,
              body: { quota: 150_000, request_id: key() },
            }),
          ),
        ),
        Promise.all(Array.from({ length: 10 }, () => ask(agent, { request_id: same }))),
      ]);
      const { dividends, quota } = await moneyOf(shop, agent);
      const reserved = await shop.app.store.db
        .selectFrom('withdrawals')
        .select(['quota', 'request_id'])
        .where('user_id', '=', agent.id)
        .execute();
      expect(dividends + quota + reserved.reduce((sum, row) => sum + row.quota, 0)).toBe(500_000);
      expect(reserved.filter(({ request_id }) => request_id === same).length).toBeLessThanOrEqual(1);
      const codes = [...requests, ...transfers, ...repeated].flatMap(({ body }) =>
        body.success ? [] : [body.code],
      );
      expect(new Set(codes)).toEqual(new Set(['dividend_quota_insufficient']));
    });

    test('the same request again is answered with the first; another amount, account or way under its key is refused', async () => {
      const agent = await earned();
      const request_id = key();
      const first = idOf(await ask(agent, { request_id }));
      expect(idOf(await ask(agent, { request_id }))).toBe(first);
      expect((await ask(agent, { request_id, quota: 250_000 })).body).toMatchObject({
        success: false,
        field: 'request_id',
      });
      // Paid to another account, or another way, it would be another withdrawal (M21).
      for (const change of [{ account: 'someone@example.org' }, { method: 'bank' }])
        expect((await ask(agent, { request_id, ...change })).body).toMatchObject({
          success: false,
          field: 'request_id',
        });
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 200_000 });
      // The key of one agent says nothing to another.
      const other = await earned();
      expect(idOf(await ask(other, { request_id }))).not.toBe(first);
      expect(await moneyOf(shop, other)).toMatchObject({ dividends: 200_000 });
    });

    test('amounts that are none, too small or too large, unknown ways and blank accounts are refused', async () => {
      const agent = await earned();
      const refused: [object, string][] = [
        [{ quota: 249_999 }, 'quota'],
        [{ quota: 500_001 }, 'quota'],
        [{ quota: Number.MAX_SAFE_INTEGER }, 'quota'],
        [{ quota: 2 ** 60 }, 'quota'],
        [{ quota: -300_000 }, 'quota'],
        [{ quota: 0 }, 'quota'],
        [{ quota: 250_000.5 }, 'quota'],
        [{ quota: '300000' }, 'quota'],
        [{ method: 'barter' }, 'method'],
        [{ method: '__proto__' }, 'method'],
        [{ account: '   ' }, 'account'],
        [{ account: 'x'.repeat(201) }, 'account'],
        [{ request_id: 'short' }, 'request_id'],
      ];
      for (const [change, field] of refused) {
        const { body } = await ask(agent, change);
        const named = body.field ?? body.fields?.[0]?.field;
        expect([change, body.success, named]).toEqual([change, false, field]);
      }
      for (const quota of [0, -1, 1.5, 500_001, 2 ** 60]) {
        const transfer = await shop.app.request('/api/agent/self/transfer', {
          as: agent,
          body: { quota, request_id: key() },
        });
        expect([quota, transfer.body.success]).toEqual([quota, false]);
      }
      expect(await moneyOf(shop, agent)).toEqual({ quota: 0, dividends: 500_000, owed: 0 });
      await shop.app.settings.set('WithdrawalMethods', '', 0);
      expect((await ask(agent)).body.code).toBe('withdrawal_method_unknown');
      await shop.app.settings.set('WithdrawalMethods', 'alipay,wechat,bank,usdt', 0);
      // The least amount itself is paid.
      expect((await ask(agent, { quota: 250_000 })).body.success).toBe(true);
    });

    test('a withdrawal whose fee would take all of it is refused, and nothing leaves the dividends (M21)', async () => {
      const agent = await earned();
      await shop.app.settings.set('WithdrawalMinimum', '0', 0);
      await shop.app.settings.set('WithdrawalFeePercent', '50', 0);
      // Half a unit is rounded up: the fee of one unit is one unit.
      expect((await ask(agent, { quota: 1 })).body).toMatchObject({
        success: false,
        code: 'withdrawal_too_small',
        field: 'quota',
      });
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 500_000 });
      expect((await ask(agent, { quota: 2 })).body.data).toMatchObject({ quota: 2, fee_quota: 1 });
      await shop.app.settings.set('WithdrawalMinimum', '0.5', 0);
      await shop.app.settings.set('WithdrawalFeePercent', '1.25', 0);
    });

    test('REL-1.14 only agents have the page, only administrators the queue, and each only the own rows', async () => {
      const [agent, other] = [await earned(), await earned()];
      const plain = await shop.app.actor();
      const request = (as: Actor | undefined, path: string, options: object = {}) =>
        shop.app.request(path, { as, ...options });
      for (const path of ['', '/customers', '/records', '/withdrawals', '/records/export']) {
        expect((await request(plain, `/api/agent/self${path}`)).body.code).toBe('not_an_agent');
        expect((await request(undefined, `/api/agent/self${path}`)).status).toBe(401);
      }
      expect((await ask(plain)).body.code).toBe('not_an_agent');
      const body = { quota: 1, request_id: key() };
      expect((await request(plain, '/api/agent/self/transfer', { body })).body.code).toBe('not_an_agent');
      const id = idOf(await ask(other));
      for (const as of [plain, agent, other]) {
        for (const path of ['/api/agent/', '/api/agent/withdrawals', '/api/agent/records'])
          expect((await request(as, path)).status).toBe(403);
        expect((await decide(as, id, 'approve')).status).toBe(403);
        const rate = { user_id: as.id, active: true, rate_percent: 90 };
        expect((await request(as, '/api/agent/', { method: 'PUT', body: rate })).status).toBe(403);
      }
      // A parameter that names another agent changes nothing.
      for (const list of ['records', 'withdrawals', 'customers'] as const) {
        const reply = await request(
          agent,
          `/api/agent/self/${list}?agent_id=${other.id}&user_id=${other.id}`,
        );
        const { items, total } = reply.body.data as { items: object[]; total: number };
        expect([list, total, items.length]).toEqual([list, list === 'withdrawals' ? 0 : 1, total]);
      }
    });

    test('of a customer an agent sees the masked name and nothing else', async () => {
      const agent = await makeAgent(shop, root, 10);
      const customer = await shop.app.actor({
        username: 'secretive',
        row: { inviter_id: agent.id, email: 'secretive@example.org', display_name: 'Secretive Name' },
      });
      await pay(shop, customer);
      const client = shop.app.client(agent);
      const customers = await client.agents.customers({ query: {} });
      expect(customers.items).toEqual([
        { customer: 's***e', level: 1, revenue: 5_000_000, dividends: 500_000 },
      ]);
      const records = await client.agents.records({ query: {} });
      const file = await fetch(`${shop.app.url}/api/agent/self/records/export?format=csv`, {
        headers: { Cookie: agent.cookie, 'New-Api-User': String(agent.id) },
      });
      const csv = await file.text();
      expect(csv.trim().split('\r\n')).toHaveLength(2);
      expect(csv).toContain('payment,1,s***e,5000000,10,500000,0');
      const everything = JSON.stringify([customers, records, await client.agents.overview(), csv]);
      expect(everything).not.toContain('secretive');
      expect(everything).not.toContain('Secretive');
      expect(Object.keys(records.items[0]!)).not.toContain('customer_id');
      expect(Object.keys(records.items[0]!)).not.toContain('order_id');
    });

    test('the file of dividends has every record of the agent once, also those beyond the first thousands (M21)', async () => {
      const [agent, other] = [await makeAgent(shop, root, 10), await makeAgent(shop, root, 10)];
      const { db } = shop.app.store;
      const records = Array.from({ length: 2001 }, (_, index) => ({
        idem: `file:${agent.id}:${index}`,
        agent_id: index % 1000 === 7 ? other.id : agent.id,
        customer_id: 0,
        level: 1,
        kind: 'spend' as const,
        base_quota: 10,
        rate: 1000,
        amount: index,
        created_at: 1,
      }));
      for (let at = 0; at < records.length; at += 500)
        await db
          .insertInto('dividends')
          .values(records.slice(at, at + 500))
          .execute();
      const file = await fetch(`${shop.app.url}/api/agent/self/records/export?format=csv`, {
        headers: { Cookie: agent.cookie, 'New-Api-User': String(agent.id) },
      });
      const [header = '', ...lines] = (await file.text()).trim().split('\r\n');
      await db.deleteFrom('dividends').where('idem', 'like', 'file:%').execute();
      const column = header.split(',').indexOf('amount');
      const own = records.filter(({ agent_id }) => agent_id === agent.id).map(({ amount }) => amount);
      expect(lines.map((line) => Number(line.split(',')[column]))).toEqual(own.toReversed());
    });

    test('the list of dividends has those of the kind, the agent and the time that were asked for (M21)', async () => {
      const [agent, other] = [await makeAgent(shop, root, 10), await makeAgent(shop, root, 10)];
      const { db } = shop.app.store;
      const record = {
        customer_id: 0,
        level: 1,
        base_quota: 10,
        rate: 1000,
        amount: 1,
        kind: 'spend' as const,
      };
      const records = [
        { ...record, idem: `list:${agent.id}:early`, agent_id: agent.id, created_at: 99 },
        { ...record, idem: `list:${agent.id}:first`, agent_id: agent.id, created_at: 100 },
        { ...record, idem: `list:${agent.id}:last`, agent_id: agent.id, created_at: 200 },
        { ...record, idem: `list:${agent.id}:late`, agent_id: agent.id, created_at: 201 },
        {
          ...record,
          idem: `list:${agent.id}:kind`,
          agent_id: agent.id,
          created_at: 150,
          kind: 'payment' as const,
        },
        { ...record, idem: `list:${agent.id}:agent`, agent_id: other.id, created_at: 150 },
      ];
      await db.insertInto('dividends').values(records).execute();
      const filter = { kind: 'spend', start_timestamp: 100, end_timestamp: 200 } as const;
      const own = await shop.app.client(agent).agents.records({ query: filter });
      const ofAll = await shop.app
        .client(admin)
        .agents.allRecords({ query: { ...filter, agent_id: agent.id } });
      await db.deleteFrom('dividends').where('idem', 'like', 'list:%').execute();
      for (const { items, total } of [own, ofAll]) {
        expect(items.map(({ created_at }) => created_at)).toEqual([200, 100]);
        expect(total).toBe(2);
      }
    });

    test('an administrator decides and sets rates only for users of a lower role', async () => {
      const boss = await shop.app.actor({ role: ROLE.admin });
      await setAgent(shop, root, boss.id, 10);
      await pay(shop, await customerOf(shop, boss));
      const id = idOf(await ask(boss));
      for (const as of [boss, admin])
        expect((await decide(as, id, 'approve')).body.code).toBe('user_not_manageable');
      const queue = await shop.app.client(admin).agents.allWithdrawals({ query: { keyword: boss.username } });
      expect(queue.items).toMatchObject([{ id, decidable: false }]);
      expect((await decide(root, id, 'approve')).body.success).toBe(true);
      const set = async (as: Actor, user_id: number, rate_percent: unknown = 50) =>
        (
          await shop.app.request('/api/agent/', {
            as,
            method: 'PUT',
            body: { user_id, active: true, rate_percent },
          })
        ).body;
      for (const target of [admin.id, boss.id, root.id])
        expect((await set(admin, target)).code).toBe('user_not_manageable');
      expect((await set(root, root.id)).code).toBe('user_not_manageable');
      expect((await set(root, 999_999)).code).toBe('user_unavailable');
      for (const rate of [-1, 100.01, 12.345, '10', null])
        expect([rate, (await set(root, boss.id, rate)).success]).toEqual([rate, false]);
      expect((await decide(root, 999_999, 'approve')).status).toBe(404);
      // An agency that never began cannot end.
      const plain = await shop.app.actor();
      const body = { user_id: plain.id, active: false, rate_percent: 1 };
      expect((await shop.app.request('/api/agent/', { as: root, method: 'PUT', body })).status).toBe(404);
      expect((await shop.app.client(plain).users.self()).is_agent).toBe(false);
    });

    test('requests, decisions and rates need a fresh sign-in', async () => {
      const id = idOf(await ask(await earned()));
      // Sessions are remembered for seconds: these two have sent nothing yet.
      const agent = await earned();
      const stale = await shop.app.actor({ role: ROLE.admin });
      for (const user of [agent, stale])
        await shop.app.store.db
          .updateTable('sessions')
          .set({ verified_at: 5 })
          .where('user_id', '=', user.id)
          .execute();
      expect((await ask(agent)).body.code).toBe('step_up_required');
      expect((await decide(stale, id, 'approve')).body.code).toBe('step_up_required');
      const body = { user_id: agent.id, active: false, rate_percent: 1 };
      const set = await shop.app.request('/api/agent/', { as: stale, method: 'PUT', body });
      expect(set.body.code).toBe('step_up_required');
      const staleRoot = await shop.app.actor({ role: ROLE.root });
      await shop.app.store.db
        .updateTable('sessions')
        .set({ verified_at: 5 })
        .where('user_id', '=', staleRoot.id)
        .execute();
      const option = { key: 'WithdrawalFeePercent', value: '0' };
      const saved = await shop.app.request('/api/option/', { as: staleRoot, method: 'PUT', body: option });
      expect(saved.body.code).toBe('step_up_required');
      // An access token cannot prove a fresh sign-in: it may not move money out.
      const holder = await earned();
      const { data: token } = (await shop.app.request('/api/user/token', { as: holder })).body;
      const byToken = await shop.app.request('/api/agent/self/withdraw', {
        body: { ...BODY, request_id: key() },
        headers: { Authorization: String(token), 'New-Api-User': String(holder.id) },
      });
      expect(byToken.body.code).toBe('session_only');
    });

    test('an agent whose agency ended keeps what was earned', async () => {
      const agent = await earned();
      await setAgent(shop, root, agent.id, 10, false);
      const client = shop.app.client(agent);
      expect(await client.agents.overview()).toMatchObject({ active: false, balance: 500_000 });
      await client.agents.transfer({ body: { quota: 100_000, request_id: key() } });
      expect((await ask(agent)).body.success).toBe(true);
      expect(await moneyOf(shop, agent)).toMatchObject({ quota: 100_000, dividends: 100_000 });
      expect((await client.users.self()).is_agent).toBe(true);
      const { agent_rate_percent } = await shop.app.client(root).users.read({ params: { id: agent.id } });
      expect(agent_rate_percent).toBeNull();
      const list = async (ended: 'true' | 'false') =>
        (await shop.app.client(root).agents.list({ query: { keyword: agent.username, ended } })).total;
      expect([await list('false'), await list('true')]).toEqual([0, 1]);
    });

    test('a withdrawal of a deleted agent can be refused', async () => {
      const agent = await earned();
      const id = idOf(await ask(agent));
      await shop.app.client(root).userManagement.manage({ body: { id: agent.id, action: 'delete' } });
      expect((await decide(admin, id, 'refuse', 'left')).body.data).toMatchObject({ status: 'refused' });
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 500_000 });
    });

    test('two agents move their dividends under the same request id, each the own (M21)', async () => {
      const body = { quota: 200_000, request_id: key() };
      for (const agent of [await earned(), await earned()]) {
        expect(await shop.app.client(agent).agents.transfer({ body })).toEqual({
          quota: 200_000,
          balance: 300_000,
        });
        // Another amount under the same id is another transfer.
        const more = { ...body, quota: 100_000 };
        expect((await shop.app.client(agent).agents.transfer({ body: more })).balance).toBe(200_000);
        expect(await moneyOf(shop, agent)).toMatchObject({ quota: 300_000, dividends: 200_000 });
      }
    });

    test('dividends show in the wallet history when they are moved, and not before', async () => {
      const agent = await earned();
      const client = shop.app.client(agent);
      expect((await client.wallet.history({ query: {} })).items).toEqual([]);
      const request_id = key();
      const move = () => client.agents.transfer({ body: { quota: 500_000, request_id } });
      expect(await move()).toEqual({ quota: 500_000, balance: 0 });
      expect(await move()).toEqual({ quota: 500_000, balance: 0 });
      expect((await client.wallet.history({ query: {} })).items).toMatchObject([
        { kind: 'dividend_transfer', amount: 500_000 },
      ]);
    });
  });
});
