// A site with mixed calls around the midnights of three zones: several models, users and channels, costs known and unknown, a
// loss, a plan, failures, fees, top-ups and a refund. A dollar is a hundred units, so that two decimals show each unit.
import { ROLE } from '#contract/access.ts';
import type { Release, Settle } from '#server/money/ledger/engine/operations.ts';
import { TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import type { Store } from '#server/platform/store/store.ts';
import { applyAll, settling } from '#tests/integration/money/ledger/settlement-world.ts';
import { logRow, newId, outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { openShop, order, orderRow, type Shop } from '#tests/integration/money/payments/support.ts';
import { planFirst, subscribe } from '#tests/integration/money/plans/world.ts';
import type { Actor } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { randomSource } from '#tests/support/sequence.ts';
import { dayOf } from './sums.ts';

export const ZONES = ['Asia/Shanghai', 'America/Los_Angeles'] as const;
export const MODELS = ['alpha-chat', 'beta-mini', 'gamma-pro'] as const;
const DAY = 86_400;
const HOUR = 3600;

export interface BookedSite {
  shop: Shop;
  admin: Actor;
  alice: Actor;
  bob: Actor;
}

interface Caller extends Actor {
  tokenId: number;
}

interface Call {
  at: number;
  caller: Caller;
  channelId: number;
  model: string;
  charge: number;
  /** Null: not known. Undefined: the call failed. */
  cost: number | null | undefined;
}

export async function bookSite(label: DatabaseLabel): Promise<BookedSite> {
  const shop = await openShop(label, {
    QuotaPerUnit: '100',
    GroupRatio: JSON.stringify({ default: 1 }),
    ModelRatio: JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, 1]))),
  });
  const { app } = shop;
  const admin = await app.actor({ username: 'boss', role: ROLE.admin });
  const alice = await app.actor({ username: 'alice', quota: 90_000 });
  const bob = await app.actor({ username: 'bob', quota: 70_000 });
  const channels = await addSuppliers(app.store);
  const callers = await Promise.all([alice, bob].map((actor) => withToken(shop, actor)));
  const now = Math.floor(Date.now() / 1000);
  await bookCalls(app.store, callsBefore(now, callers, channels));
  await bookNow(shop, callers, channels);
  await bookTakenBack(app.store, now, alice);
  await bookFees(app.store, now, channels);
  await bookOrders(shop, { admin, buyer: bob, now });
  return { shop, admin, alice, bob };
}

async function withToken({ app }: Shop, actor: Actor): Promise<Caller> {
  const [token] = await app.client(actor).tokens.create({
    body: { name: `key of ${actor.username}`, unlimited_quota: true },
  });
  return { ...actor, tokenId: token?.id ?? 0 };
}

/** Two with a supplier; the cost of the third is not known, and the fourth sells below it. */
async function addSuppliers(store: Store): Promise<number[]> {
  const { id: supplier_id } = await store.db
    .insertInto('suppliers')
    .values({ name: 'north' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const channels: number[] = [];
  for (const name of ['main', 'reserve', 'grey', 'loser'])
    channels.push(
      await addChannel(store, {
        base_url: 'http://127.0.0.1:9',
        name,
        models: MODELS,
        fields: name === 'main' || name === 'loser' ? { supplier_id } : {},
      }),
    );
  return channels;
}

/** Seconds at both sides of the midnights of each zone, and others between them. */
function timesBefore(now: number, random: (below: number) => number): number[] {
  const times: number[] = [];
  for (const zone of [...ZONES, 'UTC'])
    for (let back = 0; back < 4; back += 1) {
      let midnight = now - (now % HOUR) - back * DAY;
      while (dayOf(zone, midnight) === dayOf(zone, midnight - 1)) midnight -= HOUR;
      times.push(midnight - 1, midnight, midnight + 1);
    }
  for (let count = 0; count < 40; count += 1) times.push(now - HOUR - random(34 * DAY));
  return times.filter((time) => time < now - 60);
}

function callsBefore(now: number, callers: readonly Caller[], channels: readonly number[]): Call[] {
  const random = randomSource(77);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  return timesBefore(now, random).map((at): Call => {
    const place = random(channels.length);
    const charge = 1 + random(400);
    const cost = place === 2 ? null : place === 3 ? charge + random(200) : random(charge + 1);
    const isFailed = random(12) === 0;
    return {
      at,
      caller: pick(callers),
      channelId: channels[place] ?? 0,
      model: pick(MODELS),
      charge,
      cost: isFailed ? undefined : cost,
    };
  });
}

/** Sent to the ledger as calls of those times would have been replayed: each with its hold. */
async function bookCalls(store: Store, calls: readonly Call[]): Promise<void> {
  for (const call of calls) {
    const { caller, charge, at } = call;
    const requestId = newId();
    await store.db
      .updateTable('users')
      .set((write) => ({ held_quota: write('held_quota', '+', charge) }))
      .where('id', '=', caller.id)
      .execute();
    await store.db
      .updateTable('tokens')
      .set((write) => ({ held_quota: write('held_quota', '+', charge) }))
      .where('id', '=', caller.tokenId)
      .execute();
    await store.db
      .insertInto('holds')
      .values({
        id: requestId,
        user_id: caller.id,
        token_id: caller.tokenId,
        // Of no process: the running application would recover the holds of one that it does not know.
        node_id: TASK_NODE,
        epoch: 0,
        amount: charge,
        created_at: at,
        expires_at: Math.floor(Date.now() / 1000) + HOUR,
        dispatched: 1,
        checkpoint_quota: 0,
        checkpoint: '',
        snapshot: '',
      })
      .execute();
    await applyAll(store, [operationOf(requestId, call)]);
  }
}

function operationOf(requestId: string, call: Call): Settle | Release {
  const { at, caller, channelId, model: modelName, charge, cost } = call;
  const log = { ...logOf(caller, channelId, modelName), prompt_tokens: 60, completion_tokens: charge };
  if (cost === undefined)
    return {
      kind: 'release',
      requestId,
      at,
      tokenDifference: 0,
      failure: { channelId, modelName, useTimeMs: 100, log: { ...log, type: 5, content: 'status 500' } },
      owner: { userId: caller.id, tokenId: caller.tokenId },
    };
  const scenario = { what: '', balance: 0, held: charge, checkpoint: 'none' as const, charge };
  return settling(
    { requestId, userId: caller.id, tokenId: caller.tokenId, scenario },
    { at, cost, modelName, channelId, completionTokens: charge, log },
  );
}

const logOf = ({ id, username, tokenId }: Caller, channel_id: number, model_name: string) => ({
  ...logRow(id, tokenId),
  username,
  channel_id,
  model_name,
});

/** Calls of this minute, of which a plan pays some, through the running ledger. */
async function bookNow(
  { app: { store, ledger } }: Shop,
  [alice]: readonly Caller[],
  [main = 0, , grey = 0]: readonly number[],
): Promise<void> {
  if (alice === undefined) throw new Error('there is no caller');
  const plan = await subscribe({ store, ledger }, alice.id, { period_quota: 500, price_quota: 321 });
  for (const [charge, channelId, cost] of [
    [210, main, 150],
    [333, main, 290],
    [71, grey, null],
  ] as const) {
    const { requestId } = await reserve(ledger, alice.id, alice.tokenId, charge, planFirst(plan));
    await ledger.settle(
      requestId,
      outcome(charge, {
        cost,
        channelId,
        modelName: MODELS[0],
        completionTokens: charge,
        log: { ...logOf(alice, channelId, MODELS[0]), prompt_tokens: 60, completion_tokens: charge },
      }),
    );
  }
}

/** What is left where recovery had counted a call whose settlement came later. */
async function bookTakenBack({ db }: Store, now: number, { id: user_id }: Actor): Promise<void> {
  const hour = now - (now % HOUR) - 2 * HOUR;
  const row = { channel_id: 0, model_name: '', user_id };
  await db
    .insertInto('usage_hours')
    .values({ ...row, hour, token_id: 0 })
    .execute();
  await db
    .insertInto('margin_days')
    .values({ ...row, day: hour - (hour % DAY), group: 'default' })
    .execute();
}

async function bookFees({ db }: Store, now: number, [main = 0, reserved = 0]: readonly number[]) {
  const today = now - (now % DAY);
  const days = Array.from({ length: 34 }, (_, back) => today - (back - 1) * DAY);
  await db
    .insertInto('channel_fees')
    .values(
      days.flatMap((day, at) => [
        { day, channel_id: main, fee: 3 + (at % 5) },
        { day, channel_id: reserved, fee: 1 },
      ]),
    )
    .execute();
}

/** Four are paid; the times of payment are moved to both sides of a midnight afterwards. One is given back in part. */
async function bookOrders(
  shop: Shop,
  { admin, buyer, now }: { admin: Actor; buyer: Actor; now: number },
): Promise<void> {
  const { db } = shop.app.store;
  const midnight = now - (now % DAY);
  const times = [midnight - 8 * HOUR, midnight - 8 * HOUR - 1, midnight - 1, midnight - 30 * DAY];
  const ids: number[] = [];
  for (const [at, paid_at] of times.entries()) {
    const { tradeNo } = await order(shop, buyer, { amount: 10 + at });
    await shop.epay.notify(tradeNo);
    const { id, status } = await orderRow(shop, tradeNo);
    if (status !== 'paid') throw new Error(`the order is ${status}`);
    await db.updateTable('orders').set({ paid_at }).where('id', '=', id).execute();
    ids.push(id);
  }
  await order(shop, buyer);
  await shop.app.client(admin).orders.refund({
    params: { id: ids[0] ?? 0 },
    body: { reason: 'test', amount_minor: 1234, at_provider: false, request_id: newId().padEnd(8, '0') },
  });
  await db
    .updateTable('refunds')
    .set({ created_at: midnight - 7 * HOUR - 1 })
    .execute();
}
