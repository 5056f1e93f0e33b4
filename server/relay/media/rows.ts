// The rows of kept files: which files of which task are wanted, kept, or over. A task that has rows here is not looked at
// again; one without files has a row with a blank name.
import { sql } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { MediaFile } from './file.ts';
import type { Place } from './storage.ts';

export type Kept = Row<'media'>;

/** A download that a crash ended is claimed again after this time. */
const CLAIM_SECONDS = 4000;
export const MOST_TRIES = 5;

export function mediaRows({ db }: Store) {
  return {
    /** Successful tasks of that time that have no rows yet, oldest first. */
    unseenTasks: (sinceMs: number, most: number): Promise<Row<'tasks'>[]> =>
      db
        .selectFrom('tasks')
        .selectAll()
        .where('status', '=', 'SUCCESS')
        .where('finish_ms', '>=', sinceMs)
        .where((builder) => {
          const seen = builder
            .selectFrom('media')
            .select('media.id')
            .whereRef('media.task_id', '=', 'tasks.id');
          return builder.not(builder.exists(seen));
        })
        .orderBy('finish_ms')
        .limit(most)
        .execute(),
    async want(task: Row<'tasks'>, files: readonly MediaFile[]): Promise<void> {
      const rows = files.map(({ name }) => ({
        task_id: task.id,
        name,
        key: `${task.hold_id}-${name}`,
        state: 'wanted' as const,
      }));
      const none = { task_id: task.id, name: '', key: '', state: 'expired' as const };
      await db
        .insertInto('media')
        .values(rows.length === 0 ? none : rows)
        .onConflict((conflict) => conflict.columns(['task_id', 'name']).doNothing())
        .execute();
    },
    /** The next file to download; it belongs to the caller until the claim is over. */
    async claim(): Promise<Kept | undefined> {
      const now = unixSeconds();
      const due = db
        .selectFrom('media')
        .select('id')
        .where('state', '=', 'wanted')
        .where('next_try_at', '<=', now)
        .orderBy('next_try_at')
        .orderBy('id')
        .limit(1);
      return await db
        .updateTable('media')
        .set({ next_try_at: now + CLAIM_SECONDS, tries: sql`tries + 1` })
        .where('id', 'in', due)
        .where('next_try_at', '<=', now)
        .returningAll()
        .executeTakeFirst();
    },
    /** False when the row was removed meanwhile, with its task. */
    async keep(id: number, facts: { place: Place; type: string; bytes: number }): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('media')
        .set({ ...facts, state: 'kept', kept_at: unixSeconds(), error: '' })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async fail(row: Kept, error: string, isFinal: boolean): Promise<void> {
      await db
        .updateTable('media')
        .set({
          error: error.slice(0, 500),
          state: isFinal || row.tries >= MOST_TRIES ? 'failed' : 'wanted',
          next_try_at: unixSeconds() + 60 * 2 ** row.tries,
        })
        .where('id', '=', row.id)
        .execute();
    },
    /** Storage was the problem, not the file: the try does not count. */
    async postpone(row: Kept, error: string): Promise<void> {
      await db
        .updateTable('media')
        .set({ error: error.slice(0, 500), tries: row.tries - 1, next_try_at: unixSeconds() + 60 })
        .where('id', '=', row.id)
        .execute();
    },
    kept: (taskId: number, name: string): Promise<Kept | undefined> =>
      db
        .selectFrom('media')
        .selectAll()
        .where('task_id', '=', taskId)
        .where('name', '=', name)
        .where('state', '=', 'kept')
        .executeTakeFirst(),
    async totalBytes(): Promise<number> {
      const { total } = await db
        .selectFrom('media')
        .select(({ fn }) => fn.sum<number | string | null>('bytes').as('total'))
        .where('state', '=', 'kept')
        .executeTakeFirstOrThrow();
      return Number(total ?? 0);
    },
    /** Oldest first. */
    keptBefore: (time: number, most: number): Promise<Kept[]> =>
      db
        .selectFrom('media')
        .selectAll()
        .where('state', '=', 'kept')
        .where('kept_at', '<', time)
        .orderBy('kept_at')
        .orderBy('id')
        .limit(most)
        .execute(),
    withoutTask: (most: number): Promise<Kept[]> =>
      db
        .selectFrom('media')
        .selectAll()
        .where((builder) => {
          const task = builder
            .selectFrom('tasks')
            .select('tasks.id')
            .whereRef('tasks.id', '=', 'media.task_id');
          return builder.not(builder.exists(task));
        })
        .orderBy('id')
        .limit(most)
        .execute(),
    async expire(id: number): Promise<void> {
      await db.updateTable('media').set({ state: 'expired', bytes: 0 }).where('id', '=', id).execute();
    },
    async remove(id: number): Promise<void> {
      await db.deleteFrom('media').where('id', '=', id).execute();
    },
    /** Of these names those that are files of the disk. */
    async keptOnDisk(keys: readonly string[]): Promise<Set<string>> {
      if (keys.length === 0) return new Set();
      const rows = await db
        .selectFrom('media')
        .select('key')
        .where('key', 'in', [...keys])
        .where('state', '=', 'kept')
        .where('place', '=', 'disk')
        .execute();
      return new Set(rows.map(({ key }) => key));
    },
  };
}

export type MediaRows = ReturnType<typeof mediaRows>;
