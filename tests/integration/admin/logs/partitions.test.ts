// On PostgreSQL the log has a partition for each day, and a statement over all of them takes longer to plan than to run: a page of a
// filter with few rows asks for the days that hold the page, as the counts of the same call say, and counts no rows to learn that they are few.
import type { KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { logPartitions, makeLogPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { logScene, SCENE_TIME } from './support.ts';

setDefaultTimeout(120_000);
const [DAY, DAYS] = [86_400, 30];

forEachDatabase((label, open) =>
  test('a page of few rows reads the days that hold it', async () => {
    const store = await open();
    const seen: { sql: string; parameters: readonly unknown[] }[] = [];
    const recorder: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        const { sql: text, parameters } = store.db.getExecutor().compileQuery(node, queryId);
        if (/\bfrom logs\b/.test(text)) seen.push({ sql: text, parameters });
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const scene = logScene({ ...store, db: store.db.withPlugin(recorder) });
    const user = await scene.user('acme');
    for (let day = 0; day <= DAYS; day += 1) {
      const at = SCENE_TIME - day * DAY;
      if (label === 'postgres') await makeLogPartitions(store.db, at);
      // Of another member each second day.
      await scene.write([
        { user_id: user, created_at: at, quota: 1, member_id: 5 + (day % 2) },
        { user_id: user, created_at: at - 60, quota: 1, member_id: 7 },
      ]);
    }

    const page = async (query: object) => {
      seen.length = 0;
      const { items } = await scene.call('listSelf', { page_size: 10, ...query }, user);
      return items.map(({ created_at }) => Math.round((SCENE_TIME - created_at) / DAY));
    };
    /** Of the statement that reads the rows of the page. */
    const partitions = async () => {
      const read = seen.find(({ sql: text }) => text.startsWith('select * from'));
      if (read === undefined) throw new Error('no page was read');
      const parts = read.sql.split(label === 'sqlite' ? '?' : /\$\d+/);
      const whole = sql.join(
        parts.flatMap((part, at) =>
          at < parts.length - 1 ? [sql.raw(part), sql.lit(read.parameters[at])] : [sql.raw(part)],
        ),
        sql``,
      );
      const { rows } = await sql`explain ${whole}`.execute(store.db);
      const plan = rows.map((row) => Object.values(row as object).join(' ')).join('\n');
      return new Set([...plan.matchAll(/ on (logs_\w+)/g)].map(([, name]) => name)).size;
    };

    /** With the days after today, which are made ahead, and the rows of no day. */
    const partitionsSince = async (day: number) =>
      (await logPartitions(store.db)).filter(({ end }) => end > SCENE_TIME - day * DAY - 3600).length + 1;

    // Ten rows of every second day, and of the cursor's next ones.
    expect(await page({ member_id: 5 })).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    if (label === 'postgres') expect(await partitions()).toBeLessThanOrEqual(await partitionsSince(18));
    expect(await page({ member_id: 5, p: 2 })).toEqual([20, 22, 24, 26, 28, 30]);
    expect(await page({ member_id: 7, page_size: 3 })).toEqual([0, 1, 2]);
    if (label === 'postgres') expect(await partitions()).toBeLessThanOrEqual(await partitionsSince(2));
    // That they are few is known for a minute.
    expect(seen.filter(({ sql: text }) => text.includes('some_rows'))).toEqual([]);
  }),
);
