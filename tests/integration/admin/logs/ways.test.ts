// The two query plans for a filter, reading every row and following the hourly figures, give the same answer for every
// filter, on both databases: rows, totals, sums and bars are compared with a plain count in memory.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { failureCause } from '#contract/relay/failure-cause.ts';
import type { AdminLogFilter } from '#contract/admin/log-filter.ts';
import { LOG_TYPE, logs, type LogView } from '#contract/admin/logs.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { listLogs } from '#server/admin/logs/list.ts';
import { mostRows } from '#server/admin/logs/most-rows.ts';
import { canGoAhead, pageOfRows } from '#server/admin/logs/page.ts';
import { scopeOf } from '#server/admin/logs/resolve-scope.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { logScene, SCENE_TIME, type LogLine, type LogScene } from './support.ts';

setDefaultTimeout(60_000);

const MODELS = ['gpt-5.4', 'gpt-5.4-mini', 'claude-opus-5', 'deepseek_v3'];
const TYPES = [2, 2, 2, 2, 2, 2, 5, 2, 2, 5, 1, 3, 4, 7];
const CONTENTS = ['status 429', 'status 429 rate_limit_exceeded', 'timeout', 'stream broken', 'status 502'];
const ROWS = 700;
const SPAN_SECONDS = 40 * 3600;

/** Deterministic, without a pattern that a query could match by accident. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface World {
  direct: LogScene;
  byHours: LogScene;
  lines: (LogLine & { id: number })[];
  users: Record<string, number>;
}

async function createWorld(open: () => Promise<LogScene['store']>): Promise<World> {
  const store = await open();
  const direct = logScene(store);
  const byHours = logScene(store, { directRows: 0 });
  const users: Record<string, number> = {};
  const tokens: { id: number; userId: number; name: string }[] = [];
  for (const name of ['ana', 'bo', 'cy']) {
    users[name] = await direct.user(name);
    for (const token of ['web', 'ci'])
      tokens.push({ id: await direct.token(users[name], token), userId: users[name], name: token });
  }
  const random = randomly(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const lines: LogLine[] = Array.from({ length: ROWS }, (_, index) => {
    const token = pick(tokens);
    const type = pick(TYPES);
    const isCall = type === LOG_TYPE.consumption || type === LOG_TYPE.error;
    const isGone = isCall && index % 9 === 4;
    const username = Object.keys(users).find((name) => users[name] === token.userId) ?? '';
    return {
      // Several rows share a second, one user has empty hours, and the days after the first have no rows.
      created_at:
        SCENE_TIME -
        SPAN_SECONDS -
        (index < 60 ? 12 * 86_400 : 0) +
        Math.floor((index / ROWS) * (SPAN_SECONDS / 60)) * 60,
      user_id: token.userId,
      username,
      type,
      token_id: isGone ? 9999 : isCall ? token.id : 0,
      token_name: isGone ? 'gone' : isCall ? token.name : '',
      model_name: isCall ? pick(MODELS) : '',
      channel_id: isCall ? 1 + Math.floor(random() * 3) : 0,
      group: random() < 0.3 ? 'vip' : 'default',
      quota: type === LOG_TYPE.consumption ? Math.floor(random() * 5000) : 0,
      prompt_tokens: isCall && type === LOG_TYPE.consumption ? Math.floor(random() * 900) : 0,
      completion_tokens: isCall && type === LOG_TYPE.consumption ? Math.floor(random() * 300) : 0,
      request_id: isCall ? `req-${index}` : '',
      content: type === LOG_TYPE.error ? (CONTENTS[index % CONTENTS.length] ?? '') : '',
    };
  });
  const ids = await direct.write(lines);
  return { direct, byHours, users, lines: lines.map((line, index) => ({ ...line, id: ids[index] ?? 0 })) };
}

const wholeHour = SCENE_TIME - (SCENE_TIME % 3600) - 12 * 3600;

const FILTERS: [string, Partial<Record<keyof AdminLogFilter, string | number>>][] = [
  ['nothing', {}],
  ['consumption', { type: 2 }],
  ['failures', { type: 5 }],
  ['top-ups', { type: 1 }],
  ['a user', { username: 'ana' }],
  ['an unknown user', { username: 'nobody' }],
  ['a token name of several users', { token_name: 'ci' }],
  ['a token of one user', { token_name: 'web', username: 'bo' }],
  ['a model', { model_name: 'claude-opus-5' }],
  ['several models', { model_name: 'gpt-5.4, deepseek_v3' }],
  ['a pattern', { model_name: 'gpt-%' }],
  ['a pattern in other letters', { model_name: 'GPT-%' }],
  ['any text', { model_name: '%%%' }],
  ['a former token name', { token_name: 'gone' }],
  ['an underscore that is no wildcard', { model_name: 'deepseek_v%' }],
  ['a channel', { channel: 2 }],
  ['failures of a channel', { channel: 2, type: 5 }],
  ['a group', { group: 'vip' }],
  ['the default group', { group: 'default' }],
  ['a model in a group', { group: 'vip', model_name: 'gpt-5.4' }],
  ['consumption of a model in the default group', { group: 'default', model_name: 'gpt-5.4', type: 2 }],
  ['failures of a cause', { cause: 'saturated' }],
  ['failures of a cause, said twice', { cause: 'timeout', type: 5 }],
  ['failures of a cause of a user in a group', { cause: 'saturated', username: 'bo', group: 'vip' }],
  ['a cause and another type', { cause: 'saturated', type: 2 }],
  ['a cause nothing had', { cause: 'tooLarge' }],
  ['a request', { request_id: 'req-100' }],
  ['a range of whole hours', { start_timestamp: wholeHour, end_timestamp: wholeHour + 4 * 3600 - 1 }],
  [
    'a range that cuts hours',
    { start_timestamp: wholeHour + 1234, end_timestamp: wholeHour + 3 * 3600 + 567 },
  ],
  [
    'a model in a range that cuts hours',
    { start_timestamp: wholeHour + 1234, end_timestamp: wholeHour + 3 * 3600 + 567, model_name: 'gpt-5.4' },
  ],
  [
    'failures of a cause in a range that cuts hours',
    { cause: 'broken', start_timestamp: wholeHour + 1234, end_timestamp: wholeHour + 3 * 3600 + 567 },
  ],
  ['a range inside one hour', { start_timestamp: wholeHour + 600, end_timestamp: wholeHour + 1200 }],
];

function matches(world: World, filter: Record<string, string | number>, line: LogLine): boolean {
  const models = String(filter['model_name'] ?? '')
    .split(',')
    .map((name) => name.trim());
  const model = line.model_name ?? '';
  const fitsModel = (wanted: string) =>
    wanted.endsWith('%') ? model.startsWith(wanted.replace(/%+$/, '').toLowerCase()) : model === wanted;
  return (
    (!filter['type'] || line.type === filter['type']) &&
    (filter['username'] === undefined || line.user_id === world.users[filter['username']]) &&
    (filter['token_name'] === undefined || line.token_name === filter['token_name']) &&
    (filter['model_name'] === undefined || models.some(fitsModel)) &&
    (filter['channel'] === undefined || line.channel_id === filter['channel']) &&
    (filter['group'] === undefined || line.group === filter['group']) &&
    (filter['cause'] === undefined ||
      (line.type === LOG_TYPE.error && failureCause(line.content ?? '') === filter['cause'])) &&
    (filter['request_id'] === undefined || line.request_id === filter['request_id']) &&
    line.created_at >= Number(filter['start_timestamp'] ?? 0) &&
    line.created_at <= Number(filter['end_timestamp'] ?? Number.MAX_SAFE_INTEGER)
  );
}

forEachDatabase((_, open) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(open);
  });

  const expected = (filter: Record<string, string | number>) =>
    world.lines
      .filter((line) => matches(world, filter, line))
      .toSorted((left, right) => right.created_at - left.created_at || right.id - left.id);

  for (const way of ['direct', 'byHours'] as const) {
    describe(way === 'direct' ? 'reading rows' : 'following the hourly figures', () => {
      // Counts have no time limit in these scenes, see support.ts (O37).
      test.each(FILTERS)(
        'O4 O37 %s: pages, total, sums and bars follow the filter',
        async (_name, filter) => {
          const scene = world[way];
          const wanted = expected(filter);
          const first = await scene.call('list', { ...filter, page_size: 20 });
          expect(first.items.map(({ id }) => id)).toEqual(wanted.slice(0, 20).map(({ id }) => id));
          expect([first.total, first.total_exact]).toEqual([wanted.length, true]);
          expect([first.page, first.page_size]).toEqual([1, 20]);

          const third = await scene.call('list', { ...filter, p: 3, page_size: 20 });
          expect(third.items.map(({ id }) => id)).toEqual(wanted.slice(40, 60).map(({ id }) => id));

          const called = expected(filter);
          const consumed = called.filter(({ type }) => type === LOG_TYPE.consumption);
          const failed = called.filter(({ type }) => type === LOG_TYPE.error);
          const sum = (name: 'quota' | 'prompt_tokens' | 'completion_tokens') =>
            consumed.reduce((total, line) => total + (line[name] ?? 0), 0);
          const stat = await scene.call('stat', filter);
          expect(stat).toMatchObject({
            quota: sum('quota'),
            prompt_tokens: sum('prompt_tokens'),
            completion_tokens: sum('completion_tokens'),
            count: consumed.length,
            error_count: failed.length,
            exact: true,
          });

          const { buckets } = await scene.call('histogram', filter);
          const isEvent = (filter.type ?? 0) !== 0 && filter.type !== 2 && filter.type !== 5;
          expect(buckets.reduce((total, { requests }) => total + requests, 0)).toBe(
            isEvent ? called.length : consumed.length + failed.length,
          );
          expect(buckets.reduce((total, { errors }) => total + errors, 0)).toBe(failed.length);
        },
      );

      test.each(FILTERS)('%s: following the last row gives every row once', async (_name, filter) => {
        const seen: LogView[] = [];
        let before: number | undefined;
        for (let page = 0; page < ROWS; page += 1) {
          const { items } = await world[way].call('list', { ...filter, page_size: 90, before_id: before });
          seen.push(...items);
          before = items.at(-1)?.id;
          if (items.length < 90) break;
        }
        expect(seen.map(({ id }) => id)).toEqual(expected(filter).map(({ id }) => id));
      });
    });
  }

  test.each(FILTERS)('%s: a page before everything is counted', async (_name, filter) => {
    const { dependencies } = world.byHours;
    const scope = await scopeOf(dependencies, logs.list.query.parse(filter));
    const request = { limit: 20, offset: 20 };
    if (!canGoAhead(scope, request)) return;
    const { rows, isComplete } = await pageOfRows(dependencies, scope, undefined, request);
    expect(rows.map(({ id }) => id)).toEqual(
      expected(filter)
        .slice(20, 40)
        .map(({ id }) => id),
    );
    expect(isComplete).toBe(true);
  });

  test('a page that reached its time limit is short, never empty', async () => {
    const hurried = logScene(world.direct.store, { directRows: 0, searchLimitMilliseconds: -1 });
    // The first stretch of hours that is read, a day, does not fill the page.
    const filter = { type: 5, channel: 2, end_timestamp: SCENE_TIME };
    const scope = await scopeOf(hurried.dependencies, logs.list.query.parse(filter));
    const request = { limit: 20, offset: 10 };
    const { rows, isComplete } = await pageOfRows(hurried.dependencies, scope, undefined, request);
    const wanted = expected(filter).slice(10, 30);
    expect(isComplete).toBe(false);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ id }) => id)).toEqual(wanted.slice(0, rows.length).map(({ id }) => id));
  });

  test('a page does not wait for a count that does not end: its total is an upper bound', async () => {
    const { dependencies } = logScene(world.direct.store, { directRows: 0, countWaitMilliseconds: 0 });
    const list = listLogs({ dependencies, figures: () => new Promise(() => {}) }, 'all');
    const filter = { model_name: 'gpt-5.4' };
    const input = { params: undefined, query: logs.list.query.parse(filter), body: undefined };
    const page = await list(input, {} as RequestContext);
    const wanted = expected(filter);
    expect(page.items.map(({ id }) => id)).toEqual(wanted.slice(0, page.page_size).map(({ id }) => id));
    expect(page.total).toBeGreaterThanOrEqual(wanted.length);
    expect(page.total_exact).toBe(false);
  });

  test('the upper bound of a filter’s rows is never less than their number', async () => {
    const { dependencies } = world.byHours;
    for (const [, filter] of FILTERS) {
      const scope = await scopeOf(dependencies, logs.list.query.parse(filter));
      expect(await mostRows(dependencies, scope)).toBeGreaterThanOrEqual(expected(filter).length);
    }
  });

  test('a page far back is reached by counting whole hours', async () => {
    const scene = world.byHours;
    const wanted = expected({});
    const page = await scene.call('list', { p: 34, page_size: 20 });
    expect(page.items.map(({ id }) => id)).toEqual(wanted.slice(660, 680).map(({ id }) => id));
  });
});
