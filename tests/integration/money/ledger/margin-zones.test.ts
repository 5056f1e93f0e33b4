// Margins by the days of the site: every answer must equal sums of this file's own over the rows of the log, in zones east and
// west of UTC, over a day of 25 hours, before and after the job has summed the hours.
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { MARGIN_DIMENSIONS, marginQuery, type MarginQuery } from '#contract/money/margins.ts';
import type { Settings } from '#contract/settings.ts';
import { addDays } from '#contract/site-day.ts';
import { offerMargins, recentMargins, sumMarginSpans } from '#server/admin/margins/index.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import { readMoney } from '#server/admin/overview/money.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { randomSource } from '#tests/support/sequence.ts';
import { applyAll, openCalls, settling } from './settlement-world.ts';

setDefaultTimeout(240_000);

const ZONES = ['Asia/Shanghai', 'America/New_York', 'Asia/Kolkata', 'UTC'];
/** New York leaves summer time on the first: that day has 25 hours. */
const FIRST = Date.UTC(2026, 9, 29) / 1000;
const HOUR = 3600;
const HOURS = 24 * 8;
const CHANNELS = [1, 2, 3];
const MODELS = ['alpha', 'beta'];
const GROUPS = ['default', 'vip'];

const random = randomSource(seed);
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;

/** A day of the zone by its own calendar; an hour that has two days counts for that in which it begins. */
const dayOf = (zone: string, second: number): string => {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const of = (name: string) =>
    parts.formatToParts((second - (second % HOUR)) * 1000).find(({ type }) => type === name)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}`;
};

const dependencies = (store: Store, zone: string) => ({
  store,
  settings: { current: { SiteTimeZone: zone } },
  now: () => FIRST + HOURS * HOUR - 1,
});

async function settle(store: Store, at: number): Promise<void> {
  const scenario = {
    what: '',
    balance: 1000,
    held: 300,
    checkpoint: 'none' as const,
    charge: 1 + random(250),
  };
  const [call] = await openCalls(store, [scenario]);
  if (call === undefined) throw new Error('one scenario makes one call');
  const cost = random(4) === 0 ? null : random(400);
  const [modelName, group, channelId] = [pick(MODELS), pick(GROUPS), pick(CHANNELS)];
  const operation = settling(call, { at, cost, modelName, group, channelId });
  // The row of a call says what its sums say.
  const log = { ...operation.log, channel_id: channelId, model_name: modelName, group };
  await applyAll(store, [{ ...operation, log }]);
}

type Log = Pick<
  Row<'logs'>,
  'created_at' | 'channel_id' | 'model_name' | 'group' | 'user_id' | 'quota' | 'cost'
>;

const readLogs = ({ db }: Store): Promise<Log[]> =>
  db
    .selectFrom('logs')
    .select(['created_at', 'channel_id', 'model_name', 'group', 'user_id', 'quota', 'cost'])
    .where('type', '=', 2)
    .execute();

function counted(zone: string, logs: readonly Log[], query: MarginQuery) {
  const { by, from = '', to = '', channel, model, group, user } = query;
  const sums = new Map<
    string,
    { calls: number; revenue: number; cost: number; margin: number; unknown: number }
  >();
  for (const log of logs) {
    const day = dayOf(zone, log.created_at);
    const isIn =
      day >= from &&
      day <= to &&
      [channel, log.channel_id].every((id) => channel === undefined || id === channel) &&
      (model === undefined || log.model_name === model) &&
      (group === undefined || log.group === group) &&
      (user === undefined || log.user_id === user);
    if (!isIn) continue;
    const key = {
      channel: String(log.channel_id),
      supplier: '0',
      model: log.model_name,
      group: log.group,
      user: String(log.user_id),
      day,
    }[by];
    const sum = sums.get(key) ?? { calls: 0, revenue: 0, cost: 0, margin: 0, unknown: 0 };
    sums.set(key, sum);
    sum.calls += 1;
    sum.revenue += log.quota;
    sum.cost += log.cost ?? 0;
    if (log.cost === null) sum.unknown += log.quota;
    else sum.margin += log.quota - log.cost;
  }
  return sums;
}

function randomQuery(zone: string, logs: readonly Log[]): MarginQuery {
  const [one, other] = [pick(logs), pick(logs)].map(({ created_at }) => dayOf(zone, created_at)).toSorted();
  const sometimes = <T>(part: number, value: T) => (random(part) === 0 ? value : undefined);
  return marginQuery.parse({
    by: pick(MARGIN_DIMENSIONS),
    from: one,
    to: other,
    channel: sometimes(4, pick(CHANNELS)),
    model: sometimes(4, pick(MODELS)),
    group: sometimes(4, pick(GROUPS)),
    user: sometimes(5, pick(logs).user_id),
  });
}

async function expectExact(store: Store, zone: string, query: MarginQuery): Promise<void> {
  const logs = await readLogs(store);
  const report = await marginReport(dependencies(store, zone), query);
  const found = report.rows
    .filter(({ calls }) => calls > 0)
    .map(({ key, calls, revenue, cost, margin, unknown_revenue: unknown }): [string, object] => [
      key,
      { calls, revenue, cost, margin, unknown },
    ]);
  expect({ seed, zone, query, rows: new Map(found) }).toEqual({
    seed,
    zone,
    query,
    rows: counted(zone, logs, query),
  });
  expect(report.total.revenue).toBe(
    report.total.cost + report.total.fees + report.total.margin + report.total.unknown_revenue,
  );
}

/** The dashboard and the channels read `usage_hours`, the overview asks for a month: all of them have the same days. */
async function expectOneToday(store: Store, zone: string, last: string): Promise<void> {
  const days = new Map<string, number>();
  for (const { hour, quota } of await store.db.selectFrom('usage_hours').select(['hour', 'quota']).execute())
    days.set(dayOf(zone, hour), (days.get(dayOf(zone, hour)) ?? 0) + quota);
  const parts = dependencies(store, zone);
  const report = await marginReport(parts, marginQuery.parse({ by: 'day', from: '2026-10-28', to: last }));
  expect(new Map(report.rows.map(({ key, revenue }) => [key, revenue]))).toEqual(days);
  const overview = await readMoney(
    {
      ...parts,
      settings: parts.settings as { current: Settings },
      margins: recentMargins(parts),
    },
    'month',
  );
  const used = overview.month.days
    .filter((day) => day.used > 0)
    .map((day): [string, number] => [day.day, day.used]);
  expect(new Map(used)).toEqual(new Map([...days].filter(([day]) => day.startsWith('2026-11'))));
}

/** What each model of each channel brought and cost, on days that are counted back from now. */
async function expectOffersExact(store: Store, zone: string, logs: readonly Log[]): Promise<void> {
  const at = dependencies(store, zone).now();
  const [days, back] = [1 + random(4), random(6)];
  const last = addDays(dayOf(zone, at), -back);
  const own = new Map<string, { revenue: number; cost: number }>();
  for (const log of logs) {
    const day = dayOf(zone, log.created_at);
    if (log.cost === null || day > last || day <= addDays(last, -days)) continue;
    const key = `${log.channel_id} ${log.model_name}`;
    const sum = own.get(key) ?? { revenue: 0, cost: 0 };
    own.set(key, { revenue: sum.revenue + log.quota, cost: sum.cost + log.cost });
  }
  const found = (await offerMargins(dependencies(store, zone), { days, back, at }))
    .filter(({ revenue, cost }) => revenue !== 0 || cost !== 0)
    .map(({ channelId, model, ...sum }): [string, object] => [`${channelId} ${model}`, sum]);
  expect({ seed, zone, at, days, back, offers: new Map(found) }).toEqual({
    seed,
    zone,
    at,
    days,
    back,
    offers: own,
  });
}

async function expectAllExact(store: Store, questions: number): Promise<void> {
  const logs = await readLogs(store);
  for (const zone of ZONES) {
    const days = logs.map(({ created_at }) => dayOf(zone, created_at)).toSorted();
    for (const by of MARGIN_DIMENSIONS)
      await expectExact(store, zone, marginQuery.parse({ by, from: days[0], to: days.at(-1) }));
    await expectOneToday(store, zone, days.at(-1) ?? '');
    for (let count = 0; count < questions; count += 1) {
      await expectExact(store, zone, randomQuery(zone, logs));
      await expectOffersExact(store, zone, logs);
    }
  }
}

/** A query that does something more between its answer and the next query. */
function lateAfter<Query extends object>(query: Query, then: () => Promise<void>): Query {
  return new Proxy(query, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...parts: unknown[]): unknown => {
        const result: unknown = value.apply(target, parts);
        if (name !== 'execute') return lateAfter(result as object, then);
        return (result as Promise<unknown>).then(async (rows) => {
          await then();
          return rows;
        });
      };
    },
  });
}

forEachDatabase((label, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
    await store.db
      .insertInto('channels')
      .values(CHANNELS.map((id) => ({ id, name: `channel ${id}` })))
      .execute();
    for (let count = 0; count < 40; count += 1) await settle(store, FIRST + random(HOURS * HOUR));
    // Calls at both sides of the midnights of New York at the change of its clocks.
    for (const second of [4 * HOUR - 1, 4 * HOUR, 5 * HOUR - 1, 5 * HOUR, 29 * HOUR - 1, 29 * HOUR])
      await settle(store, Date.UTC(2026, 10, 1) / 1000 + second);
  });

  test(`${label}: days of the site are exact before the hours are summed, after it, and after late charges`, async () => {
    await expectAllExact(store, 4);
    expect(await sumMarginSpans({ store })).toBeGreaterThan(0);
    const { rows } = await sql<{ hours: number }>`
      select count(*) as hours from margin_sums where days = 0 and day % 86400 <> 43200`.execute(store.db);
    expect(rows[0]?.hours).toBeGreaterThan(20);
    await expectAllExact(store, 4);
    for (let count = 0; count < 4; count += 1) await settle(store, FIRST + random(HOURS * HOUR));
    await expectAllExact(store, 2);
    await sumMarginSpans({ store });
    await expectAllExact(store, 2);
  });

  test(`${label}: hours that are not summed are of the channel, model, group or user that is asked for`, async () => {
    const logs = await readLogs(store);
    const [zone, days] = ['Asia/Kolkata', { from: '2026-10-30', to: '2026-11-02' }];
    const { channel_id: channel, model_name: model, group, user_id: user } = pick(logs);
    for (const filter of [{ channel }, { model }, { group }, { user }])
      await expectExact(store, zone, marginQuery.parse({ by: 'day', ...days, ...filter }));
  });

  test(`${label}: a late charge that comes while they are read is in the answer`, async () => {
    await sumMarginSpans({ store });
    const at = Date.UTC(2026, 10, 1, 4, 30) / 1000;
    const query = marginQuery.parse({ by: 'day', from: '2026-10-31', to: '2026-11-02' });
    // After the days that are summed were listed, before their sums are read.
    let isLate = false;
    const db = new Proxy(store.db, {
      get(target, name) {
        if (name === 'selectFrom' && !isLate)
          return (table: 'margin_summed') => {
            const reading = target.selectFrom(table);
            return lateAfter(reading, async () => {
              isLate = true;
              await settle(store, at);
            });
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const zone = 'America/New_York';
    const report = await marginReport({ ...dependencies(store, zone), store: { ...store, db } }, query);
    expect(isLate).toBe(true);
    const wanted = counted(zone, await readLogs(store), query);
    expect(report.rows.map(({ key, calls, revenue }) => [key, calls, revenue])).toEqual(
      [...wanted].toSorted().map(([key, { calls, revenue }]) => [key, calls, revenue]),
    );
  });

  test(`${label}: a row of the log that no sum has counts nowhere`, async () => {
    const { quota } = await store.db
      .selectFrom('margin_days')
      .select(sql<number>`cast(sum(quota) as bigint)`.as('quota'))
      .executeTakeFirstOrThrow();
    const stray = { type: 2, created_at: FIRST + HOUR, request_id: 'stray', channel_id: 99, quota: 7 };
    await store.db.insertInto('logs').values(stray).execute();
    for (const by of ['day', 'channel', 'model'] as const) {
      const query = marginQuery.parse({ by, days: 60 });
      const report = await marginReport(dependencies(store, 'Asia/Shanghai'), query);
      expect([by, report.total.revenue]).toEqual([by, quota]);
    }
  });

  test(`${label}: a day whose log is gone keeps its date and every unit`, async () => {
    // Of the random calls none may be on that day.
    await settle(store, FIRST + random(12 * HOUR));
    const total = async () =>
      (await marginReport(dependencies(store, 'Asia/Shanghai'), marginQuery.parse({ days: 60 }))).total;
    const before = await total();
    await store.db
      .deleteFrom('logs')
      .where('created_at', '<', FIRST + 2 * 86_400)
      .execute();
    const firstDay = async () => {
      const query = marginQuery.parse({ by: 'day', days: 60 });
      const [first] = (await marginReport(dependencies(store, 'Asia/Shanghai'), query)).rows;
      return [first?.key, first?.revenue];
    };
    expect(await total()).toEqual(before);
    const unsummed = await firstDay();
    await sumMarginSpans({ store });
    expect(await total()).toEqual(before);
    const whole = await store.db
      .selectFrom('margin_days')
      .select(sql<number>`cast(sum(quota) as bigint)`.as('quota'))
      .where('day', '=', FIRST)
      .executeTakeFirstOrThrow();
    expect(unsummed).toEqual(['2026-10-29', whole.quota]);
    expect(await firstDay()).toEqual(['2026-10-29', whole.quota]);
  });
});
