// The kept sums of how calls went: equal to a count of the test's own over the raw rows, whichever run is cut, however many run
// at once, and after the rows are gone.
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { LEAST_CALLS, type MeasuredPost } from '#contract/admin/measured.ts';
import { factText } from '#contract/facts.ts';
import {
  createMeasuring,
  measuredCalls,
  refusedCalls,
  removeOldCells,
  sumDays,
} from '#server/admin/measured/index.ts';
import { FIRST_LIMITS, SPEED_LIMITS } from '#server/admin/measured/histogram.ts';
import { follow, forgetSums, positionOf, sumPeriods } from '#server/money/sums/engine.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { randomSource } from '#tests/support/sequence.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1000);
const MODELS = ['gpt-5.4', 'claude-opus-4-5', 'deepseek/v4:free', "o'hara"];

interface Call {
  at: number;
  model: string;
  outcome: 'answered' | 'failed' | 'none';
  /** Milliseconds; undefined: no stream. */
  first?: number;
  speed?: number;
  row: Partial<NewRow<'logs'>>;
}

const below = randomSource(103);
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

function anyCall(spanSeconds: number): Call {
  const [at, model] = [NOW - below(spanSeconds), pick(MODELS)];
  const kind = below(20);
  const row = (type: number, fields: Partial<NewRow<'logs'>>): Partial<NewRow<'logs'>> => ({
    type,
    ...fields,
  });
  if (kind < 12) {
    const [first, rest, tokens] = [below(3000), 100 + below(8000), below(900)];
    const reasoning = below(4) === 0 ? 50 : 0;
    const other = JSON.stringify({
      model_ratio: 1,
      path: '/v1/chat/completions',
      frt: first,
      use_ms: first + rest,
      usage: { input: 5, ...(reasoning > 0 ? { output: tokens, reasoning } : { output: tokens }) },
      admin_info: { use_channel: ['1'], attempts: [{ channel: 1, error: 'said "frt":9,"ending":"broken"' }] },
    });
    const speed = reasoning === 0 && tokens >= 10 ? { speed: (tokens * 1000) / rest } : {};
    return {
      at,
      model,
      outcome: 'answered',
      first,
      ...speed,
      row: row(2, { other, completion_tokens: tokens }),
    };
  }
  const settled = (outcome: Call['outcome'], fields: object, content = ''): Call => ({
    at,
    model,
    outcome,
    row: row(2, { other: JSON.stringify({ frt: -1000, use_ms: 900, ...fields }), content }),
  });
  const failed = (outcome: Call['outcome'], content: string): Call => ({
    at,
    model,
    outcome,
    row: row(5, { content, other: '{"path":"/v1/messages"}' }),
  });
  switch (kind) {
    case 12:
      // Answered as a whole, and imported rows without anything.
      return below(2) === 0 ? settled('answered', {}) : { at, model, outcome: 'answered', row: row(2, {}) };
    case 13:
      return settled('failed', { frt: 300, ending: pick(['broken', 'timeout', 'error']) });
    case 14:
      // The caller left while nothing had come, or in the middle of an answer.
      return below(2) === 0
        ? settled('none', { ending: pick(['client_left', 'quota']) })
        : { ...settled('answered', { frt: 400, ending: 'client_left' }), first: 400 };
    case 15:
      return settled('none', { recovered: true }, factText('recovered'));
    case 16:
      return failed(
        'none',
        pick(['status 400 invalid_request_error', 'status 413', 'status 422', 'too rude a prompt']),
      );
    case 17:
      return failed(
        'failed',
        pick(['status 500', 'status 429 rate_limit', 'status 401', 'status 404', 'timeout', 'network']),
      );
    case 18:
      return failed(
        'failed',
        pick(['stream broken', 'status 400 insufficient_quota', factText('videoLost')]),
      );
    default:
      // A test of a channel, and a top-up.
      return { at, model, outcome: 'none', row: row(pick([4, 1]), { other: '{"frt":3,"use_ms":9}' }) };
  }
}

const place = (value: number, limits: readonly number[]) => {
  const found = limits.findIndex((limit) => value <= limit);
  return found < 0 ? limits.length : found;
};

/** The cells by the test's own count. */
function expected(calls: readonly Call[], seconds: number): Map<string, Record<string, number>> {
  const cells = new Map<string, Record<string, number>>();
  for (const { at, model, outcome, first, speed } of calls) {
    if (outcome === 'none') continue;
    const key = `${at - (at % seconds)} ${model}`;
    const cell = cells.get(key) ?? {};
    const names = [
      outcome,
      ...(outcome === 'answered' && first !== undefined ? [`first_${place(first, FIRST_LIMITS)}`] : []),
      ...(outcome === 'answered' && speed !== undefined ? [`speed_${place(speed, SPEED_LIMITS)}`] : []),
    ];
    for (const name of names) cell[name] = (cell[name] ?? 0) + 1;
    cells.set(key, cell);
  }
  return cells;
}

forEachDatabase((_label, open) => {
  let store: Store;
  let isLogged: boolean;
  const parts = (rowsPerSlice = 37) => ({ store, isLogged: () => isLogged, now: () => NOW, rowsPerSlice });
  const sums = (rows?: number) => measuredCalls(parts(rows));
  beforeEach(async () => {
    store = await open();
    isLogged = true;
  });

  const write = async (calls: readonly Call[]) => {
    for (let from = 0; from < calls.length; from += 200)
      await store.db
        .insertInto('logs')
        .values(
          calls.slice(from, from + 200).map(({ at, model, row }) => ({
            created_at: at,
            model_name: model,
            content: '',
            other: '',
            completion_tokens: 0,
            ...row,
          })),
        )
        .execute();
  };
  const cells = async (seconds: number) => {
    const rows = await store.db
      .selectFrom('measured_cells')
      .selectAll()
      .where('seconds', '=', seconds)
      .execute();
    return new Map(
      rows.map(({ seconds: _seconds, start, model_name, ...counts }) => [
        `${start} ${model_name}`,
        Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Record<
          string,
          number
        >,
      ]),
    );
  };
  const end = async () =>
    (
      await store.db
        .selectFrom('logs')
        .select(({ fn }) => fn.max('id').as('id'))
        .executeTakeFirst()
    )?.id ?? 0;
  /** Another test on the same server may hold the last rows back. */
  const followed = async (run: () => Promise<unknown>) => {
    for (let tries = 0; (await positionOf(store, 'measured')) < (await end()) && tries < 200; tries += 1) {
      await run();
      await Bun.sleep(5);
    }
    expect(await positionOf(store, 'measured')).toBe(await end());
  };

  test('every cell equals a count of the raw rows: outcomes, and both histograms', async () => {
    const calls = Array.from({ length: 1500 }, () => anyCall(3 * DAY));
    await write(calls);
    await followed(() => follow(store, sums()));
    expect(await cells(HOUR)).toEqual(expected(calls, HOUR));
    const recent = calls.filter(({ at }) => at - (at % MINUTE) >= NOW - 6 * HOUR);
    expect(recent.length).toBeGreaterThan(50);
    expect(await cells(MINUTE)).toEqual(expected(recent, MINUTE));
  });

  test('a run that dies, runs at the same time and a repeated one count every row once', async () => {
    const calls = Array.from({ length: 400 }, () => anyCall(2 * HOUR));
    await write(calls);
    const whole = sums(20);
    const broken = { ...whole };
    let adds = 0;
    broken.add = async (transaction, found) => {
      await whole.add(transaction, found);
      adds += 1;
      if (adds === 3) throw new Error('killed');
    };
    let message = '';
    // The slice of the killed run is not counted, and is counted by the next one.
    await followed(async () => {
      if (message === '') message = (await failure(follow(store, broken))).message;
      else await follow(store, sums(20), async () => (await follow(store, sums(7)), true));
    });
    expect(message).toBe('killed');
    await follow(store, sums());
    expect(await cells(HOUR)).toEqual(expected(calls, HOUR));
  });

  test('sums stay when the log is cleaned, and old ones go', async () => {
    const calls = [
      ...Array.from({ length: 200 }, () => anyCall(DAY)),
      { ...anyCall(1), at: NOW - 101 * DAY, outcome: 'answered' as const },
    ];
    await write(calls);
    await followed(() => follow(store, sums()));
    const before = await cells(HOUR);
    // Rows older than the cells are kept never become one.
    expect(before).toEqual(expected(calls.slice(0, 200), HOUR));
    await store.db.deleteFrom('logs').execute();
    await store.db
      .insertInto('measured_cells')
      .values([
        { seconds: HOUR, start: NOW - 100 * DAY - HOUR, model_name: 'old', answered: 1 },
        { seconds: MINUTE, start: NOW - 7 * HOUR, model_name: 'old', answered: 1 },
        { seconds: HOUR, start: NOW - 99 * DAY, model_name: 'kept', answered: 1 },
      ])
      .execute();
    await removeOldCells(store);
    expect(await cells(HOUR)).toEqual(before.set(`${NOW - 99 * DAY} kept`, { answered: 1 }));
    expect([...(await cells(MINUTE)).keys()].some((key) => key.endsWith(' old'))).toBe(false);
  });

  test('while answered calls are not logged, the failed ones alone are no measure', async () => {
    isLogged = false;
    await write([{ at: NOW, model: 'm', outcome: 'failed', row: { type: 5, content: 'status 500' } }]);
    await followed(() => follow(store, sums()));
    expect((await cells(HOUR)).size).toBe(0);
  });

  test('refusals without a channel count as failed, for offered models only, and a repeated count replaces', async () => {
    await store.db
      .insertInto('abilities')
      .values({
        group: 'default',
        model: 'lost',
        channel_id: 1,
        enabled: 0,
        priority: 0,
        weight: 0,
        tag: null,
      })
      .execute();
    const minute = NOW - (NOW % MINUTE) - MINUTE;
    const hour = minute - (minute % HOUR);
    const refuse = (code: string, model_name: string, count: number, group = 'default', at = minute) =>
      store.db
        .insertInto('refused_calls')
        .values({ minute: at, user_id: 1, token_id: 1, code, group, model_name, count })
        .onConflict((conflict) =>
          conflict
            .columns(['minute', 'user_id', 'token_id', 'code', 'group', 'model_name'])
            .columns(['member_id', 'service_account_id', 'project_id'])
            .doUpdateSet({ count: sql`refused_calls.count + excluded.count` }),
        )
        .execute();
    await refuse('no_channel', 'lost', 5);
    await refuse('channels_busy', 'lost', 2);
    await refuse('no_channel', 'lost', 9, 'vip');
    await refuse('no_channel', 'never-had', 7);
    await refuse('rate_limited', 'lost', 11);
    await refuse('insufficient_quota', 'lost', 13);
    await refuse('overloaded', 'lost', 3);
    await refuse('draining', '', 1);
    const run = () =>
      sumPeriods(
        { store, now: () => NOW },
        refusedCalls(() => NOW),
      );
    await run();
    await run();
    expect(await cells(HOUR)).toEqual(
      new Map([
        [`${hour} lost`, { refused: 7 }],
        [`${hour} `, { refused: 4 }],
      ]),
    );
    // The minute grows after it was counted.
    await refuse('no_channel', 'lost', 4);
    await run();
    await write([{ at: minute, model: 'lost', outcome: 'answered', row: { type: 2 } }]);
    await followed(() => follow(store, sums()));
    await run();
    expect((await cells(MINUTE)).get(`${minute} lost`)).toEqual({ answered: 1, refused: 11 });
    const measuring = createMeasuring({
      store,
      settings: { current: { SiteTimeZone: 'UTC' } },
      now: () => NOW,
    });
    expect((await measuring.now()).get('lost')).toEqual({ answered: 1, failed: 11, refused: 11 });
  });

  test('posts and figures: to the call, in the days of the site, with their minimums', async () => {
    const zone = 'Asia/Shanghai';
    const calls = Array.from({ length: 6000 }, () => anyCall(20 * HOUR)).map((call) => ({
      ...call,
      model: 'busy',
    }));
    const few = Array.from({ length: LEAST_CALLS.figure - 1 }, () => ({
      at: NOW,
      model: 'few',
      outcome: 'answered' as const,
      row: { type: 2, other: '{"frt":500,"use_ms":900}' },
    }));
    await write([...calls, ...few]);
    await followed(() => follow(store, sums(2000)));
    const measuring = createMeasuring({
      store,
      settings: { current: { SiteTimeZone: zone } },
      now: () => NOW,
    });
    const count = (outcome: Call['outcome'], from = 0, to = Infinity) =>
      calls.filter((call) => call.outcome === outcome && call.at >= from && call.at < to).length;

    const day = await measuring.measuredOf('busy', '24h');
    expect(day.posts).toHaveLength(24);
    expect(day.figures).toMatchObject({ answered: count('answered'), failed: count('failed'), refused: 0 });
    expect(day.figures.share).toBe(count('answered') / (count('answered') + count('failed')));
    const isRight = ({ start, end: until, answered, failed, isEnough }: MeasuredPost) =>
      answered === count('answered', start, until) &&
      failed === count('failed', start, until) &&
      isEnough === answered + failed >= LEAST_CALLS.post;
    expect(day.posts.filter((post) => !isRight(post))).toEqual([]);
    expect(day.posts.at(-1)?.end).toBeGreaterThan(NOW);

    const month = await measuring.measuredOf('busy', '30d');
    expect(month.posts).toHaveLength(30);
    expect(month.posts.filter((post) => !isRight(post))).toEqual([]);
    expect(month.posts.every(({ start }) => (start + 8 * HOUR) % DAY === 0)).toBe(true);

    const days = await measuring.days();
    expect(days).toHaveLength(90);
    const { start = 0, end: until = 0, models } = days.at(-1) ?? {};
    expect(models?.get('busy')).toEqual({
      answered: count('answered', start, until),
      failed: count('failed', start, until),
      refused: 0,
    });

    const firsts = calls.flatMap(({ outcome, first }) =>
      outcome === 'answered' && first !== undefined ? [first] : [],
    );
    const speeds = calls.flatMap(({ outcome, speed }) =>
      outcome === 'answered' && speed !== undefined ? [speed] : [],
    );
    const at = (list: readonly number[], share: number) =>
      list.toSorted((left, right) => left - right)[Math.ceil(list.length * share) - 1] ?? 0;
    const { firstToken, speed } = day.figures;
    expect([firstToken?.calls, speed?.calls]).toEqual([firsts.length, speeds.length]);
    // Classes are 1.3 times apart.
    const isNear = (found = 0, exact = 1) => found / exact > 0.87 && found / exact < 1.15;
    expect(isNear(firstToken?.median, at(firsts, 0.5))).toBe(true);
    expect(isNear(firstToken?.slow, at(firsts, 0.95))).toBe(true);
    expect(isNear(speed?.median, at(speeds, 0.5))).toBe(true);
    expect(isNear(speed?.slow, at(speeds, 0.05))).toBe(true);

    const models24 = await measuring.modelsMeasured();
    expect(models24.get('busy')).toEqual(day.figures);
    expect(models24.get('few')).toMatchObject({ share: undefined, firstToken: undefined, speed: undefined });
    expect((await measuring.siteMeasured(['few'])).share).toBeUndefined();
    const both = await measuring.siteMeasured(['few', 'busy', 'none']);
    expect(both.answered).toBe(count('answered') + few.length);
    expect((await measuring.steps(['busy'], 12)).reduce((sum, { answered }) => sum + answered, 0)).toBe(
      count('answered', NOW - (NOW % 300) - 11 * 300),
    );
  });

  test('days that are over are summed from their hours, in the zone of the site, and read the same', async () => {
    const calls = Array.from({ length: 800 }, () => anyCall(6 * DAY));
    await write(calls);
    await followed(() => follow(store, sums(2000)));
    const days = async (zone: string) =>
      await createMeasuring({ store, settings: { current: { SiteTimeZone: zone } }, now: () => NOW }).days();
    const goOn = async () => true;
    for (const zone of ['Asia/Shanghai', 'America/New_York']) {
      const before = await days(zone);
      const summed = await sumDays({ store, zone, now: NOW }, goOn);
      expect(summed).toBeGreaterThanOrEqual(5);
      expect(await days(zone)).toEqual(before);
      // Once more: only the newest are summed again.
      expect(await sumDays({ store, zone, now: NOW }, goOn)).toBeLessThanOrEqual(3);
      expect(await days(zone)).toEqual(before);
      expect(await sumDays({ store, zone, now: NOW }, async () => false)).toBeLessThanOrEqual(1);
    }
    const past = (await days('America/New_York')).at(-4);
    const own = calls.filter(
      ({ at, outcome }) => outcome === 'answered' && at >= (past?.start ?? 0) && at < (past?.end ?? 0),
    );
    expect([...(past?.models.values() ?? [])].reduce((sum, { answered }) => sum + answered, 0)).toBe(
      own.length,
    );
    // A day comes from its own sum, not from the hours.
    await store.db.deleteFrom('measured_cells').where('seconds', '=', HOUR).execute();
    expect((await days('America/New_York')).at(-4)).toEqual(past);
  });

  test('what is kept is read again after a minute, not before', async () => {
    let time = NOW;
    const measuring = createMeasuring({
      store,
      settings: { current: { SiteTimeZone: 'UTC' } },
      now: () => time,
    });
    expect((await measuring.modelsMeasured()).size).toBe(0);
    await forgetSums(store.db, ['measured']);
    await write([{ at: NOW, model: 'm', outcome: 'answered', row: { type: 2 } }]);
    await followed(() => follow(store, sums()));
    time += 59;
    expect((await measuring.modelsMeasured()).size).toBe(0);
    time += 1;
    await measuring.modelsMeasured();
    await Bun.sleep(0);
    for (let tries = 0; (await measuring.modelsMeasured()).size === 0 && tries < 100; tries += 1)
      await Bun.sleep(10);
    expect((await measuring.modelsMeasured()).get('m')?.answered).toBe(1);
  });
});
