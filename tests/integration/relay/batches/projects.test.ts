// Files and tasks of an organization's keys: those of a project are reached by its keys alone, and by the key that began them.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { isOwned, type Owner } from '#server/relay/request/owner.ts';
import { fileRows } from '#server/relay/tasks/batches/file-rows.ts';
import { taskRows } from '#server/relay/tasks/rows.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const [ACME, BETA, ANN] = [11, 12, 13];
const [SEARCH, HIRING] = [21, 22];

forEachDatabase((_label, open) =>
  describe('files and tasks of projects', () => {
    const key = (userId: number, projectId: number, tokenId: number): Owner => ({
      userId,
      tokenId,
      organization: { projectId },
    });
    const file = (upstream_id: string, more: object = {}) => ({
      user_id: ACME,
      token_id: 1,
      project_id: SEARCH,
      channel_id: 31,
      upstream_id,
      purpose: 'batch',
      filename: 'in.jsonl',
      created_at: 1,
      ...more,
    });
    const page = { purpose: undefined, isAscending: true, after: undefined, limit: 9 };

    test('a file is found, listed and named by the keys of its project, by its own key, and by nobody else', async () => {
      const rows = fileRows(await open());
      const search = await rows.add(file('a'));
      const hiring = await rows.add(file('b', { project_id: HIRING, token_id: 2 }));
      const own = await rows.add(file('c', { user_id: ANN, project_id: 0, token_id: 5 }));
      const reached = async (owner: Owner) => {
        const listed = (await rows.list(owner, page)).map(({ file_id }) => file_id);
        const found: string[] = [];
        for (const id of [search, hiring, own]) if (await rows.find(owner, id)) found.push(id);
        expect(found).toEqual(listed);
        return listed;
      };
      expect(await reached(key(ACME, SEARCH, 3))).toEqual([search]);
      expect(await reached(key(ACME, HIRING, 4))).toEqual([hiring]);
      // Moved to the other project after the upload.
      expect(await reached(key(ACME, HIRING, 1))).toEqual([search, hiring]);
      // Another organization, even with a project of the same number; and a person.
      expect(await reached(key(BETA, SEARCH, 1))).toEqual([]);
      expect(await reached({ userId: ANN, tokenId: 99 })).toEqual([own]);
      expect(await reached({ userId: ANN })).toEqual([own]);
    });

    test('a file that the upstream has for another project is not given to this one', async () => {
      const rows = fileRows(await open());
      const id = await rows.add(file('same'));
      expect(await rows.add(file('same', { token_id: 9 }))).toBe(id);
      const taken = rows.add(file('same', { project_id: HIRING }));
      expect(await taken.catch((error: unknown) => (error as RelayError).code)).toBe('upstream_failed');
    });

    test('a task likewise', async () => {
      const store = await open();
      const rows = taskRows(store);
      const task = (task_id: string, more: object) =>
        rows.insert({
          hold_id: `hold-${task_id}`,
          platform: 'video',
          action: 'x',
          model: 'm',
          user_id: ACME,
          username: 'acme',
          token_id: 1,
          project_id: SEARCH,
          group: 'default',
          channel_id: 1,
          task_id,
          submit_ms: 1,
          deadline_at: 1,
          next_poll_at: 1,
          ...more,
        });
      await task('one', {});
      await task('two', { project_id: HIRING, token_id: 2 });
      const names = async (owner: Owner) =>
        (await rows.named('video', ['one', 'two'], owner)).map(({ task_id }) => task_id).toSorted();
      expect(await names(key(ACME, SEARCH, 3))).toEqual(['one']);
      expect(await names(key(ACME, HIRING, 3))).toEqual(['two']);
      expect(await names(key(ACME, HIRING, 1))).toEqual(['one', 'two']);
      expect(await names(key(BETA, SEARCH, 1))).toEqual([]);
      // The whole account, for what must not be paid for twice.
      expect(await names({ userId: ACME })).toEqual(['one', 'two']);
      const count = await store.db
        .selectFrom('tasks')
        .select('id')
        .where(isOwned({ userId: ANN }))
        .execute();
      expect(count).toEqual([]);
    });
  }),
);
