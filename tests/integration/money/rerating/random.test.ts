// Random sequences of versions, calls, re-ratings, undos, top-ups, withdrawn balances and ended periods, compared with a
// model that knows only prices. TEST_SEED repeats a run, RERATE_STEPS makes it longer.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { age, subscribe } from '#tests/integration/money/plans/world.ts';
import { createWorld, grant, newId, reserve, type World } from '#tests/integration/money/ledger/world.ts';
import { databaseSource } from '#tests/support/databases.ts';
import { seed as firstSeed } from '#tests/support/random.ts';
import { randomSource } from '#tests/support/sequence.ts';
import {
  addVersion,
  allowThePast,
  apply,
  beginUndo,
  DAY,
  dryRun,
  hourSums,
  independentPrice,
  makeCall,
  marginSums,
  nextHour,
  readRun,
  startPrices,
  totalsOf,
  work,
  type TestCall,
  type TestPrices,
} from './world.ts';

const steps = Number(process.env['RERATE_STEPS'] ?? 60);
setDefaultTimeout(120_000 + steps * 1000);

interface ModelCall {
  call: TestCall;
  daysAgo: number;
  version: number;
  price: number;
}

interface ModelRun {
  id: number;
  isUndone: boolean;
  touched: Map<ModelCall, number>;
}

/** What every call must cost in the end, without any knowledge of who pays. */
class Model {
  readonly calls: ModelCall[] = [];
  readonly runs: ModelRun[] = [];
  readonly versions = new Map<number, TestPrices>();

  rerate(
    id: number,
    version: number,
    isSelected: (call: ModelCall) => boolean,
  ): { calls: number; credit: number; debit: number } {
    const touched = new Map<ModelCall, number>();
    const figures = { calls: 0, credit: 0, debit: 0 };
    for (const each of this.calls.filter(isSelected)) {
      const price = independentPrice(this.versions.get(version) as TestPrices, each.call);
      if (price === each.price) continue;
      touched.set(each, each.price);
      figures.calls += 1;
      if (price < each.price) figures.credit += each.price - price;
      else figures.debit += price - each.price;
      each.price = price;
    }
    this.runs.push({ id, isUndone: false, touched });
    return figures;
  }

  /** Undefined: a later run has corrected one of the calls again. */
  undo(run: ModelRun): true | undefined {
    const later = this.runs.slice(this.runs.indexOf(run) + 1).filter(({ isUndone }) => !isUndone);
    if (later.some(({ touched }) => [...touched.keys()].some((call) => run.touched.has(call))))
      return undefined;
    for (const [call, price] of run.touched) call.price = price;
    run.isUndone = true;
    return true;
  }

  priceOf(userId: number): number {
    return this.calls.filter(({ call }) => call.userId === userId).reduce((sum, { price }) => sum + price, 0);
  }
}

interface Person {
  userId: number;
  tokens: number[];
  plan: number;
  credited: number;
}

class Sequence {
  readonly #model = new Model();
  readonly #people: Person[] = [];
  #channels: number[] = [];
  #version = 0;
  readonly done = { calls: 0, runs: 0, undone: 0, refused: 0 };

  readonly world: World;
  readonly random: (below: number) => number;

  constructor(world: World, random: (below: number) => number) {
    this.world = world;
    this.random = random;
  }

  async prepare(): Promise<void> {
    const { world } = this;
    await allowThePast(world.store);
    this.#channels = [await world.channel(), await world.channel()];
    await this.#newVersion(startPrices);
    for (let index = 0; index < 3; index += 1) {
      const userId = await world.user(4000);
      const limited = await world.token(userId, { unlimited_quota: 0, remain_quota: 3000 });
      const plan = index === 2 ? 0 : await subscribe(world, userId, { period_quota: 600 });
      this.#people.push({ userId, tokens: [await world.token(userId), limited], plan, credited: 4000 });
    }
  }

  async step(): Promise<void> {
    const turn = this.random(20);
    if (turn < 10) await this.#call();
    else if (turn < 12) await this.#newVersion(this.#randomPrices());
    else if (turn < 16) await this.#rerate();
    else if (turn < 18) await this.#undo();
    else if (turn === 18) await this.#moveMoney();
    else await this.#holdOrEndPeriod();
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.random(list.length)] as T;
  }

  #randomPrices(): TestPrices {
    const factor = () => 1 + this.random(300);
    return {
      alpha: factor(),
      completion: 100 + factor(),
      cache: this.random(101),
      gamma: factor(),
      vip: 10 + this.random(150),
    };
  }

  async #newVersion(prices: TestPrices): Promise<void> {
    this.#version = await addVersion(this.world.store, prices);
    this.#model.versions.set(this.#version, prices);
  }

  async #call(): Promise<void> {
    const person = this.#pick(this.#people);
    const call: TestCall = {
      userId: person.userId,
      tokenId: this.random(5) === 0 ? 0 : this.#pick(person.tokens),
      channelId: this.#pick(this.#channels),
      model: this.#pick(['alpha', 'alpha', 'beta', 'gamma'] as const),
      group: this.random(3) === 0 ? 'vip' : 'default',
      usage: { input: this.random(200), output: 1 + this.random(60), cacheRead: this.random(100) },
    };
    const daysAgo = this.random(4);
    const prices = this.#model.versions.get(this.#version) as TestPrices;
    const plans = person.plan > 0 && this.random(2) === 0 ? [person.plan] : undefined;
    const cost = this.random(3) === 0 ? null : this.random(100);
    const options = { daysAgo, cost, version: this.#version, ...(plans === undefined ? {} : { plans }) };
    try {
      await makeCall(this.world, call, prices, options);
    } catch (error) {
      // No balance, or a token without quota: the call was refused.
      expect(String(error)).toMatch(/insufficient|unavailable/);
      return;
    }
    const price = independentPrice(prices, call);
    this.#model.calls.push({ call, daysAgo, version: this.#version, price });
    this.done.calls += 1;
  }

  async #rerate(): Promise<void> {
    const { store } = this.world;
    const version = this.random(2) === 0 ? this.#version : this.#pick([...this.#model.versions.keys()]);
    const oldest = this.random(4);
    const models = this.random(3) === 0 ? ['alpha'] : [];
    const groups = this.random(4) === 0 ? ['vip'] : [];
    const charged = this.random(4) === 0 ? this.#pick([...this.#model.versions.keys()]) : 0;
    const to_at = nextHour();
    // Whole days before today: calls were moved back by whole days.
    const run = await dryRun(store, {
      version_id: version,
      from_at: to_at - (oldest + 1) * DAY,
      to_at,
      models,
      groups,
      charged_version: charged,
    });
    expect(run.state).toBe('ready');
    if (this.random(5) === 0) return;
    const figures = this.#model.rerate(
      run.id,
      version,
      ({ call, daysAgo, version: made }) =>
        daysAgo <= oldest &&
        (models.length === 0 || call.model === 'alpha') &&
        (groups.length === 0 || call.group === 'vip') &&
        (charged === 0 || made === charged),
    );
    expect({ calls: run.calls, credit: run.credit, debit: run.debit }).toEqual(figures);
    expect((await apply(store, run)).state).toBe('applied');
    this.done.runs += 1;
  }

  async #undo(): Promise<void> {
    const open = this.#model.runs.filter(({ isUndone }) => !isUndone);
    if (open.length === 0) return;
    const run = this.#pick(open);
    const { store } = this.world;
    if (this.#model.undo(run) === undefined) {
      expect(await refusalOf(beginUndo(store, run.id))).toBe('rerate_later_run');
      this.done.refused += 1;
      return;
    }
    await beginUndo(store, run.id);
    await work(store);
    expect((await readRun(store, run.id)).state).toBe('undone');
    this.done.undone += 1;
  }

  async #moveMoney(): Promise<void> {
    const person = this.#pick(this.#people);
    const { ledger } = this.world;
    if (this.random(2) === 0) {
      const amount = 1 + this.random(2000);
      await grant(ledger, person.userId, amount);
      person.credited += amount;
      return;
    }
    // Nearly everything leaves, so that debits find nothing to take.
    const amount = Math.max(1, (await ledger.balance(person.userId)) - this.random(50));
    const entry = { idem: newId(), userId: person.userId, amount, kind: 'admin', reference: '' };
    const { ok } = await ledger.debit({ ...entry, to: 'world:admin' });
    if (ok) person.credited -= amount;
  }

  async #holdOrEndPeriod(): Promise<void> {
    const person = this.#pick(this.#people);
    if (this.random(2) === 0 || person.plan === 0) {
      // A call that never ends in this test: what it holds must not be taken.
      await reserve(this.world.ledger, person.userId, 0, 1 + this.random(300));
      return;
    }
    await age(this.world.store, person.plan, DAY);
    await this.world.ledger.rollPeriod(person.plan);
  }

  async check(): Promise<void> {
    const { store, ledger } = this.world;
    await ledger.writeHolds();
    for (const { userId, tokens } of this.#people) {
      const totals = await totalsOf(store, userId);
      expect(totals.used + totals.suspense).toBe(this.#model.priceOf(userId));
      expect(totals.logged).toBe(totals.used);
      expect(totals.hours).toBe(totals.used);
      expect(totals.quota).toBeGreaterThanOrEqual(totals.held);
      for (const id of tokens) {
        const { used_quota } = await this.world.findToken(id);
        expect(used_quota).toBe(await loggedBy(this.world, 'token_id', id));
      }
    }
    for (const id of this.#channels) {
      const channel = await store.db
        .selectFrom('channels')
        .select('used_quota')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      expect(channel.used_quota).toBe(await loggedBy(this.world, 'channel_id', id));
    }
    const margins = await marginSums(store);
    expect(margins.kept).toEqual(margins.logged);
    const hours = await hourSums(store);
    expect(hours.kept).toEqual(hours.logged);
    expect(await checkInvariants(store)).toEqual([]);
  }
}

async function loggedBy({ store }: World, column: 'token_id' | 'channel_id', id: number): Promise<number> {
  const { quota } = await store.db
    .selectFrom('logs')
    .select(({ fn }) => fn.sum<number | null>('quota').as('quota'))
    .where('type', '=', 2)
    .where(column, '=', id)
    .executeTakeFirstOrThrow();
  return quota ?? 0;
}

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.code : `no refusal: ${String(error)}`;
}

const plans = [
  { label: 'sqlite', seeds: 2, length: steps },
  { label: 'postgres', seeds: 1, length: Math.ceil(steps / 2) },
] as const;

for (const { label, seeds, length } of plans) {
  describe(label, () => {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
      test(`${length} versions, calls, re-ratings and undos (seed ${seed}) leave every total as the final versions say`, async () => {
        const source = databaseSource(label);
        const world = await createWorld(await source.open());
        const sequence = new Sequence(world, randomSource(seed * 7919));
        await sequence.prepare();
        for (let step = 0; step < length; step += 1) {
          await sequence.step();
          if (step % 15 === 14) await sequence.check();
        }
        await sequence.check();
        expect(sequence.done.calls).toBeGreaterThan(0);
        expect(sequence.done.runs).toBeGreaterThan(0);
        await world.close();
        await source.closeAll();
      });
    }
  });
}
