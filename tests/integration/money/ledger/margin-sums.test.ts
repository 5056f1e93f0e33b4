// Sums of past days and weeks. Late charges, corrections and runs of the job come in any order; every answer about margins must
// equal the sum of `margin_days`. TEST_SEED repeats a run, MARGIN_STEPS makes it longer.
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import {
  MARGIN_DIMENSIONS,
  marginQuery,
  type MarginFigures,
  type MarginQuery,
} from '#contract/money/margins.ts';
import { correctMargins } from '#server/money/ledger/corrections/margins.ts';
import type { BookedCall } from '#server/money/ledger/corrections/correction.ts';
import { daySums } from '#server/admin/margins/day-sums.ts';
import { sumMarginSpans } from '#server/admin/margins/index.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { randomSource } from '#tests/support/sequence.ts';
import { applyAll, openCalls, settling } from './settlement-world.ts';

const steps = Number(process.env['MARGIN_STEPS'] ?? 40);
setDefaultTimeout(120_000 + steps * 1000);

const DAY = 86_400;
/** Two whole weeks are among them, wherever the weeks begin. */
const DAYS = 24;
const CHANNELS = [1, 2, 3, 4];
const MODELS = ['alpha', 'beta', 'gamma'];
const GROUPS = ['default', 'vip'];

const random = randomSource(seed);
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const now = () => Math.floor(Date.now() / 1000);
const dayOf = (second: number) => second - (second % DAY);
const dayText = (second: number) => new Date(second * 1000).toISOString().slice(0, 10);

/** Settles a call of a new user at that time, as a spool that is replayed late does. */
async function settle(store: Store, at: number): Promise<void> {
  const charge = 1 + random(500);
  const scenario = { what: '', balance: 1000, held: 300, checkpoint: 'none' as const, charge };
  const [call] = await openCalls(store, [scenario]);
  if (call === undefined) throw new Error('one scenario makes one call');
  const cost = random(4) === 0 ? null : random(400);
  const [modelName, group, channelId] = [pick(MODELS), pick(GROUPS), pick(CHANNELS)];
  await applyAll(store, [settling(call, { at, cost, modelName, group, channelId })]);
}

/** A correction of the price of a call that is in this row. */
async function correct(store: Store, row: Row<'margin_days'>, more: number): Promise<void> {
  const shares = (wallet: number) => ({ wallet, plan: 0, suspense: 0 });
  const { channel_id: channelId, model_name: modelName, group } = row;
  const call = { createdAt: row.day + 5, channelId, modelName, group, isCosted: row.costed_count > 0 };
  const corrected = { ...call, before: shares(10), after: shares(10 + more) } as BookedCall;
  await store.db
    .transaction()
    .execute((transaction) => correctMargins(transaction, store.dialect, row.user_id, [corrected]));
}

const keyOf = {
  channel: (row: Row<'margin_days'>) => String(row.channel_id),
  supplier: (row: Row<'margin_days'>) => (row.channel_id <= 2 ? '7' : '0'),
  model: (row: Row<'margin_days'>) => row.model_name,
  group: (row: Row<'margin_days'>) => row.group,
  user: (row: Row<'margin_days'>) => String(row.user_id),
  day: (row: Row<'margin_days'>) => dayText(row.day),
};

/** Without the sums and without the code of the report. */
function counted(rows: readonly Row<'margin_days'>[], query: MarginQuery) {
  const { by, from = '', to = '', channel, supplier, model, group, user } = query;
  const sums = new Map<string, MarginFigures>();
  for (const row of rows) {
    const day = dayText(row.day);
    if (day < from || day > to) continue;
    if (channel !== undefined && channel !== row.channel_id) continue;
    if (supplier !== undefined && String(supplier) !== keyOf.supplier(row)) continue;
    if (model !== undefined && model !== row.model_name) continue;
    if (group !== undefined && group !== row.group) continue;
    if (user !== undefined && user !== row.user_id) continue;
    const key = keyOf[by](row);
    const none = { calls: 0, revenue: 0, cost: 0, fees: 0, margin: 0, unknown_calls: 0, unknown_revenue: 0 };
    const sum = sums.get(key) ?? none;
    sums.set(key, sum);
    sum.calls += row.count;
    sum.revenue += row.quota;
    sum.cost += row.cost;
    sum.margin += row.costed_quota - row.cost;
    sum.unknown_calls += row.count - row.costed_count;
    sum.unknown_revenue += row.quota - row.costed_quota;
  }
  return sums;
}

function randomQuery(rows: readonly Row<'margin_days'>[]): MarginQuery {
  const [one, other] = [random(DAYS + 3), random(DAYS + 3)];
  const sometimes = <T>(part: number, value: T) => (random(part) === 0 ? value : undefined);
  return marginQuery.parse({
    by: pick(MARGIN_DIMENSIONS),
    from: dayText(now() - Math.max(one, other) * DAY),
    to: dayText(now() - Math.min(one, other) * DAY),
    channel: sometimes(4, pick(CHANNELS)),
    supplier: sometimes(6, pick([0, 7])),
    model: sometimes(4, pick(MODELS)),
    group: sometimes(4, pick(GROUPS)),
    user: sometimes(6, rows.length === 0 ? 1 : pick(rows).user_id),
  });
}

async function expectExact(store: Store, query: MarginQuery): Promise<void> {
  const rows = await store.db.selectFrom('margin_days').selectAll().execute();
  const wanted = counted(rows, query);
  const { rows: found, row_count, total } = await marginReport({ store }, query);
  const figures = new Map(found.map(({ key, name: _name, cache: _cache, ...rest }) => [key, rest]));
  expect({ seed, query, figures }).toEqual({ seed, query, figures: wanted });
  expect(row_count).toBe(wanted.size);
  expect(total.revenue).toBe(wanted.values().reduce((sum, { revenue }) => sum + revenue, 0));
}

/** Of all days, by each noun. */
async function expectAllExact(store: Store): Promise<void> {
  const span = { from: dayText(now() - (DAYS + 3) * DAY), to: dayText(now()) };
  for (const by of MARGIN_DIMENSIONS) await expectExact(store, marginQuery.parse({ by, ...span }));
}

const summed = ({ db }: Store) =>
  db.selectFrom('margin_summed').select(['days', 'day']).where('is_summed', '=', 1).execute();

forEachDatabase((label, open) => {
  let store: Store;
  /** Noon of a day whose sums may be made. */
  let past: number;
  beforeEach(async () => {
    store = await open();
    past = dayOf(now()) - 9 * DAY + DAY / 2;
    const channels = CHANNELS.map((id) => ({ id, name: `channel ${id}`, supplier_id: id <= 2 ? 7 : 0 }));
    await store.db.insertInto('channels').values(channels).execute();
  });

  test('random charges, late settlements, corrections and runs of the job leave every answer exact', async () => {
    let most = 0;
    for (let step = 0; step < steps; step += 1) {
      const rows = await store.db.selectFrom('margin_days').selectAll().execute();
      const turn = random(10);
      if (turn < 4 || rows.length < 5) await settle(store, dayOf(now()) - random(DAYS) * DAY);
      else if (turn < 5) await settle(store, 0);
      else if (turn < 7) await correct(store, pick(rows), random(200) - 100);
      else {
        // Sometimes it is stopped in the middle of a day.
        let pauses = random(30);
        await sumMarginSpans({ store }, async () => (pauses -= 1) !== 0);
      }
      most = Math.max(most, (await summed(store)).length);
      for (let question = 0; question < 3; question += 1) await expectExact(store, randomQuery(rows));
    }
    expect(most).toBeGreaterThan(0);
    await sumMarginSpans({ store });
    await expectAllExact(store);
    expect(await sumMarginSpans({ store })).toBe(0);
  });

  test('answers come from the sums of days and weeks, and a late charge takes them back', async () => {
    for (let day = 1; day <= DAYS; day += 1) await settle(store, dayOf(now()) - day * DAY);
    await sumMarginSpans({ store });
    const lengths = Map.groupBy(await summed(store), ({ days }) => days);
    expect(lengths.get(1)?.length).toBeGreaterThanOrEqual(DAYS - 1);
    expect(lengths.get(7)?.length).toBeGreaterThanOrEqual(2);
    await expectAllExact(store);
    // Only a report that reads the sums sees what was added to them.
    await store.db
      .updateTable('margin_sums')
      .set({ quota: sql`quota + 1000` })
      .execute();
    const revenue = async () =>
      (await marginReport({ store }, marginQuery.parse({ by: 'model' }))).total.revenue;
    const { quota } = await store.db
      .selectFrom('margin_days')
      .select(({ fn }) => fn.sum<number>('quota').as('quota'))
      .executeTakeFirstOrThrow();
    const read = (await revenue()) - quota;
    expect(read).toBeGreaterThanOrEqual(2000);
    // 24 days apart: fewer rows than days, because weeks are read as one.
    expect(read).toBeLessThan(DAYS * 1000);
    for (let day = 1; day <= DAYS; day += 1) await settle(store, dayOf(now()) - day * DAY);
    expect(await summed(store)).toEqual([]);
    await expectAllExact(store);
    await sumMarginSpans({ store });
    expect((await summed(store)).length).toBeGreaterThanOrEqual(DAYS - 1);
    await expectAllExact(store);
  });

  test('a correction takes the sum of its day back', async () => {
    await settle(store, past);
    await sumMarginSpans({ store });
    await expectAllExact(store);
    await correct(store, await store.db.selectFrom('margin_days').selectAll().executeTakeFirstOrThrow(), 40);
    expect((await summed(store)).filter(({ day }) => day === dayOf(past))).toEqual([]);
    await expectAllExact(store);
  });

  test('a charge of the current day marks nothing, and the current day is never summed', async () => {
    await settle(store, 0);
    await settle(store, now());
    expect(await store.db.selectFrom('margin_summed').selectAll().execute()).toEqual([]);
    // Not even by a node whose clock is ahead of the database on another machine.
    const ahead = () => now() + 3 * DAY;
    await sumMarginSpans({ store, now: store.dialect === 'postgres' ? ahead : now });
    expect(await summed(store)).toEqual([]);
    // Sums that were made while the clock was wrong.
    await store.db
      .insertInto('margin_summed')
      .values({ days: 1, day: dayOf(now()), changes: 1, is_summed: 1 })
      .execute();
    await sumMarginSpans({ store });
    await expectAllExact(store);
  });

  test('a settlement between the reading of a day and its end leaves the day to margin_days', async () => {
    await settle(store, past);
    let late = 0;
    const count = await sumMarginSpans({ store }, async () => {
      late += 1;
      await settle(store, past);
      return true;
    });
    expect(late).toBeGreaterThan(0);
    expect(count).toBe(0);
    expect(await summed(store)).toEqual([]);
    await expectAllExact(store);
    expect(await sumMarginSpans({ store })).toBeGreaterThan(0);
    expect((await summed(store)).some(({ days }) => days === 1)).toBe(true);
    await expectAllExact(store);
  });

  test.if(label === 'postgres')('nothing is summed beside a node of another version', async () => {
    await settle(store, past);
    const node = { epoch: 1, started_at: 1 };
    const nodes = [
      { id: 'new', version: '2', heartbeat_at: now(), ...node },
      { id: 'old', version: '1', heartbeat_at: now(), ...node },
    ];
    await store.db.insertInto('nodes').values(nodes).execute();
    expect(await sumMarginSpans({ store })).toBe(0);
    await store.db.updateTable('nodes').set({ heartbeat_at: 1 }).where('id', '=', 'old').execute();
    expect(await sumMarginSpans({ store })).toBeGreaterThan(0);
  });

  test('an answer is exact when a late settlement comes after its sources were chosen (M21)', async () => {
    await settle(store, past);
    await sumMarginSpans({ store });
    let isFirst = true;
    const { db } = store;
    // The sources are chosen with the query builder, the sums are read by one raw statement after it.
    const slow = new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'getExecutor') return typeof value === 'function' ? value.bind(target) : value;
        return () => {
          const executor = target.getExecutor();
          const executeQuery: typeof executor.executeQuery = async (query) => {
            if (isFirst) {
              isFirst = false;
              await settle(store, past + 60);
            }
            return await executor.executeQuery(query);
          };
          return new Proxy(executor, {
            get(of, member) {
              if (member === 'executeQuery') return executeQuery;
              const found: unknown = Reflect.get(of, member);
              return typeof found === 'function' ? found.bind(of) : found;
            },
          });
        };
      },
    });
    const span = { first: dayOf(past), last: dayOf(past) };
    const query = marginQuery.parse({ by: 'model', from: dayText(past), to: dayText(past) });
    const sums = await daySums({ ...store, db: slow }, span, query);
    expect(isFirst).toBe(false);
    const rows = await db.selectFrom('margin_days').selectAll().execute();
    expect(sums.reduce((sum, { calls }) => sum + calls, 0)).toBe(2);
    expect(sums.reduce((sum, { revenue }) => sum + revenue, 0)).toBe(
      rows.reduce((sum, { quota }) => sum + quota, 0),
    );
  });

  test('a run that was overtaken by another one replaces none of its sums', async () => {
    const day = dayOf(past);
    const people = Array.from({ length: 600 }, (_, at) => ({ user_id: 1000 + at, quota: at }));
    await store.db
      .insertInto('margin_days')
      .values(
        people.map((person) => ({
          day,
          channel_id: 1,
          model_name: 'alpha',
          group: 'vip',
          count: 1,
          ...person,
        })),
      )
      .execute();
    let isOvertaken = false;
    await sumMarginSpans({ store }, async () => {
      const { count } = await store.db
        .selectFrom('margin_sums')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('kind', '=', 'user')
        .executeTakeFirstOrThrow();
      // Between the two pieces of the users.
      if (isOvertaken || count === 0) return true;
      isOvertaken = true;
      await store.db
        .updateTable('margin_days')
        .set({ quota: sql`quota + 7` })
        .execute();
      await correct(store, await store.db.selectFrom('margin_days').selectAll().executeTakeFirstOrThrow(), 5);
      await sumMarginSpans({ store });
      return true;
    });
    expect(isOvertaken).toBe(true);
    expect((await summed(store)).length).toBeGreaterThan(0);
    const rows = await store.db.selectFrom('margin_days').selectAll().execute();
    const query = marginQuery.parse({ by: 'user', from: dayText(day), to: dayText(day) });
    const { total, row_count } = await marginReport({ store }, query);
    const revenue = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect([row_count, total.revenue]).toEqual([600, revenue]);
    // Which span is summed first, and so overtaken, depends on the date: each of them has what the days have.
    const kept = await store.db
      .selectFrom('margin_sums')
      .select('days')
      .select(({ fn }) => fn.sum<number>('quota').as('quota'))
      .where('kind', '=', 'user')
      .groupBy('days')
      .orderBy('days')
      .execute();
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.map(({ quota }) => quota)).toEqual(kept.map(() => revenue));
  });
});
