// Random sequences of calls, periods, purchases and refunds, compared after every step with a model that knows only sums.
// TEST_SEED repeats a run, BILLING_STEPS makes it longer.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { endSubscription, reopenSubscription } from '#server/money/ledger/subscriptions.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createWorld, outcome, reserve, type World } from '#tests/integration/money/ledger/world.ts';
import { seed } from '#tests/support/random.ts';
import { age, daySeconds, subscribe } from './world.ts';

const steps = Number(process.env['BILLING_STEPS'] ?? 250);
setDefaultTimeout(60_000 + steps * 200);

const periods = 3;
const price = 150;

interface ModelPlan {
  id: number;
  granted: number;
  /** Free of this period; what calls hold is with the calls. */
  free: number;
  period: number;
  /** By the clock; the period follows when somebody looks. */
  due: number;
  isActive: boolean;
  refunds: number;
}

interface ModelCall {
  requestId: string;
  wallet: number;
  plan: number;
  from: ModelPlan | undefined;
  period: number;
  isPlanFirst: boolean;
}

class Model {
  wallet: number;
  plans: ModelPlan[] = [];
  calls: ModelCall[] = [];
  constructor(wallet: number) {
    this.wallet = wallet;
  }

  look(plan: ModelPlan): void {
    if (!plan.isActive || plan.due <= plan.period) return;
    plan.period = plan.due;
    plan.isActive = plan.due < periods;
    plan.free = plan.isActive ? plan.granted : 0;
  }

  /** What each pocket gives of an amount; undefined when they have less together. */
  take(amount: number, planFree: number, isPlanFirst: boolean) {
    const [first, second] = isPlanFirst ? [planFree, this.wallet] : [this.wallet, planFree];
    const one = Math.min(amount, first);
    const two = Math.min(amount - one, second);
    const [plan, wallet] = isPlanFirst ? [one, two] : [two, one];
    return { plan, wallet, missing: amount - one - two };
  }

  isCurrent({ from, period }: ModelCall): boolean {
    if (from === undefined) return false;
    this.look(from);
    return from.isActive && from.period === period;
  }

  /** Puts the parts of a call back where they may be spent by others. */
  drop(call: ModelCall): void {
    this.wallet += call.wallet;
    if (this.isCurrent(call) && call.from) call.from.free += call.plan;
    this.calls.splice(this.calls.indexOf(call), 1);
  }

  settle(call: ModelCall, charge: number): number {
    const isCurrent = this.isCurrent(call);
    this.drop(call);
    const own = isCurrent ? (call.from?.free ?? 0) : call.plan;
    const { plan, wallet } = this.take(charge, own, call.isPlanFirst);
    if (isCurrent && call.from) call.from.free -= plan;
    this.wallet -= wallet;
    return plan + wallet;
  }
}

forEachDatabase((_label, open) => {
  describe('random sequences with subscriptions', () => {
    test(`${steps} steps (seed ${seed}) agree with the model to the unit`, async () => {
      let state = seed + 1;
      const random = (below: number) => {
        state = (state * 48_271) % 2_147_483_647;
        return state % below;
      };
      const pick = <T>(list: readonly T[]): T | undefined => list[random(Math.max(1, list.length))];
      const world = await createWorld(await open());
      const { store, ledger } = world;
      const userId = await world.user(4000);
      const tokenId = await world.token(userId);
      const model = new Model(4000);

      const actions: (() => Promise<void>)[] = [
        async () => {
          const granted = 50 + random(600);
          if (model.wallet < price || model.plans.filter(({ isActive }) => isActive).length > 3) return;
          const terms = { period_quota: granted, duration_count: periods, price_quota: price };
          const id = await subscribe(world, userId, terms);
          model.wallet -= price;
          model.plans.push({ id, granted, free: granted, period: 0, due: 0, isActive: true, refunds: 0 });
        },
        ...Array.from({ length: 5 }, () => async () => {
          const candidates = model.plans.filter(() => random(3) > 0);
          const isPlanFirst = random(3) > 0;
          const amount = random(700);
          let from: ModelPlan | undefined;
          for (const plan of candidates) {
            model.look(plan);
            if (!plan.isActive || plan.free === 0) continue;
            from = plan;
            break;
          }
          const parts = model.take(amount, from?.free ?? 0, isPlanFirst);
          const plans = { ids: candidates.map(({ id }) => id), isPlanFirst, isRequired: false };
          const { requestId, admission } = await reserve(ledger, userId, tokenId, amount, { plans });
          expect(admission.ok).toBe(parts.missing === 0);
          if (!admission.ok) return;
          model.wallet -= parts.wallet;
          if (from) from.free -= parts.plan;
          const { wallet, plan } = parts;
          model.calls.push({ requestId, wallet, plan, from, period: from?.period ?? 0, isPlanFirst });
        }),
        async () => {
          const call = pick(model.calls);
          if (!call) return;
          const isCurrent = model.isCurrent(call);
          const more = random(300);
          const parts = model.take(more, isCurrent ? (call.from?.free ?? 0) : 0, call.isPlanFirst);
          expect(await ledger.extend(call.requestId, more)).toBe(parts.missing === 0);
          if (parts.missing > 0) return;
          call.wallet += parts.wallet;
          call.plan += parts.plan;
          model.wallet -= parts.wallet;
          if (call.from) call.from.free -= parts.plan;
        },
        ...Array.from({ length: 3 }, () => async () => {
          const call = pick(model.calls);
          if (!call) return;
          const charge = random(random(5) === 0 ? 3000 : 1 + call.wallet + call.plan);
          const expected = model.settle(call, charge);
          const { charged, suspense } = await ledger.settle(call.requestId, outcome(charge));
          expect([charged, suspense]).toEqual([expected, charge - expected]);
        }),
        async () => {
          const call = pick(model.calls);
          if (!call) return;
          model.drop(call);
          await ledger.release(call.requestId);
        },
        async () => {
          const plan = pick(model.plans);
          if (!plan) return;
          const passed = 1 + random(2);
          plan.due += passed;
          await age(store, plan.id, passed * daySeconds);
        },
        async () => {
          const plan = pick(model.plans);
          if (!plan) return;
          model.look(plan);
          await ledger.rollPeriod(plan.id);
        },
        async () => {
          const plan = pick(model.plans);
          if (!plan) return;
          plan.refunds += 1;
          const reason = `refund:${plan.refunds}`;
          const change = (work: typeof endSubscription) =>
            store.db.transaction().execute((transaction) => work(world, transaction, plan.id, reason));
          const free = plan.free;
          expect(await change(endSubscription)).toBe(plan.isActive);
          if (!plan.isActive) return;
          plan.isActive = false;
          plan.free = 0;
          if (random(2) === 0) return;
          expect(await change(reopenSubscription)).toBe(true);
          plan.isActive = true;
          // A period that is over meanwhile is not given again.
          if (plan.due === plan.period) plan.free = free;
        },
      ];

      for (let step = 0; step < steps; step += 1) {
        const action = pick(actions);
        await action?.();
        await compare(world, userId, model, step);
      }
      for (const call of model.calls.slice()) {
        model.drop(call);
        await ledger.release(call.requestId);
      }
      await compare(world, userId, model, steps);
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });
  });
});

async function compare(world: World, userId: number, model: Model, step: number): Promise<void> {
  const user = await world.findUser(userId);
  const rows = await world.store.db
    .selectFrom('subscriptions')
    .select(['id', 'quota', 'held', 'status', 'period'])
    .orderBy('id')
    .execute();
  const sum = (calls: readonly ModelCall[], part: 'wallet' | 'plan') =>
    calls.reduce((total, call) => total + call[part], 0);
  const held = sum(model.calls, 'wallet');
  expect({
    step,
    wallet: [user.quota, user.held_quota, user.plan_held_quota],
    plans: rows.map(({ quota, held: part, status }) => [quota - part, part, status]),
  }).toEqual({
    step,
    wallet: [model.wallet + held, held, sum(model.calls, 'plan')],
    plans: model.plans.map((plan) => [
      plan.free,
      sum(
        model.calls.filter(({ from }) => from === plan),
        'plan',
      ),
      plan.isActive ? 'active' : 'ended',
    ]),
  });
}
