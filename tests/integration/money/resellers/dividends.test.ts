// Dividends on payments and on spending: equal to the ledger to the unit, once per event, and reversed by refunds.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import { payOrderDividends, paySpendDividends } from '#server/money/resellers/index.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { standBeside, type Bystanders } from '#tests/integration/money/payments/bystanders.ts';
import {
  balanceOf,
  breaches,
  openShop,
  order,
  orderRow,
  type Shop,
} from '#tests/integration/money/payments/support.ts';
import {
  customerOf,
  makeAgent,
  moneyOf,
  ORDER_QUOTA,
  partsOf,
  pay,
  recordsOf,
  refund,
  setAgent,
  spend,
} from './support.ts';

forEachDatabase((label) => {
  describe('dividends', () => {
    let shop: Shop;
    let bystanders: Bystanders;
    let root: Actor;
    beforeAll(async () => {
      shop = await openShop(label);
      bystanders = await standBeside(shop);
      root = await shop.app.login('root', ROOT_PASSWORD);
    }, 60_000);
    afterAll(() => shop.close());
    afterEach(async () => {
      await bystanders.expectUnchanged();
      for (const key of ['DividendBasis', 'DividendSecondLevelPercent'] as const)
        await shop.app.settings.set(key, key === 'DividendBasis' ? 'payment' : '0', 0);
      expect(await breaches(shop)).toEqual([]);
    });

    const twoLevels = () => shop.app.settings.set('DividendSecondLevelPercent', '2.5', 0);
    const onSpending = () => shop.app.settings.set('DividendBasis', 'spend', 0);
    const runJob = () => paySpendDividends(partsOf(shop), new AbortController().signal);

    test('REL-1.14 REL-1.15 a paid order pays its agent’s rate and, with a second level, the inviter’s inviter', async () => {
      const upper = await makeAgent(shop, root, 30);
      const agent = await makeAgent(shop, root, 12.34, upper.id);
      const customer = await customerOf(shop, agent);
      await pay(shop, customer);
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 617_000, quota: 0, owed: 0 });
      expect(await moneyOf(shop, upper)).toMatchObject({ dividends: 0 });
      await twoLevels();
      await pay(shop, customer);
      expect(await recordsOf(shop, agent)).toEqual([
        ['payment', 1, 617_000, 0],
        ['payment', 1, 617_000, 0],
      ]);
      // The second level has one rate for all agents: the upper agent's own rate is not used.
      expect(await recordsOf(shop, upper)).toEqual([['payment', 2, 125_000, 0]]);
      // An agent who pays is a customer of the upper agent, not of the own account.
      await pay(shop, agent);
      expect(await recordsOf(shop, upper)).toEqual([
        ['payment', 2, 125_000, 0],
        ['payment', 1, 1_500_000, 0],
      ]);
      expect(await balanceOf(shop, customer)).toBe(2 * ORDER_QUOTA);
    });

    test('the inviter in between need not be an agent, and in a circle of invitations an account earns nothing from itself', async () => {
      await twoLevels();
      const upper = await makeAgent(shop, root, 10);
      const plain = await customerOf(shop, upper);
      await pay(shop, await customerOf(shop, plain));
      expect(await recordsOf(shop, upper)).toEqual([['payment', 2, 125_000, 0]]);
      const first = await makeAgent(shop, root, 10);
      const second = await makeAgent(shop, root, 20, first.id);
      const invitedBy = (id: number, inviter_id: number) =>
        shop.app.store.db.updateTable('users').set({ inviter_id }).where('id', '=', id).execute();
      await invitedBy(first.id, second.id);
      await pay(shop, first);
      expect(await recordsOf(shop, first)).toEqual([]);
      expect(await recordsOf(shop, second)).toEqual([['payment', 1, 1_000_000, 0]]);
      await invitedBy(first.id, first.id);
      await pay(shop, first);
      expect(await recordsOf(shop, first)).toEqual([]);
    });

    test('an agent who is noted as the own inviter earns once from a customer, not on both levels (M21)', async () => {
      await twoLevels();
      const agent = await makeAgent(shop, root, 10);
      await shop.app.store.db
        .updateTable('users')
        .set({ inviter_id: agent.id })
        .where('id', '=', agent.id)
        .execute();
      await pay(shop, await customerOf(shop, agent));
      expect(await recordsOf(shop, agent)).toEqual([['payment', 1, 500_000, 0]]);
    });

    test('an agency that has ended, a deleted agent and a rate of zero earn nothing more', async () => {
      const agent = await makeAgent(shop, root, 10);
      const customer = await customerOf(shop, agent);
      await setAgent(shop, root, agent.id, 0);
      await pay(shop, customer);
      await setAgent(shop, root, agent.id, 10, false);
      await pay(shop, customer);
      expect(await recordsOf(shop, agent)).toEqual([]);
      await setAgent(shop, root, agent.id, 10);
      await pay(shop, customer);
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 500_000 });
      await shop.app.client(root).userManagement.manage({ body: { id: agent.id, action: 'delete' } });
      await pay(shop, customer);
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 500_000 });
    });

    test('an agency that has ended earns nothing on the second level either (M21)', async () => {
      await twoLevels();
      const upper = await makeAgent(shop, root, 10);
      const customer = await customerOf(shop, await customerOf(shop, upper));
      await setAgent(shop, root, upper.id, 10, false);
      await pay(shop, customer);
      expect(await recordsOf(shop, upper)).toEqual([]);
    });

    test('a banned agent earns nothing from payments and spending during the ban, and earns again after it', async () => {
      await twoLevels();
      const upper = await makeAgent(shop, root, 10);
      const agent = await makeAgent(shop, root, 10, upper.id);
      const customer = await customerOf(shop, agent, 1_000_000);
      const manage = (id: number, action: 'enable' | 'disable') =>
        shop.app.client(root).userManagement.manage({ body: { id, action } });
      await pay(shop, customer);
      const [before, upperBefore] = [await moneyOf(shop, agent), await moneyOf(shop, upper)];
      expect([before.dividends, upperBefore.dividends]).toEqual([500_000, 125_000]);
      await manage(agent.id, 'disable');
      await manage(upper.id, 'disable');
      await pay(shop, customer);
      await runJob();
      await onSpending();
      await runJob();
      await spend(shop, customer.id, 1000);
      await runJob();
      expect(await moneyOf(shop, agent)).toEqual(before);
      expect(await moneyOf(shop, upper)).toEqual(upperBefore);
      await manage(agent.id, 'enable');
      await spend(shop, customer.id, 1000);
      await runJob();
      expect((await moneyOf(shop, agent)).dividends).toBe(500_100);
      expect(await moneyOf(shop, upper)).toEqual(upperBefore);
    });

    test('a callback a hundred times in parallel over two nodes pays one dividend', async () => {
      const agent = await makeAgent(shop, root, 10);
      const customer = await customerOf(shop, agent);
      const nodes: TestApplication[] = [shop.app];
      if (label === 'postgres')
        nodes.push(
          await startApplication({
            place: { dataDir: shop.place.dataDir, databaseUrl: shop.place.databaseUrl! },
            nodeId: 'second',
          }),
        );
      const { tradeNo } = await order(shop, customer);
      const notice = shop.epay.notice(tradeNo).toString();
      const answers = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const { url } = nodes[index % nodes.length]!;
          return await (await fetch(`${url}/api/user/epay/notify?${notice}`)).text();
        }),
      );
      expect(new Set(answers)).toEqual(new Set(['success']));
      expect(await recordsOf(shop, agent)).toEqual([['payment', 1, 500_000, 0]]);
      for (const node of nodes.slice(1)) await node.close();
    });

    test('payments beside calls of the agent and the customer never end in a deadlock', async () => {
      const agent = await makeAgent(shop, root, 10);
      const customer = await customerOf(shop, agent, 1_000_000);
      const placed = await Promise.all(Array.from({ length: 12 }, () => order(shop, customer)));
      const paying = new AbortController();
      // On a machine that is busy with more than this, a call may be refused because the database is slow.
      const spendWhenServed = (userId: number, quota: number) =>
        spend(shop, userId, quota).catch((error: unknown) => {
          if (!(error instanceof LedgerUnavailableError)) throw error;
        });
      // Of both at once, so that batches of calls lock both rows.
      const calls = Array.from({ length: 6 }, async () => {
        while (!paying.signal.aborted)
          await Promise.all([spendWhenServed(agent.id, 0), spendWhenServed(customer.id, 1)]);
      });
      const answers = await Promise.all(placed.map(({ tradeNo }) => shop.epay.notify(tradeNo)));
      paying.abort();
      await Promise.all(calls);
      expect(new Set(answers)).toEqual(new Set(['success']));
      expect(shop.app.logged.filter((line) => line.includes('deadlock'))).toEqual([]);
      expect((await moneyOf(shop, agent)).dividends).toBe(12 * 500_000);
    });

    test('an order for a plan pays on the plan’s price in quota, and its refund takes it back', async () => {
      const agent = await makeAgent(shop, root, 10);
      const customer = await customerOf(shop, agent);
      const { id } = await shop.app.client(root).plans.create({
        body: {
          name: 'Monthly',
          description: '',
          price_minor: 3000,
          currency: 'CNY',
          price_quota: 400_000,
          duration_unit: 'month',
          duration_count: 1,
          quota: 1_000_000,
          reset: 'monthly',
          models: [],
          group: '',
          on_sale: true,
          limit_per_user: 0,
          sort_order: 0,
        },
      });
      const placed = await shop.app
        .client(customer)
        .plans.order({ params: { id }, body: { payment_method: 'zfb', price_minor: 3000 } });
      await fetch(placed.url, { method: 'POST', body: new URLSearchParams(placed.data) });
      expect(await shop.epay.notify(placed.trade_no)).toBe('success');
      expect(await recordsOf(shop, agent)).toEqual([['payment', 1, 40_000, 0]]);
      await refund(shop, root, placed.trade_no, { minor: 1000 });
      expect((await moneyOf(shop, agent)).dividends).toBe(26_666);
      await refund(shop, root, placed.trade_no, { minor: 2000 });
      expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 0 });
    });

    test('an order without a value in quota pays nothing', async () => {
      const agent = await makeAgent(shop, root, 10);
      const customer = await customerOf(shop, agent);
      for (const detail of ['{"plan":{"price_quota":-5}}', '{"plan":{"price_quota":0}}', '{}']) {
        const { tradeNo } = await order(shop, customer);
        const row = { ...(await orderRow(shop, tradeNo)), quota: 0, detail };
        await shop.app.store.db
          .transaction()
          .execute((transaction) => payOrderDividends(partsOf(shop), transaction, row));
      }
      expect(await recordsOf(shop, agent)).toEqual([]);
    });

    test('an order completed by hand pays the dividend too', async () => {
      const agent = await makeAgent(shop, root, 10);
      const { tradeNo } = await order(shop, await customerOf(shop, agent));
      const { id } = await orderRow(shop, tradeNo);
      await shop.app.client(root).orders.complete({ params: { id }, body: { reason: 'seen in the bank' } });
      expect(await recordsOf(shop, agent)).toEqual([['payment', 1, 500_000, 0]]);
    });

    describe('refunds', () => {
      test('REL-1.15 parts and the rest of an order take its dividends back to the unit, on both levels', async () => {
        await twoLevels();
        const upper = await makeAgent(shop, root, 10);
        const agent = await makeAgent(shop, root, 33.33, upper.id);
        const tradeNo = await pay(shop, await customerOf(shop, agent));
        await shop.app.settings.set('DividendBasis', 'spend', 0);
        const { amount_minor } = await orderRow(shop, tradeNo);
        const part = Math.floor(amount_minor / 3);
        await refund(shop, root, tradeNo, { minor: part });
        const kept = Math.floor((1_666_500 * (amount_minor - part)) / amount_minor);
        expect((await moneyOf(shop, agent)).dividends).toBe(kept);
        await refund(shop, root, tradeNo, { minor: part });
        await refund(shop, root, tradeNo, { minor: amount_minor - 2 * part });
        for (const person of [agent, upper])
          expect(await moneyOf(shop, person)).toMatchObject({ dividends: 0, owed: 0 });
        const { revenue, dividends } = await shop.app.client(agent).agents.overview();
        expect([revenue, dividends]).toEqual([0, 0]);
      });

      test('what the balance does not cover is owed, and taken from the next dividends', async () => {
        const agent = await makeAgent(shop, root, 10);
        const customer = await customerOf(shop, agent);
        const [first, second] = [await pay(shop, customer), await pay(shop, customer)];
        const client = shop.app.client(agent);
        await client.agents.transfer({ body: { quota: 950_000, request_id: 'first-transfer' } });
        await refund(shop, root, first);
        expect(await moneyOf(shop, agent)).toEqual({ quota: 950_000, dividends: 0, owed: 450_000 });
        await refund(shop, root, second, { minor: 3650 });
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 700_000 });
        await pay(shop, customer);
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 200_000 });
        await pay(shop, customer);
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 300_000, owed: 0 });
        expect(await recordsOf(shop, agent)).toEqual([
          ['payment', 1, 500_000, 0],
          ['payment', 1, 500_000, 0],
          ['reversal', 1, -50_000, 450_000],
          ['reversal', 1, 0, 250_000],
          ['payment', 1, 500_000, 0],
          ['owed', 1, -500_000, -500_000],
          ['payment', 1, 500_000, 0],
          ['owed', 1, -200_000, -200_000],
        ]);
        const [row] = (await client.agents.customers({ query: {} })).items;
        expect(row).toMatchObject({ level: 1, revenue: 12_500_000, dividends: 1_250_000 });
      });

      test('an agent reads what a customer brought less what is owed, and the month by itself (M21)', async () => {
        const agent = await makeAgent(shop, root, 10);
        const customer = await customerOf(shop, agent);
        const [first] = [await pay(shop, customer), await pay(shop, customer)];
        const client = shop.app.client(agent);
        await client.agents.transfer({ body: { quota: 1_000_000, request_id: 'all-of-it' } });
        await refund(shop, root, first);
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 500_000 });
        const [row] = (await client.agents.customers({ query: {} })).items;
        expect(row).toMatchObject({ revenue: ORDER_QUOTA, dividends: 500_000 });
        const { id } = await shop.app.store.db
          .selectFrom('dividends')
          .select('id')
          .where('agent_id', '=', agent.id)
          .orderBy('id')
          .executeTakeFirstOrThrow();
        await shop.app.store.db
          .updateTable('dividends')
          .set({ created_at: Math.floor(Date.now() / 1000) - 32 * 86_400 })
          .where('id', '=', id)
          .execute();
        const { dividends, month_dividends, revenue, month_revenue } = await client.agents.overview();
        expect(dividends - month_dividends).toBe(500_000);
        expect(revenue - month_revenue).toBe(ORDER_QUOTA);
      });

      test('a refund that the provider refuses gives the dividend back', async () => {
        const agent = await makeAgent(shop, root, 10);
        const customer = await customerOf(shop, agent);
        const tradeNo = await pay(shop, customer);
        await shop.app
          .client(agent)
          .agents.transfer({ body: { quota: 400_000, request_id: 'before-refund' } });
        shop.epay.refundAnswer = 'refuses';
        expect((await refund(shop, root, tradeNo, { atProvider: true })).body.code).toBe('refund_failed');
        shop.epay.refundAnswer = 'pays';
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 100_000, owed: 0 });
        expect(await recordsOf(shop, agent)).toEqual([
          ['payment', 1, 500_000, 0],
          ['reversal', 1, -100_000, 400_000],
          ['restored', 1, 500_000, 0],
          ['owed', 1, -400_000, -400_000],
        ]);
        await refund(shop, root, tradeNo, { atProvider: true });
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 400_000 });
      });

      test('a refused refund gives back its own part of the dividend, not that of an earlier refund (M21)', async () => {
        const agent = await makeAgent(shop, root, 10);
        const tradeNo = await pay(shop, await customerOf(shop, agent));
        const { amount_minor } = await orderRow(shop, tradeNo);
        await refund(shop, root, tradeNo, { minor: amount_minor / 2 });
        expect((await moneyOf(shop, agent)).dividends).toBe(250_000);
        shop.epay.refundAnswer = 'refuses';
        const minor = amount_minor / 4;
        expect((await refund(shop, root, tradeNo, { minor, atProvider: true })).body.code).toBe(
          'refund_failed',
        );
        shop.epay.refundAnswer = 'pays';
        expect(await recordsOf(shop, agent)).toEqual([
          ['payment', 1, 500_000, 0],
          ['reversal', 1, -250_000, 0],
          ['reversal', 1, -125_000, 0],
          ['restored', 1, 125_000, 0],
        ]);
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 250_000, owed: 0 });
      });

      test('a refund that is refused for lack of balance takes no dividend', async () => {
        const agent = await makeAgent(shop, root, 10);
        const customer = await customerOf(shop, agent);
        const tradeNo = await pay(shop, customer);
        await spend(shop, customer.id, 1);
        expect((await refund(shop, root, tradeNo)).body.code).toBe('refund_quota_short');
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 500_000, owed: 0 });
      });

      test('a customer who leaves and an agent who lost the agency are settled all the same', async () => {
        const agent = await makeAgent(shop, root, 10);
        const customer = await customerOf(shop, agent);
        const tradeNo = await pay(shop, customer);
        await setAgent(shop, root, agent.id, 10, false);
        await shop.app.client(root).userManagement.manage({ body: { id: customer.id, action: 'delete' } });
        await refund(shop, root, tradeNo);
        expect(await moneyOf(shop, agent)).toMatchObject({ dividends: 0, owed: 0 });
      });
    });

    describe('on spending', () => {
      test('REL-1.15 charges become dividends once, to the unit, in any number of runs', async () => {
        await twoLevels();
        const upper = await makeAgent(shop, root, 10);
        const agent = await makeAgent(shop, root, 7, upper.id);
        const customer = await customerOf(shop, agent, 1_000_000);
        await spend(shop, customer.id, 5000);
        await runJob();
        await onSpending();
        // Spent while dividends were paid on payments.
        await runJob();
        expect(await recordsOf(shop, agent)).toEqual([]);
        const amounts = [1, 9, 14, 1005, 13, 999, 5, 7];
        for (const amount of amounts) {
          await spend(shop, customer.id, amount);
          await Promise.all([runJob(), runJob(), runJob()]);
        }
        await runJob();
        const spent = amounts.reduce((sum, amount) => sum + amount, 0);
        expect((await moneyOf(shop, agent)).dividends).toBe(Math.floor((spent * 7) / 100));
        expect((await moneyOf(shop, upper)).dividends).toBe(Math.floor((spent * 25) / 1000));
        expect((await recordsOf(shop, agent)).every(([kind]) => kind === 'spend')).toBe(true);
      });

      test('charges that commit while the job runs, on two nodes, are counted once', async () => {
        await onSpending();
        const agent = await makeAgent(shop, root, 10);
        const customers = await Promise.all(
          Array.from({ length: 8 }, () => customerOf(shop, agent, 1_000_000)),
        );
        const apps: Pick<Shop, 'app'>[] = [shop];
        if (label === 'postgres')
          apps.push({
            app: await startApplication({
              place: { dataDir: shop.place.dataDir, databaseUrl: shop.place.databaseUrl! },
              nodeId: 'third',
            }),
          });
        const spending = new AbortController();
        const jobs = apps.map(async ({ app: { store, settings, ledger } }) => {
          while (!spending.signal.aborted)
            await paySpendDividends({ store, settings, ledger }, new AbortController().signal);
        });
        await Promise.all(
          customers.map(async ({ id }, index) => {
            for (let call = 0; call < 15; call += 1) await spend(apps[index % apps.length]!, id, 10 + call);
          }),
        );
        spending.abort();
        await Promise.all(jobs);
        await runJob();
        const each = Array.from({ length: 15 }, (_, call) => 10 + call).reduce(
          (sum, quota) => sum + quota,
          0,
        );
        expect((await moneyOf(shop, agent)).dividends).toBe(8 * Math.floor(each / 10));
        for (const { app } of apps.slice(1)) await app.close();
      });

      test('a run that fails anywhere is repeated without loss or repetition', async () => {
        await runJob();
        await onSpending();
        const agent = await makeAgent(shop, root, 10);
        const customer = await customerOf(shop, agent, 1_000_000);
        await spend(shop, customer.id, 1000);
        const parts = partsOf(shop);
        const failing = {
          ...parts,
          ledger: { transferWithin: () => Promise.reject(new Error('the database is away')) },
        };
        const signal = new AbortController().signal;
        for (let round = 0; round < 3; round += 1) {
          const failed = paySpendDividends(failing, signal).then(
            () => '',
            (error: Error) => error.message,
          );
          expect(await failed).toBe('the database is away');
        }
        await spend(shop, customer.id, 500);
        await paySpendDividends(parts, AbortSignal.abort());
        expect(await recordsOf(shop, agent)).toEqual([]);
        await runJob();
        await runJob();
        expect(await recordsOf(shop, agent)).toEqual([['spend', 1, 150, 0]]);
      });

      test('a charge that is given back lowers the next dividend, and never the balance', async () => {
        await onSpending();
        const agent = await makeAgent(shop, root, 10);
        const customer = await customerOf(shop, agent, 1_000_000);
        await spend(shop, customer.id, 1000);
        await runJob();
        await shop.app.store.db
          .insertInto('ledger')
          .values({
            idem: `given-back-${customer.id}`,
            created_at: 1,
            user_id: customer.id,
            debit_account: 'revenue',
            credit_account: `user:${customer.id}`,
            amount: 400,
            kind: 'refund',
          })
          .execute();
        await shop.app.store.db
          .updateTable('users')
          .set((column) => ({ quota: column('quota', '+', 400), used_quota: column('used_quota', '-', 400) }))
          .where('id', '=', customer.id)
          .execute();
        await runJob();
        await spend(shop, customer.id, 300);
        await runJob();
        expect((await moneyOf(shop, agent)).dividends).toBe(100);
        await spend(shop, customer.id, 200);
        await runJob();
        expect((await moneyOf(shop, agent)).dividends).toBe(110);
      });

      test('payments pay nothing then, and the job is registered', async () => {
        await onSpending();
        const agent = await makeAgent(shop, root, 10);
        await pay(shop, await customerOf(shop, agent));
        await runJob();
        expect(await recordsOf(shop, agent)).toEqual([]);
        const jobs = await shop.app.client(root).jobs.list();
        expect(JSON.stringify(jobs)).toContain('spend-dividends');
      });
    });

    test('REL-1.15 totals for administrators equal the ledger', async () => {
      await makeAgent(shop, root, 20);
      const agent = await makeAgent(shop, root, 10);
      const customer = await customerOf(shop, agent);
      await pay(shop, customer);
      await shop.app.client(agent).agents.transfer({ body: { quota: 1000, request_id: 'some-transfer' } });
      const admin = await shop.app.actor({ role: ROLE.admin });
      const { totals, items } = await shop.app
        .client(admin)
        .agents.list({ query: { page_size: '100', ended: 'true' } });
      const { db } = shop.app.store;
      const sum = async (kind: string) => {
        const rows = await db.selectFrom('ledger').select('amount').where('kind', '=', kind).execute();
        return rows.reduce((total, { amount }) => total + amount, 0);
      };
      expect(totals.dividends).toBe((await sum('dividend')) - (await sum('dividend_back')));
      expect(totals.transferred).toBe(await sum('dividend_transfer'));
      expect(totals.dividends - totals.transferred - totals.withdrawing - totals.withdrawn).toBe(
        totals.balance,
      );
      expect(items.reduce((total, row) => total + row.balance, 0)).toBe(totals.balance);
      expect(items.reduce((total, row) => total + row.dividends, 0)).toBe(totals.dividends);
      expect(items.reduce((total, row) => total + row.owed, 0)).toBe(totals.owed);
      expect(items.find((row) => row.user_id === agent.id)).toMatchObject({
        rate_percent: 10,
        dividends: 500_000,
        balance: 499_000,
        customers: 1,
        active: true,
      });
      // The answer to a new rate has the figures of that agent, not of another one.
      expect(await setAgent(shop, root, agent.id, 12)).toMatchObject({
        user_id: agent.id,
        rate_percent: 12,
        dividends: 500_000,
        balance: 499_000,
        customers: 1,
      });
    });
  });
});
