// What hedged calls may cost and have cost: the share in memory, the money of the day and of the hours in the database.
import { afterEach, beforeEach, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test';
import type { Log } from '#contract/context.ts';
import { createHedgeBook, type HedgeBook } from '#server/relay/money/hedge-book.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

const HOUR = 3600;
/** 02:30 in UTC, half past ten in the morning in Shanghai. */
const NOON = Date.UTC(2026, 4, 5, 2, 30) / 1000;
const TODAY = Date.UTC(2026, 4, 5) / 1000;
const call = { model: 'm', group: 'g', userId: 3 };
const loss = (spent: number, more: { channelId?: number; cost?: number | null } = {}) => ({
  channelId: more.channelId ?? 7,
  cost: more.cost === undefined ? spent : more.cost,
  spent,
});

forEachDatabase((_label, open) => {
  let store: Store;
  let book: HedgeBook;
  let current: Record<string, unknown>;
  let warned: number;
  const settings = {
    get current() {
      return current;
    },
  } as unknown as SettingsReader;
  const log = { warn: () => (warned += 1) } as unknown as Log;
  const anotherNode = () => createHedgeBook(store, settings, log);
  beforeEach(async () => {
    store = await open();
    warned = 0;
    // A thousand units for a day.
    current = {
      HedgeSharePercent: 50,
      HedgeDollarsPerDay: 2,
      QuotaPerUnit: 500,
      SiteTimeZone: 'Asia/Shanghai',
    };
    setSystemTime(new Date(NOON * 1000));
    book = anotherNode();
  });
  afterEach(() => {
    setSystemTime();
  });

  const days = async () => {
    await book.flush();
    const rows = await store.db.selectFrom('hedge_days').selectAll().orderBy('day').execute();
    return rows.map(({ day, spent }) => [day, spent]);
  };
  const hours = async () => {
    await book.flush();
    const rows = await store.db
      .selectFrom('hedge_hours')
      .selectAll()
      .orderBy('hour')
      .orderBy('channel_id')
      .execute();
    return rows.map((row) => [row.hour, row.channel_id, row.count, row.cost, row.costed_count].map(Number));
  };
  const hour = NOON - 1800;

  test('two calls of one hour add up in the day and in the hour, each as it ended', async () => {
    const first = await book.begin(call, loss(10), 40);
    expect(await days()).toEqual([[TODAY, 40]]);
    expect(await hours()).toEqual([[hour, 7, 1, 10, 1]]);
    const second = await book.begin(call, loss(20), 50);
    expect(await days()).toEqual([[TODAY, 90]]);
    first?.end(loss(15));
    expect(await days()).toEqual([[TODAY, 65]]);
    expect(await hours()).toEqual([[hour, 7, 2, 35, 2]]);
    second?.end(loss(0));
    expect(await days()).toEqual([[TODAY, 15]]);
    expect(await hours()).toEqual([[hour, 7, 2, 15, 2]]);
    const [row] = await store.db.selectFrom('hedge_hours').selectAll().execute();
    expect(row).toMatchObject({ model_name: 'm', group: 'g', user_id: 3 });
    expect(warned).toBe(0);
  });

  test('a loss on the other channel, or at another cost, is counted there in place of what was expected', async () => {
    const one = await book.begin(call, loss(10), 10);
    const other = await book.begin(call, loss(10), 10);
    one?.end(loss(25, { channelId: 5 }));
    await book.flush();
    other?.end(loss(10));
    expect(await hours()).toEqual([
      [hour, 5, 1, 25, 1],
      [hour, 7, 1, 10, 1],
    ]);
    expect(await days()).toEqual([[TODAY, 35]]);
  });

  test('a cost that is not known is counted without an amount, and one that becomes known with it', async () => {
    const unknown = await book.begin(call, loss(30, { cost: null }), 30);
    expect(await hours()).toEqual([[hour, 7, 1, 0, 0]]);
    unknown?.end(loss(30, { cost: 12 }));
    expect(await hours()).toEqual([[hour, 7, 1, 12, 1]]);
    const known = await book.begin(call, loss(8), 8);
    known?.end(loss(8, { cost: null }));
    expect(await hours()).toEqual([[hour, 7, 2, 12, 1]]);
  });

  test('a second attempt that was not sent leaves nothing', async () => {
    const booking = await book.begin(call, loss(10), 40);
    booking?.end(undefined);
    expect(await days()).toEqual([[TODAY, 0]]);
    expect(await hours()).toEqual([[hour, 7, 0, 0, 0]]);
  });

  test('the money of the day is spent to the unit, by all nodes together, and what is given back can be spent again', async () => {
    expect(await book.begin(call, loss(1001), 1001)).toBeUndefined();
    expect(await days()).toEqual([]);
    const all = await book.begin(call, loss(600), 600);
    const other = anotherNode();
    expect(await other.begin(call, loss(401), 401)).toBeUndefined();
    expect(await other.begin(call, loss(400), 400)).toBeDefined();
    expect(await book.begin(call, loss(21), 21)).toBeUndefined();
    expect(await days()).toEqual([[TODAY, 1000]]);
    expect(await hours()).toEqual([[hour, 7, 2, 1000, 2]]);
    all?.end(loss(0));
    await book.flush();
    expect(await book.begin(call, loss(600), 600)).toBeDefined();
    expect(await book.begin(call, loss(1), 1)).toBeUndefined();
  });

  test('a day of the site has a limit of its own, and a call that ends later is booked where it began', async () => {
    const late = await book.begin(call, loss(1000), 1000);
    // The same hour of UTC, the next day in Shanghai.
    setSystemTime(new Date((TODAY + 16 * HOUR) * 1000));
    expect(await book.begin(call, loss(990), 990)).toBeDefined();
    late?.end(loss(100));
    // What the day before gave back is not of this one.
    expect(await book.begin(call, loss(11), 11)).toBeUndefined();
    expect(await days()).toEqual([
      [TODAY, 100],
      [TODAY + 24 * HOUR, 990],
    ]);
    expect(await hours()).toEqual([
      [hour, 7, 1, 100, 1],
      [TODAY + 16 * HOUR, 7, 1, 990, 1],
    ]);
  });

  test('what is ample is not waited for, and counts all the same', async () => {
    await book.begin(call, loss(1), 1);
    const bookings = [];
    for (let calls = 0; calls < 10; calls += 1) bookings.push(await book.begin(call, loss(5), 5));
    expect(bookings.every((each) => each !== undefined)).toBe(true);
    expect(await days()).toEqual([[TODAY, 51]]);
    // Twenty more of 50 could not be paid: the database decides, and knows of the others.
    await anotherNode().begin(call, loss(900), 900);
    expect(await book.begin(call, loss(50), 50)).toBeUndefined();
    for (const each of bookings) each?.end(loss(2));
    expect(await days()).toEqual([[TODAY, 921]]);
    expect(await hours()).toEqual([[hour, 7, 12, 921, 12]]);
  });

  test('calls at once that are not waited for stay within the money of the day, by what each of them adds', async () => {
    await book.begin(call, loss(5), 5);
    const at = Array.from({ length: 300 }, () => book.begin(call, loss(5), 5));
    const bookings = await Promise.all(at);
    expect(bookings.filter((each) => each !== undefined)).toHaveLength(199);
    expect(await days()).toEqual([[TODAY, 1000]]);
  });

  test('what was sent without waiting is booked, also when another node has spent the rest of the day meanwhile', async () => {
    await book.begin(call, loss(5), 5);
    await anotherNode().begin(call, loss(995), 995);
    expect(await book.begin(call, loss(5), 5)).toBeDefined();
    expect(await days()).toEqual([[TODAY, 1005]]);
    expect(await hours()).toEqual([[hour, 7, 3, 1005, 3]]);
    // From then on the node knows what is spent.
    expect(await book.begin(call, loss(5), 5)).toBeUndefined();
  });

  test('a node that could not book what it sent waits for the database the next time', async () => {
    await book.begin(call, loss(5), 5);
    await store.db.schema.dropTable('hedge_days').execute();
    expect(await book.begin(call, loss(5), 5)).toBeDefined();
    await book.flush();
    expect(warned).toBe(1);
    expect(await book.begin(call, loss(5), 5)).toBeUndefined();
  });

  test('a call whose cost cannot be booked is not hedged', async () => {
    const away = { db: store.db, dialect: store.dialect } as Store;
    await store.db.schema.dropTable('hedge_hours').execute();
    const cut = createHedgeBook(away, settings, log);
    expect(await cut.begin(call, loss(10), 10)).toBeUndefined();
    expect(warned).toBe(1);
  });

  test('each call earns its share of a second attempt, at most ten are kept, and one that is given back can be taken', () => {
    expect(book.take()).toBe(false);
    book.earn();
    expect(book.take()).toBe(false);
    book.earn();
    expect(book.take()).toBe(true);
    expect(book.take()).toBe(false);
    book.giveBack();
    expect(book.take()).toBe(true);
    expect(book.take()).toBe(false);
    for (let calls = 0; calls < 100; calls += 1) book.earn();
    let taken = 0;
    while (book.take()) taken += 1;
    expect(taken).toBe(10);
    current = { ...current, HedgeSharePercent: 5 };
    for (let calls = 0; calls < 19; calls += 1) book.earn();
    expect(book.take()).toBe(false);
    book.earn();
    current = { ...current, HedgeSharePercent: 0 };
    expect(book.take()).toBe(false);
    current = { ...current, HedgeSharePercent: 5 };
    expect(book.take()).toBe(true);
  });
});
