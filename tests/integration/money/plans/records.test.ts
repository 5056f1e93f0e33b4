// Settlement, recovery and release of a call that a subscription pays a part of: in every order, both pockets end with what
// the settlement says.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Operation } from '#server/money/ledger/engine/operations.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createWorld, type World } from '#tests/integration/money/ledger/world.ts';
import {
  applyAll,
  checkpointChannel,
  lastChannel,
  openCalls,
  recovering,
  releasing,
  settling,
  type Call,
  type Scenario,
} from '#tests/integration/money/ledger/settlement-world.ts';
import { age, daySeconds, subscribe } from './world.ts';

setDefaultTimeout(120_000);

interface PlanScenario extends Scenario {
  isPlanFirst: boolean;
  heldPlan: number;
  /** What the subscription pays in the end. */
  plan: number;
}

/** The subscription grants 200. */
const scenarios: PlanScenario[] = [
  {
    what: 'checkpoint below',
    balance: 1000,
    held: 300,
    heldPlan: 200,
    checkpoint: 150,
    charge: 240,
    isPlanFirst: true,
    plan: 200,
  },
  {
    what: 'checkpoint above',
    balance: 1000,
    held: 300,
    heldPlan: 200,
    checkpoint: 290,
    charge: 140,
    isPlanFirst: true,
    plan: 140,
  },
  {
    what: 'not sent',
    balance: 1000,
    held: 300,
    heldPlan: 200,
    checkpoint: undefined,
    charge: 240,
    isPlanFirst: true,
    plan: 200,
  },
  {
    what: 'free',
    balance: 1000,
    held: 100,
    heldPlan: 100,
    checkpoint: 100,
    charge: 0,
    isPlanFirst: true,
    plan: 0,
  },
  {
    what: 'the balance first',
    balance: 100,
    held: 250,
    heldPlan: 150,
    checkpoint: 200,
    charge: 240,
    isPlanFirst: false,
    plan: 140,
  },
  {
    what: 'partly in suspense',
    balance: 100,
    held: 300,
    heldPlan: 200,
    checkpoint: 120,
    charge: 500,
    isPlanFirst: true,
    plan: 200,
  },
];

type Step = 'settle' | 'recover' | 'release';
const orders: Step[][] = [
  ['settle', 'settle', 'recover', 'release'],
  ['recover', 'settle', 'settle', 'recover'],
  ['recover', 'settle', 'release', 'settle'],
  ['recover', 'recover', 'settle', 'settle'],
];

forEachDatabase((_label, open) => {
  describe('records of divided calls', () => {
    let store: Store;
    let world: World;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      await store.db
        .insertInto('channels')
        .values([checkpointChannel, lastChannel].map((id) => ({ id, name: String(id) })))
        .execute();
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    interface PlanCall extends Call {
      subscription: number;
      wanted: PlanScenario;
    }

    /** A call of each scenario in each order, with the part of its subscription in the hold. */
    async function open_(): Promise<PlanCall[]> {
      const wanted = orders.flatMap(() => scenarios);
      const calls = await openCalls(store, wanted);
      const open: PlanCall[] = [];
      for (const [index, call] of calls.entries()) {
        const scenario = wanted[index] as PlanScenario;
        const subscription = await subscribe(world, call.userId, { period_quota: 200 });
        const { heldPlan: plan_amount, held, isPlanFirst } = scenario;
        await store.db
          .updateTable('holds')
          .set({
            subscription_id: subscription,
            plan_amount,
            plan_period: 0,
            plan_first: isPlanFirst ? 1 : 0,
          })
          .where('id', '=', call.requestId)
          .execute();
        await store.db
          .updateTable('users')
          .set({ held_quota: held - plan_amount, plan_held_quota: plan_amount })
          .where('id', '=', call.userId)
          .execute();
        await store.db
          .updateTable('subscriptions')
          .set({ held: plan_amount })
          .where('id', '=', subscription)
          .execute();
        open.push({ ...call, subscription, wanted: scenario });
      }
      expect(await checkInvariants(store)).toEqual([]);
      return open;
    }

    function operationOf(step: Step, call: PlanCall): Operation {
      if (step === 'recover') return recovering(call);
      if (step === 'release') return releasing(call);
      const { userId, tokenId, subscription: subscriptionId, wanted } = call;
      const plan = { subscriptionId, planPeriod: 0, isPlanFirst: wanted.isPlanFirst };
      return settling(call, { owner: { userId, tokenId, plan } });
    }

    const orderOf = (index: number) => orders[Math.floor(index / scenarios.length)] as Step[];

    test('M4 M5 every order of settle, replay, recover and release charges both pockets once', async () => {
      const calls = await open_();
      for (let step = 0; step < 4; step += 1)
        await applyAll(
          store,
          calls.map((call, index) => operationOf(orderOf(index)[step] as Step, call)),
        );
      for (const [index, call] of calls.entries()) {
        const { wanted, userId, subscription } = call;
        const what = `${wanted.what}: ${orderOf(index).join(', ')}`;
        const user = await world.findUser(userId);
        const row = await store.db
          .selectFrom('subscriptions')
          .select(['quota', 'held'])
          .where('id', '=', subscription)
          .executeTakeFirstOrThrow();
        const wallet = Math.min(wanted.balance, wanted.charge - wanted.plan);
        const charged = wallet + wanted.plan;
        const log = await store.db
          .selectFrom('logs')
          .select(['quota', 'other'])
          .where('request_id', '=', call.requestId)
          .where('type', '=', 2)
          .executeTakeFirstOrThrow();
        const part = (JSON.parse(log.other) as { plan?: { quota: number } }).plan?.quota ?? 0;
        expect({
          what,
          user: [user.quota, user.held_quota, user.plan_held_quota, user.used_quota],
          row,
          log: [log.quota, part],
        }).toEqual({
          what,
          user: [wanted.balance - wallet, 0, 0, charged],
          row: { quota: 200 - wanted.plan, held: 0 },
          log: [charged, wanted.plan],
        });
      }
    });

    test('a late settlement after the period ended gives back to the period that is over, not to the new one', async () => {
      const calls = await open_();
      await applyAll(
        store,
        calls.map((call) => operationOf('recover', call)),
      );
      for (const { subscription } of calls) {
        await age(store, subscription, daySeconds);
        await world.ledger.rollPeriod(subscription);
      }
      await applyAll(
        store,
        calls.map((call) => operationOf('settle', call)),
      );
      const rows = await store.db.selectFrom('subscriptions').select(['quota', 'held']).execute();
      expect(new Set(rows.map(({ quota, held }) => `${quota} ${held}`))).toEqual(new Set(['200 0']));
    });
  });
});
