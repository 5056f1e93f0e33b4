// Dividends on spending, besides calls that succeed: corrections, imports, switches and nodes that pay at the same time.
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import type { Settings } from '#contract/settings.ts';
import { paySpendDividends, type AgentParts } from '#server/money/resellers/index.ts';
import { bookPastUsage } from '#server/money/ledger/imported.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { ROOT_PASSWORD, type Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createWorld, outcome, reserve, type World } from '#tests/integration/money/ledger/world.ts';
import { breaches, openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import { addVersion, apply, dryRun, makeCall, startPrices } from '#tests/integration/money/rerating/world.ts';
import { customerOf, makeAgent, partsOf, recordsOf, spend } from './support.ts';

setDefaultTimeout(60_000);

forEachDatabase((label) => {
  let shop: Shop;
  let root: Actor;
  beforeAll(async () => {
    shop = await openShop(label, { DividendBasis: 'spend' });
    root = await shop.app.login('root', ROOT_PASSWORD);
  }, 60_000);
  afterAll(() => shop.close());
  afterEach(async () => {
    await shop.app.settings.set('DividendSecondLevelPercent', '0', 0);
    expect(await breaches(shop)).toEqual([]);
  });

  const twoLevels = () => shop.app.settings.set('DividendSecondLevelPercent', '2.5', 0);
  const runJob = () => paySpendDividends(partsOf(shop), new AbortController().signal);

  test('charges that another gateway made before they were imported pay no dividend (M21)', async () => {
    const agent = await makeAgent(shop, root, 10);
    const customer = await customerOf(shop, agent, 1000);
    const past = { idem: `import:1:${customer.id}`, userId: customer.id, amount: 90_000, at: 1 };
    await shop.app.store.db.transaction().execute(async (transaction) => {
      await bookPastUsage(transaction, past);
      // A page of rows that cost nothing leaves no entry.
      await bookPastUsage(transaction, { ...past, idem: `${past.idem}:free`, amount: 0 });
      const hour = { hour: 0, token_id: 0, channel_id: 0, model_name: 'old', count: 1 };
      await transaction
        .insertInto('usage_hours')
        .values({ ...hour, user_id: past.userId, quota: past.amount })
        .execute();
    });
    const entries = shop.app.store.db.selectFrom('ledger').select('idem').where('user_id', '=', customer.id);
    expect(await entries.where('kind', '=', 'use').execute()).toEqual([{ idem: past.idem }]);
    await spend(shop, customer.id, 1000);
    await runJob();
    expect(await recordsOf(shop, agent)).toEqual([['spend', 1, 100, 0]]);
  });

  test('what is spent while the second level is off earns nothing when it is switched on (M21)', async () => {
    const upper = await makeAgent(shop, root, 10);
    const agent = await makeAgent(shop, root, 7, upper.id);
    const customer = await customerOf(shop, agent, 1_000_000);
    await spend(shop, customer.id, 100_000);
    await runJob();
    await twoLevels();
    await spend(shop, customer.id, 1000);
    await runJob();
    expect(await recordsOf(shop, upper)).toEqual([['spend', 2, 25, 0]]);
  });
});

// Without an application, whose own job would pay at a time that a test cannot know.
forEachDatabase((_label, open) => {
  describe('the job alone', () => {
    const job = new AbortController().signal;
    let world: World;
    let parts: AgentParts;
    let agent: number;
    let customer: number;
    beforeEach(async () => {
      world = await createWorld(await open());
      const current = { DividendBasis: 'spend', DividendSecondLevelPercent: 0 } as Settings;
      parts = { store: world.store, ledger: world.ledger, settings: { current } };
      agent = await world.user(0);
      customer = await world.user(1_000_000, { inviter_id: agent });
      await world.store.db
        .insertInto('agents')
        .values({ user_id: agent, rate: 1000, created_at: 1, updated_at: 1 })
        .execute();
    });
    afterEach(async () => {
      expect(await checkInvariants(world.store)).toEqual([]);
      await world.close();
    });

    const call = async (quota: number, userId = customer) => {
      const { requestId } = await reserve(world.ledger, userId, 0, quota);
      await world.ledger.settle(requestId, outcome(quota, { log: null }));
    };
    const rated = { tokenId: 0, channelId: 0, model: 'alpha', group: 'default' } as const;
    const runJob = () => paySpendDividends(parts, job);
    /** Counts what is new and pays nothing. */
    const countOnly = async () => {
      const ledger = { transferWithin: () => Promise.reject(new Error('not now')) };
      await paySpendDividends({ ...parts, ledger }, job).catch(() => {});
    };
    const dividends = async (agentId = agent) => {
      const users = world.store.db.selectFrom('users').select('dividend_quota');
      return (await users.where('id', '=', agentId).executeTakeFirstOrThrow()).dividend_quota;
    };

    /** A run that has read what is due, and goes on after `meanwhile`. */
    async function runAfter(meanwhile: () => Promise<void>): Promise<void> {
      let isFirst = true;
      const db = new Proxy(parts.store.db, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
          return () => ({
            async execute(work: Parameters<ReturnType<typeof target.transaction>['execute']>[0]) {
              if (isFirst) await meanwhile();
              isFirst = false;
              return await target.transaction().execute(work);
            },
          });
        },
      });
      await paySpendDividends({ ...parts, store: { ...parts.store, db } }, job);
      expect(isFirst).toBe(false);
    }

    test('two customers of an agent with the same sums, paid as often, are each paid for (M21)', async () => {
      const second = await world.user(1_000_000, { inviter_id: agent });
      for (const paid of [200, 400]) {
        for (const userId of [customer, second]) await call(1000, userId);
        await runJob();
        expect(await dividends()).toBe(paid);
      }
    });

    test('an agent who comes from the second to the first level of a customer is paid for both sums (M21)', async () => {
      const current = { ...parts.settings.current, DividendSecondLevelPercent: 2.5 };
      parts = { ...parts, settings: { current } };
      const between = await world.user(0, { inviter_id: agent });
      for (const inviter_id of [between, agent]) {
        await world.store.db.updateTable('users').set({ inviter_id }).where('id', '=', customer).execute();
        await call(1000);
        await countOnly();
      }
      await runJob();
      expect(await dividends()).toBe(100 + 25);
    });

    test('two agents whom a customer had one after the other are each paid for what was spent in their time (M21)', async () => {
      const other = await world.user(0);
      const agents = world.store.db.insertInto('agents');
      await agents.values({ user_id: other, rate: 1000, created_at: 1, updated_at: 1 }).execute();
      for (const inviter_id of [agent, other]) {
        await world.store.db.updateTable('users').set({ inviter_id }).where('id', '=', customer).execute();
        await call(1000);
        await countOnly();
      }
      await runJob();
      expect([await dividends(), await dividends(other)]).toEqual([100, 100]);
    });

    test('what re-rating gives back lowers the dividends, and what it charges raises them (M21)', async () => {
      const { store } = world;
      await addVersion(store, startPrices);
      const usage = { input: 100, output: 100, cacheRead: 0 };
      await makeCall(world, { ...rated, userId: customer, usage }, startPrices);
      await runJob();
      expect(await dividends()).toBe(50);
      const correct = async (alpha: number) => {
        const version_id = await addVersion(store, { ...startPrices, alpha });
        expect(await apply(store, await dryRun(store, { version_id }))).toMatchObject({ calls: 1 });
      };
      // From 500 to 250: the next 250 units that are spent earn nothing.
      await correct(50);
      await call(300);
      await runJob();
      expect(await dividends()).toBe(55);
      // From 250 to 1500.
      await correct(300);
      await runJob();
      expect(await dividends()).toBe(180);
    });

    test('a sum that another node pays first is paid once, and what came since is not lost (M21)', async () => {
      await call(1000);
      await countOnly();
      await runAfter(async () => {
        await runJob();
        await call(5000);
        await countOnly();
      });
      await runJob();
      expect(await dividends()).toBe(600);
    });

    test('a sum that a charge which is given back lowers before it is paid pays the lower one (M21)', async () => {
      const { store } = world;
      const usage = { input: 1000, output: 0, cacheRead: 0 };
      await makeCall(world, { ...rated, userId: customer, usage }, startPrices);
      const version_id = await addVersion(store, { ...startPrices, alpha: 50 });
      await countOnly();
      await runAfter(async () => {
        await apply(store, await dryRun(store, { version_id }));
        await countOnly();
      });
      await runJob();
      expect(await dividends()).toBe(50);
    });
  });
});
