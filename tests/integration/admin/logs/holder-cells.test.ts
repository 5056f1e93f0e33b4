// The cells of organizations by holder: equal to the sums of the log rows, for members, service accounts and projects as they were, by
// hour and by day, however often and wherever the job is cut, and also when the rows are gone.
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { holderCells, readReport } from '#server/admin/usage-api/index.ts';
import { follow, forgetSums, positionOf } from '#server/money/sums/engine.ts';
import type { Store } from '#server/platform/store/store.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { call, DAY, first, HOUR, now } from './organization-calls.ts';
import { logScene, type LogLine, type LogScene } from './support.ts';

setDefaultTimeout(60_000);

type ReportRow = readonly (string | number | null)[];

const KEY = 9;
const [ANN, BOB, ROBOT, RED, BLUE] = [31, 32, 41, 51, 52];
const ann = { member_id: ANN, project_id: RED };
const moved = { member_id: ANN, project_id: BLUE };
const bob = { member_id: BOB, project_id: RED };
const robot = { service_account_id: ROBOT, project_id: BLUE };

forEachDatabase((_label, open) =>
  describe('cells by holder', () => {
    let store: Store;
    let scene: LogScene;
    let person: number;
    let acme: number;
    let other: number;
    const organization = async (name: string) => {
      const id = await scene.user(`@${name}`);
      await store.db
        .insertInto('organizations')
        .values({ id, name, created_by: person, created_at: 1 })
        .execute();
      return id;
    };
    const lines = (): LogLine[] => {
      const of = { model_name: 'gpt-5', token_id: KEY, quota: 1 };
      const usage = {
        input: 500,
        cacheRead: 30,
        cacheWrite5m: 4,
        cacheWrite1h: 3,
        output: 20,
        audioOutput: 7,
      };
      return [
        call(acme, HOUR, { ...of, ...ann, usage }),
        call(acme, HOUR + 1, { ...of, ...ann, usage: { input: 7, output: 3 } }),
        call(acme, HOUR + 2, {
          ...of,
          ...moved,
          usage: { input: 11, imageInput: 6, audioInput: 5, output: 2 },
        }),
        call(acme, HOUR + 3, { ...of, ...bob, usage: { input: 13 }, more: { batch_ratio: 0.5 } }),
        call(person, HOUR + 4, { ...of, usage: { input: 100_000 } }),
        call(acme, 2 * HOUR, { ...of, ...robot, usage: { input: 17, output: 1 }, more: { pieces: 3 } }),
        call(acme, DAY - 1, { ...of, ...robot, model_name: 'claude', usage: { input: 200_001 } }),
        call(acme, DAY, { ...of, ...bob, usage: { input: 19 }, path: '/v1/embeddings' }),
        call(acme, DAY + 1, { ...of, usage: { input: 23 } }),
        call(acme, DAY + 2, { ...of, ...bob, type: 5, quota: 0 }),
        call(other, DAY + 3, { ...of, ...ann, usage: { input: 29 } }),
      ];
    };
    /** A transaction of another test on the same server may hold the last rows back. */
    async function countAll(rowsPerSlice?: number): Promise<void> {
      const { id } = await store.db
        .selectFrom('logs')
        .select(({ fn }) => fn.max('id').as('id'))
        .executeTakeFirstOrThrow();
      await eventually(
        async () => {
          await follow(store, holderCells(store, rowsPerSlice));
          return await positionOf(store, 'holder_cells');
        },
        (position) => position === id,
      );
    }
    const cells = async () =>
      (await store.db.selectFrom('holder_cells').selectAll().execute())
        .map((row) => JSON.stringify(row))
        .toSorted();
    /** As the log says: by bucket and holder, the calls, the tokens of prompts and of answers. */
    async function fromRows(seconds: number): Promise<string[]> {
      const rows = await store.db
        .selectFrom('logs')
        .selectAll()
        .where('type', '=', 2)
        .where('user_id', 'in', [acme, other])
        .execute();
      const sums = new Map<string, number[]>();
      for (const row of rows) {
        const holder = [row.member_id, row.service_account_id, row.project_id].join(' ');
        const key = `${row.user_id} ${row.created_at - (row.created_at % seconds)} ${holder}`;
        const [calls = 0, input = 0, output = 0] = sums.get(key) ?? [];
        sums.set(key, [calls + 1, input + row.prompt_tokens, output + row.completion_tokens]);
      }
      return [...sums].map((entry) => JSON.stringify(entry)).toSorted();
    }
    async function fromCells(seconds: number): Promise<string[]> {
      const rows = await store.db
        .selectFrom('holder_cells')
        .selectAll()
        .where('seconds', '=', seconds)
        .execute();
      const sums = new Map<string, number[]>();
      for (const row of rows) {
        const holder = [row.member_id, row.service_account_id, row.project_id].join(' ');
        const key = `${row.user_id} ${row.start} ${holder}`;
        const [calls = 0, input = 0, output = 0] = sums.get(key) ?? [];
        const prompt = row.input + row.cache_read + row.cache_write_5m + row.cache_write_1h;
        sums.set(key, [
          calls + row.calls,
          input + prompt + row.image_input + row.audio_input,
          output + row.output + row.audio_output,
        ]);
      }
      return [...sums].map((entry) => JSON.stringify(entry)).toSorted();
    }

    beforeEach(async () => {
      store = await open();
      scene = logScene(store);
      person = await scene.user('ann');
      await store.db
        .updateTable('usage_positions')
        .set({ position: 0 })
        .where('name', '=', 'holder_cells')
        .execute();
    });

    test('equal the log rows of organizations, by hour and by day, in slices of any length', async () => {
      [acme, other] = [await organization('acme'), await organization('other')];
      await scene.write(lines());
      await countAll();
      const whole = await cells();
      expect(await fromCells(HOUR)).toEqual(await fromRows(HOUR));
      expect(await fromCells(DAY)).toEqual(await fromRows(DAY));
      await store.db.deleteFrom('holder_cells').execute();
      await forgetSums(store.db, ['holder_cells']);
      await countAll(2);
      expect(await cells()).toEqual(whole);
      await scene.write([
        call(acme, DAY - 2, { ...robot, token_id: KEY, model_name: 'claude', usage: { input: 200_002 } }),
      ]);
      await countAll();
      expect(await fromCells(HOUR)).toEqual(await fromRows(HOUR));
      expect(await fromCells(DAY)).toEqual(await fromRows(DAY));
    });

    test('answer who called for what, also when the log is gone, and nothing of other accounts', async () => {
      [acme, other] = [await organization('acme'), await organization('other')];
      await scene.write(lines());
      await countAll();
      await store.db.deleteFrom('logs').execute();
      const member = {
        organizationId: acme,
        caller: { id: person, username: 'ann', role: 1, group: 'default' },
      };
      const ask = async (query: string) => {
        const answer = (await readReport(
          { store, settings: { current: {} } as never, now: () => now },
          { keyId: 0, userId: acme, member },
          {
            path: '/v1/organization/usage/completions',
            query: new URLSearchParams(`start_time=${first}&end_time=${first + 2 * DAY}&${query}`),
          },
        )) as { data: { start_time: number; results: Record<string, unknown>[] }[] };
        return answer.data.flatMap(({ start_time, results }) =>
          results.map((row) => [
            (start_time - first) / HOUR,
            row['project_id'],
            row['user_id'],
            row['num_model_requests'],
            row['input_tokens'],
          ]),
        );
      };
      const [red, blue] = [`proj_${RED}`, `proj_${BLUE}`];
      expect(await ask('group_by=project_id&group_by=user_id')).toEqual(
        [
          [0, blue, null, 2, 17 + 200_001],
          [0, red, `user-${ANN}`, 2, 537 + 7],
          [0, blue, `user-${ANN}`, 1, 22],
          [0, red, `user-${BOB}`, 1, 13],
          [24, null, null, 1, 23],
        ].toSorted(byProjectAndUser),
      );
      expect(await ask('group_by=user_id&bucket_width=1h&limit=168')).toEqual([
        [1, null, `user-${ANN}`, 3, 566],
        [1, null, `user-${BOB}`, 1, 13],
        [2, null, null, 1, 17],
        [23, null, null, 1, 200_001],
        [24, null, null, 1, 23],
      ]);
      expect(await ask(`project_ids=${blue}&user_ids=user-${ANN}`)).toEqual([[0, null, null, 1, 22]]);
      expect(await ask(`user_ids=user-${BOB}&batch=true`)).toEqual([[0, null, null, 1, 13]]);
      expect(await ask(`project_ids=${red}&models=claude`)).toEqual([]);
      expect(await ask(`user_ids=user-${person}&group_by=project_id`)).toEqual([]);
    });

    test('pass the calls of people where there is no organization, and wait for none', async () => {
      await scene.write([
        call(person, HOUR, { usage: { input: 1 } }),
        call(person, DAY, { usage: { input: 1 } }),
      ]);
      await countAll(1);
      expect(await cells()).toEqual([]);
      expect(await follow(store, holderCells(store))).toBe(0);
      [acme, other] = [await organization('acme'), await organization('other')];
      await scene.write(lines());
      await countAll(1);
      expect(await fromCells(HOUR)).toEqual(await fromRows(HOUR));
    });
  }),
);

/** In the order of the reports: by bucket, project and member, nobody first. */
function byProjectAndUser(left: ReportRow, right: ReportRow): number {
  const numbers = (row: ReportRow) =>
    [row[0], row[1], row[2]].map((value) => Number(String(value ?? 0).replace(/^\D+/, '')));
  const [one, two] = [numbers(left), numbers(right)];
  const at = one.findIndex((value, index) => value !== two[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (two[at] ?? 0);
}
