// The rows of tasks. Nodes agree through two conditional updates: which node polls a task (the claim), and its final status
// (the first one wins).
import { sql, type Transaction } from 'kysely';
import type { NewRow, Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { isOwned, type Owner } from '#server/relay/request/owner.ts';

export type Task = Row<'tasks'>;
export type TaskChange = RowChange<'tasks'>;

const ENDED = ['SUCCESS', 'FAILURE'];
const CLAIM_LIMIT = 500;

export interface TaskRows {
  insert(row: NewRow<'tasks'>): Promise<Task>;
  /** For a submission that was refused before anything was sent. */
  remove(id: number): Promise<void>;
  /** False when the task has a final status; nothing is changed then. */
  change(id: number, change: TaskChange): Promise<boolean>;
  /** Writes the final status; false when the task has one already. */
  end(id: number, change: TaskChange & { status: 'SUCCESS' | 'FAILURE' }): Promise<boolean>;
  /** The hold was ended, and what the task cost; 'released' leaves the estimate in the row. */
  noteMoney(id: number, end: { money: 'settled' | 'released'; quota: number }): Promise<void>;
  find(id: number): Promise<Task | undefined>;
  /** The owner's tasks with these upstream ids, newest first. */
  named(platform: string, taskIds: readonly string[], owner: Owner): Promise<Task[]>;
  /** Tasks of every user, for image URLs, which contain a proof. */
  anyNamed(platform: string, taskId: string): Promise<Task[]>;
  /** Due tasks; each goes to one node. After `seconds` they are due again, unless that node has written another time. */
  claim(now: number, seconds: number): Promise<Task[]>;
  /** When claimed tasks that go on are due again. */
  schedule(ids: readonly number[], next: Pick<Task, 'next_poll_at' | 'poll_failures'>): Promise<void>;
  /** Submitted before then, and over: neither they nor their money move any more. */
  countEnded(beforeMs: number): Promise<number>;
  /** The oldest of those; how many went. */
  removeEnded(transaction: Transaction<Schema>, beforeMs: number, most: number): Promise<number>;
}

export function taskRows({ db }: Store): TaskRows {
  const change = async (id: number, values: TaskChange): Promise<boolean> => {
    const result = await db
      .updateTable('tasks')
      .set(values)
      .where('id', '=', id)
      .where('status', 'not in', ENDED)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  };
  return {
    insert: (row) => db.insertInto('tasks').values(row).returningAll().executeTakeFirstOrThrow(),
    async remove(id) {
      await db.deleteFrom('tasks').where('id', '=', id).execute();
    },
    change,
    end: change,
    async noteMoney(id, end) {
      await db.updateTable('tasks').set(end).where('id', '=', id).where('money', '=', 'open').execute();
    },
    find: (id) => db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst(),
    named: async (platform, taskIds, owner) => {
      const ids = taskIds.filter(isStorable);
      if (ids.length === 0) return [];
      return await db
        .selectFrom('tasks')
        .selectAll()
        .where('task_id', 'in', ids)
        .where('platform', '=', platform)
        .where(isOwned(owner))
        .orderBy('id', 'desc')
        .execute();
    },
    anyNamed: async (platform, taskId) =>
      isStorable(taskId)
        ? await db
            .selectFrom('tasks')
            .selectAll()
            .where('task_id', '=', taskId)
            .where('platform', '=', platform)
            .orderBy('id', 'desc')
            .limit(20)
            .execute()
        : [],
    async claim(now, seconds) {
      const due = await db
        .selectFrom('tasks')
        .select('id')
        .where('money', '=', 'open')
        .where('next_poll_at', '<=', now)
        .orderBy('next_poll_at')
        .limit(CLAIM_LIMIT)
        .execute();
      if (due.length === 0) return [];
      // The update repeats the condition: of two nodes that read the same row only one changes it.
      return await db
        .updateTable('tasks')
        .set({ next_poll_at: sql`${now + seconds}` })
        .where(
          'id',
          'in',
          due.map(({ id }) => id),
        )
        .where('money', '=', 'open')
        .where('next_poll_at', '<=', now)
        .returningAll()
        .execute();
    },
    async schedule(ids, next) {
      await db
        .updateTable('tasks')
        .set(next)
        .where('id', 'in', [...ids])
        .where('money', '=', 'open')
        .execute();
    },
    async countEnded(beforeMs) {
      const { count } = await endedBefore(db, beforeMs)
        .select((builder) => builder.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    async removeEnded(transaction, beforeMs, most) {
      const oldest = endedBefore(transaction, beforeMs)
        .select('id')
        .orderBy('submit_ms')
        .orderBy('id')
        .limit(most);
      const { numDeletedRows } = await transaction
        .deleteFrom('tasks')
        .where('id', 'in', oldest)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/** PostgreSQL refuses a comparison with NUL; no row has it. */
const isStorable = (id: string): boolean => !id.includes('\0');

const endedBefore = (db: Store['db'], beforeMs: number) =>
  db
    .selectFrom('tasks')
    .where('submit_ms', '<', beforeMs)
    .where('status', 'in', ENDED)
    .where('money', '<>', 'open');
