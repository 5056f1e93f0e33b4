// The sums of past hours equal the hourly figures, on both databases: complete, half-filled, filled again after a late
// settlement, and for every filter that uses them.
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { usageRollup, type LogDependencies } from '#server/admin/logs/index.ts';
import { positionOf, sumAgain, sumPeriods, type Pause } from '#server/money/sums/engine.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { logScene, SCENE_TIME, type LogLine, type LogScene } from './support.ts';

setDefaultTimeout(60_000);

const HOUR = 3600;
const HOURS_BACK = 60;

const FILTERS: [string, Record<string, string | number>][] = [
  ['everything', {}],
  ['a user', { username: 'ana' }],
  ['a model', { model_name: 'gpt-5.4' }],
  ['several models', { model_name: 'gpt-5.4, claude-opus-5' }],
  ['a pattern', { model_name: 'gpt-%' }],
  ['a pattern that fits nothing', { model_name: 'nothing-%' }],
  ['a channel', { channel: 2 }],
  ['a user and a model', { username: 'bo', model_name: 'gpt-5.4' }],
  [
    'a range that cuts hours',
    { start_timestamp: SCENE_TIME - 40 * HOUR + 77, end_timestamp: SCENE_TIME - 9 * HOUR },
  ],
];

forEachDatabase((_, open) => {
  let scene: LogScene;
  beforeAll(async () => {
    scene = logScene(await open(), { directRows: 0 });
    const ana = await scene.user('ana');
    const bo = await scene.user('bo');
    const lines: LogLine[] = Array.from({ length: 240 }, (_unused, index) => ({
      created_at: SCENE_TIME - Math.floor((index * HOURS_BACK * HOUR) / 240),
      user_id: index % 3 === 0 ? bo : ana,
      username: index % 3 === 0 ? 'bo' : 'ana',
      type: index % 11 === 0 ? 5 : 2,
      model_name: ['gpt-5.4', 'gpt-5.4-mini', 'claude-opus-5'][index % 3] ?? '',
      channel_id: 1 + (index % 2),
      quota: index,
      prompt_tokens: 10 * index,
      completion_tokens: index,
    }));
    await scene.write(lines);
  });

  /** A reader without a cache. */
  const answers = async (filter: Record<string, string | number>) => {
    const fresh = logScene(scene.store, { directRows: 0 });
    const { buckets } = await fresh.call('histogram', filter);
    // A page has a short time limit for its total: on a busy machine it is exact when asked again.
    const { total } = await eventually(
      () => fresh.call('list', filter),
      ({ total_exact }) => total_exact,
    );
    return { stat: await fresh.call('stat', filter), total, buckets };
  };

  const rollUp = ({ store, now }: LogDependencies, pause?: Pause) =>
    sumPeriods({ store, now }, usageRollup, pause);

  test('hours that were corrected long after they were summed are summed again (M21)', async () => {
    const own = logScene(await open(), { directRows: 0 });
    const user_id = await own.user('cleo');
    const created_at = SCENE_TIME - 50 * HOUR;
    await own.write([{ created_at, user_id, username: 'cleo', model_name: 'gpt-5.4', quota: 500 }]);
    await own.write([
      { created_at: SCENE_TIME - 5 * HOUR, user_id, username: 'cleo', model_name: 'gpt-5.4' },
    ]);
    await rollUp(own.dependencies);
    const hour = created_at - (created_at % HOUR);
    await own.store.db.updateTable('usage_hours').set({ quota: 200 }).where('hour', '=', hour).execute();
    const sum = async () =>
      (
        await own.store.db
          .selectFrom('usage_rollup')
          .select('quota')
          .where('scope', '=', 0)
          .where('hour', '=', hour)
          .executeTakeFirstOrThrow()
      ).quota;
    expect(await sum()).toBe(500);
    await sumAgain(own.store, usageRollup, [hour], new AbortController().signal);
    expect(await sum()).toBe(200);
  });

  test('the same answers before, during and after summing', async () => {
    const before = await Promise.all(FILTERS.map(([, filter]) => answers(filter)));
    expect(before[0]?.total).toBe(240);
    expect(await positionOf(scene.store, 'rollup')).toBe(0);

    let left = 20;
    await rollUp(scene.dependencies, async () => (left -= 1) > 0);
    const half = await positionOf(scene.store, 'rollup');
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(SCENE_TIME - 30 * HOUR);
    expect(await Promise.all(FILTERS.map(([, filter]) => answers(filter)))).toEqual(before);

    await rollUp(scene.dependencies);
    // The last three hours and the running one are still open.
    expect(await positionOf(scene.store, 'rollup')).toBe(SCENE_TIME - (SCENE_TIME % HOUR) - 3 * HOUR);
    expect(await Promise.all(FILTERS.map(([, filter]) => answers(filter)))).toEqual(before);
  });

  test('an hour that changed within a day is summed again; nothing is counted twice', async () => {
    await rollUp(scene.dependencies);
    const { quota } = (await answers({})).stat;
    await scene.write([
      { created_at: SCENE_TIME - 10 * HOUR, user_id: 1, type: 2, quota: 1_000_000, channel_id: 1 },
    ]);
    expect(await rollUp(scene.dependencies)).toBeLessThanOrEqual(24);
    expect((await answers({})).stat.quota).toBe(quota + 1_000_000);
    await rollUp(scene.dependencies);
    expect((await answers({})).stat.quota).toBe(quota + 1_000_000);
  });

  test('the sums are what is read: a changed sum changes the answer', async () => {
    await rollUp(scene.dependencies);
    const { quota } = (await answers({ channel: 2 })).stat;
    const row = { scope: 2, key: '2', hour: SCENE_TIME - (SCENE_TIME % HOUR) - 50 * HOUR };
    await scene.store.db
      .updateTable('usage_rollup')
      .set((builder) => ({ quota: builder.eb('quota', '+', 5) }))
      .where('scope', '=', row.scope)
      .where('key', '=', row.key)
      .where('hour', '=', row.hour)
      .execute();
    expect((await answers({ channel: 2 })).stat.quota).toBe(quota + 5);
  });
});
