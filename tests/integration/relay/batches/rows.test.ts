// The rows of files and batches: each caller's own, by pages, and when a batch is asked for again.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import { taskRows, type Task } from '#server/relay/tasks/rows.ts';
import {
  channelOf,
  listBatches,
  ownBatch,
  pollSoon,
  removeBatch,
} from '#server/relay/tasks/batches/batch-rows.ts';
import { fileRows } from '#server/relay/tasks/batches/file-rows.ts';
import { idIn } from '#server/relay/tasks/batches/methods.ts';
import { openAiBatches } from '#server/relay/tasks/batches/openai.ts';
import { withUpstreamFiles } from '#server/relay/request/file-ids.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const [ann, bob] = [7, 8];
let serial = 0;

const taskOf = (store: Store, more: Partial<NewRow<'tasks'>> = {}) => {
  serial += 1;
  return taskRows(store).insert({
    hold_id: `hold-${serial}`,
    platform: 'openai-batch',
    action: 'BATCH',
    model: 'm',
    user_id: ann,
    username: 'ann',
    token_id: 1,
    group: 'default',
    channel_id: 31,
    status: 'IN_PROGRESS',
    submit_ms: 1,
    quota: 1,
    snapshot: '{}',
    deadline_at: 2_000_000_000,
    next_poll_at: 1,
    task_id: `batch_${serial}`,
    ...more,
  });
};

async function codeOf(call: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    await (typeof call === 'function' ? call() : call);
    return 'done';
  } catch (error) {
    return error instanceof RelayError ? [error.code, error.options.param] : error;
  }
}

forEachDatabase((_label, open) => {
  describe('files', () => {
    const fileOf = (more: object = {}) => {
      serial += 1;
      return {
        user_id: ann,
        token_id: 1,
        channel_id: 31,
        upstream_id: `up-${serial}`,
        purpose: 'batch',
        filename: 'in.jsonl',
        created_at: 1,
        ...more,
      };
    };

    test('have ids of our own, one for each file of an upstream, and of its owner alone', async () => {
      const rows = fileRows(await open());
      const known = fileOf({ upstream_id: 'up' });
      const id = await rows.add(known);
      expect(id).toMatch(/^file-[A-Za-z0-9]{24}$/);
      expect(await rows.add(known)).toBe(id);
      expect(await rows.add({ ...known, channel_id: 32 })).not.toBe(id);
      expect(await codeOf(rows.add({ ...known, user_id: bob }))).toEqual(['upstream_failed', undefined]);
      expect([await rows.count(ann), await rows.count(bob)]).toEqual([2, 0]);
      expect([
        (await rows.find({ userId: ann }, id))?.upstream_id,
        await rows.find({ userId: bob }, id),
      ]).toEqual(['up', undefined]);
      await rows.remove(bob, id);
      expect(await rows.find({ userId: ann }, id)).toBeDefined();
      await rows.remove(ann, id);
      expect([await rows.find({ userId: ann }, id), await rows.count(ann)]).toEqual([undefined, 1]);
    });

    test('are listed by pages in both directions, by purpose', async () => {
      const rows = fileRows(await open());
      const ids: string[] = [];
      for (const purpose of ['batch', 'batch_output', 'batch', 'batch'])
        ids.push(await rows.add(fileOf({ purpose })));
      await rows.add(fileOf({ user_id: bob }));
      const page = async (more: Partial<Parameters<typeof rows.list>[1]>) =>
        (
          await rows.list(
            { userId: ann },
            { purpose: undefined, isAscending: true, after: undefined, limit: 9, ...more },
          )
        ).map(({ file_id }) => ids.indexOf(file_id));
      const second = await rows.find({ userId: ann }, ids[1] as string);
      expect(await page({})).toEqual([0, 1, 2, 3]);
      expect(await page({ isAscending: false })).toEqual([3, 2, 1, 0]);
      expect(await page({ purpose: 'batch', limit: 2 })).toEqual([0, 2]);
      expect(await page({ after: second })).toEqual([2, 3]);
      expect(await page({ after: second, isAscending: false })).toEqual([0]);
    });

    test('that a batch made are there when it is paid', async () => {
      const store = await open();
      const rows = fileRows(store);
      const { id: task_id } = await taskOf(store);
      const id = await rows.add(fileOf({ task_id }));
      for (const [money, isShown] of [
        ['open', false],
        ['released', false],
        ['settled', true],
      ] as const) {
        await store.db.updateTable('tasks').set({ money }).where('id', '=', task_id).execute();
        expect([(await rows.find({ userId: ann }, id)) !== undefined, await rows.count(ann)]).toEqual([
          isShown,
          1,
        ]);
      }
    });

    test('in a request get the upstream’s ids, all of one channel and of the caller', async () => {
      const store = await open();
      const rows = fileRows(store);
      const [first, second] = [await rows.add(fileOf()), await rows.add(fileOf())];
      const foreign = await rows.add(fileOf({ user_id: bob }));
      const away = await rows.add(fileOf({ channel_id: 32 }));
      const upstream = async (id: string) => (await rows.find({ userId: ann }, id))?.upstream_id ?? '';
      const replaced = (ids: readonly string[], words = '') => {
        const text = JSON.stringify({ words, input: ids.map((file_id) => ({ file_id })) });
        return withUpstreamFiles(
          store,
          { userId: ann },
          { text, value: JSON.parse(text) as Record<string, unknown> },
        );
      };
      const { body, place, own } = await replaced([first, second, first], `"file_id":"${first}"`);
      const ids = [await upstream(first), await upstream(second)];
      expect(body.value).toEqual({
        words: `"file_id":"${first}"`,
        input: [ids[0], ids[1], ids[0]].map((file_id) => ({ file_id })),
      });
      expect([place, [...own].toSorted()]).toEqual([{ channelId: 31, fileId: first }, ids.toSorted()]);
      expect(await codeOf(replaced([first, foreign]))).toEqual(['file_unknown', 'file_id']);
      expect(await codeOf(replaced([first, away]))).toEqual(['file_channel_away', 'file_id']);
      const many = Array.from({ length: 101 }, (_, index) => `file-${String(index).padStart(24, '0')}`);
      expect(await codeOf(replaced(many))).toEqual(['invalid_field', 'file_id']);
      expect(await codeOf(replaced(many.slice(1)))).toEqual(['file_unknown', 'file_id']);
    });
  });

  describe('batches', () => {
    const partsOf = (store: Store, channels: object[] = []) =>
      ({
        rows: taskRows(store),
        core: {
          store,
          catalog: {
            current: { channel: (id: number) => channels.find((each) => 'id' in each && each.id === id) },
          },
        },
      }) as unknown as TaskParts;

    test('are of their owner, their API, and not removed', async () => {
      const store = await open();
      const parts = partsOf(store);
      const { task_id } = await taskOf(store);
      const own = (id: string, userId = ann) => ownBatch(parts, openAiBatches, { userId }, id);
      expect((await own(task_id)).task_id).toBe(task_id);
      const unknown = ['batch_unknown', 'id'];
      expect(await codeOf(own(task_id, bob))).toEqual(unknown);
      for (const id of ['', 'a b', 'x'.repeat(201), `${task_id}x`])
        expect(await codeOf(own(id))).toEqual(unknown);
      const other = await taskOf(store, { platform: 'anthropic-batch' });
      expect(await codeOf(own(other.task_id))).toEqual(unknown);
      const removed = await taskOf(store);
      const foreign = { ...removed, user_id: bob };
      await removeBatch(parts, foreign);
      expect(await codeOf(own(removed.task_id))).toBe('done');
      await removeBatch(parts, removed);
      expect(await codeOf(own(removed.task_id))).toEqual(unknown);
      expect(await codeOf(own(task_id))).toBe('done');
    });

    test('are on a channel that runs them', async () => {
      const store = await open();
      const task = await taskOf(store);
      const channel = (speaks: string[]) => ({ id: 31, provider: { speaks } });
      const find = (channels: object[]) => () => channelOf(partsOf(store, channels), openAiBatches, task);
      expect(await codeOf(find([channel(['openai-batches'])]))).toBe('done');
      expect(await codeOf(find([channel(['openai-chat'])]))).toEqual(['batch_channel_away', undefined]);
      expect(await codeOf(find([]))).toEqual(['batch_channel_away', undefined]);
    });

    test('are listed newest first, one more than the page, after one or before one', async () => {
      const store = await open();
      const tasks: Task[] = [];
      for (let count = 0; count < 5; count += 1) tasks.push(await taskOf(store));
      await taskOf(store, { user_id: bob });
      await taskOf(store, { platform: 'anthropic-batch' });
      await taskOf(store, { task_id: '' });
      await taskOf(store, { removed_at: 1 });
      const list = async (limit: number, after?: number, before?: number) => {
        const at = (index?: number) => (index === undefined ? undefined : tasks[index]);
        const page = { limit, after: at(after), before: at(before) };
        const found = await listBatches(partsOf(store), openAiBatches, { userId: ann }, page);
        return found.map(({ id }) => tasks.findIndex((task) => task.id === id));
      };
      expect(await list(9)).toEqual([4, 3, 2, 1, 0]);
      expect(await list(2)).toEqual([4, 3, 2]);
      expect(await list(9, 3)).toEqual([2, 1, 0]);
      expect(await list(1, undefined, 0)).toEqual([2, 1]);
      expect(await list(9, 4, 1)).toEqual([3, 2]);
    });

    test('are asked for sooner when their caller looks, unless one is being read, failed or paid', async () => {
      const store = await open();
      const now = Math.floor(Date.now() / 1000);
      const next = async (more: Partial<NewRow<'tasks'>>) => {
        const [task, beside] = [await taskOf(store, more), await taskOf(store, more)];
        await pollSoon(partsOf(store), task);
        const at = async ({ id }: Task) => (await taskRows(store).find(id))?.next_poll_at ?? 0;
        expect(await at(beside)).toBe(more.next_poll_at as number);
        return await at(task);
      };
      const isNow = (time: number) => time >= now && time < now + 60;
      expect(isNow(await next({ next_poll_at: now + 500 }))).toBe(true);
      // A node reads the output for longer than that.
      for (const more of [
        { next_poll_at: now + 900 },
        { next_poll_at: now + 500, poll_failures: 1 },
        { next_poll_at: now + 500, money: 'settled' as const },
        { next_poll_at: now - 5 },
      ])
        expect(await next(more)).toBe(more.next_poll_at);
    });

    test('that have ended leave a file of errors to their owner, and are read by one node meanwhile', async () => {
      const store = await open();
      const input = {
        model: 'm',
        path: '/v1/chat/completions',
        requests: 2,
        promptTokens: 4,
        outputTokens: 4,
      };
      const properties = JSON.stringify({ upstream: 'up/1', batch: {}, input });
      const task = await taskOf(store, { properties, next_poll_at: 5, project_id: 6 });
      const now = Math.floor(Date.now() / 1000);
      const asked: string[] = [];
      const answers: Record<string, object> = {
        '/v1/batches/up%2F1': {
          status: 'expired',
          error_file_id: 'up-errors',
          request_counts: { completed: 0 },
        },
        '/v1/files/up-errors': { bytes: 77, created_at: now - 50, expires_at: now + 99 },
      };
      const core = {
        store,
        log: { warn: () => {}, error: () => {} },
        egress: {
          fetch: async (_: string, url: string) => {
            asked.push(url);
            return Response.json(answers[url] ?? {}, { status: url in answers ? 200 : 404 });
          },
        },
      };
      const channel = {
        id: 31,
        headers: {},
        setting: { proxy: '' },
        statusMapping: new Map(),
        provider: { url: (_: unknown, { path }: { path: string }) => path },
      };
      const { signal } = new AbortController();
      const reports = await openAiBatches.reportsOf(core as never, channel as never, [task.task_id], signal);
      expect(asked).toEqual(Object.keys(answers));
      const [file] = await store.db.selectFrom('files').selectAll().execute();
      expect(file).toMatchObject({
        user_id: ann,
        token_id: 1,
        project_id: 6,
        channel_id: 31,
        upstream_id: 'up-errors',
        purpose: 'batch_output',
        filename: `${task.task_id}_error.jsonl`,
        bytes: 77,
        created_at: now - 50,
        expires_at: now + 99,
        task_id: 0,
        model: 'm',
      });
      expect(reports?.get(task.task_id)).toMatchObject({
        files: { errorFile: file?.file_id },
        output: { answered: 0 },
      });
      const { next_poll_at = 0 } = (await taskRows(store).find(task.id)) ?? {};
      expect([next_poll_at >= now + 900, next_poll_at < now + 960]).toEqual([true, true]);
    });

    test('are named by a word in the path', () => {
      const at = (path: string) => idIn(new Request(`http://x/v1/batches/${path}`), '/v1/batches');
      expect([at('batch_1'), at('batch_1/cancel'), at('x'.repeat(200))]).toEqual([
        'batch_1',
        'batch_1',
        'x'.repeat(200),
      ]);
      expect([at('x'.repeat(201)), at('a.b'), at('')]).toEqual(['', '', '']);
    });
  });
});
