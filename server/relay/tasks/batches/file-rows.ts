// The rows of files. The owner is part of every condition: the id of another owner's file finds nothing.
import { randomBytes } from 'node:crypto';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { NewRow, Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { isOwned, type Owner } from '#server/relay/request/owner.ts';

export type StoredFile = Row<'files'>;

/** The column `batch` of a large input has hundreds of kilobytes: a list is read without it. */
const LISTED = ['file_id', 'bytes', 'created_at', 'expires_at', 'filename', 'purpose'] as const;
export type ListedFile = Pick<StoredFile, (typeof LISTED)[number]>;

export interface FilePage {
  readonly purpose: string | undefined;
  readonly isAscending: boolean;
  /** The last file of the page before. */
  readonly after: StoredFile | undefined;
  readonly limit: number;
}

export interface FileRows {
  /** Keeps the row that is there for a file the upstream has named before; resolves with the id that callers know. */
  add(row: Omit<NewRow<'files'>, 'file_id'>): Promise<string>;
  find(owner: Owner, fileId: string): Promise<StoredFile | undefined>;
  list(owner: Owner, page: FilePage): Promise<ListedFile[]>;
  /** Of the whole account. */
  count(userId: number): Promise<number>;
  remove(userId: number, fileId: string): Promise<void>;
}

const newFileId = (): string => `file-${randomBytes(18).toString('base64url').replaceAll(/[-_]/g, 'x')}`;

export function fileRows({ db }: Store): FileRows {
  /** The output of a batch is shown when the batch is paid. */
  const shown = (owner: Owner) =>
    db
      .selectFrom('files')
      .where(isOwned(owner))
      .where((builder) =>
        builder.not(
          builder.exists(
            builder
              .selectFrom('tasks')
              .select('tasks.id')
              .whereRef('tasks.id', '=', 'files.task_id')
              .where('tasks.money', '<>', 'settled'),
          ),
        ),
      );
  return {
    async add(row) {
      const file_id = newFileId();
      const inserted = await db
        .insertInto('files')
        .values({ ...row, file_id })
        .onConflict((conflict) => conflict.columns(['channel_id', 'upstream_id']).doNothing())
        .returning('file_id')
        .executeTakeFirst();
      if (inserted !== undefined) return inserted.file_id;
      const known = await db
        .selectFrom('files')
        .select('file_id')
        .where('channel_id', '=', row.channel_id)
        .where('upstream_id', '=', row.upstream_id)
        .where('user_id', '=', row.user_id)
        .where('project_id', '=', row.project_id ?? 0)
        .executeTakeFirst();
      // The upstream gave the id of another owner's file.
      if (known === undefined) throw new RelayError('upstream_failed');
      return known.file_id;
    },
    find: (owner, fileId) => shown(owner).selectAll().where('file_id', '=', fileId).executeTakeFirst(),
    list(owner, { purpose, isAscending, after, limit }) {
      let query = shown(owner).select(LISTED);
      if (purpose !== undefined) query = query.where('purpose', '=', purpose);
      if (after !== undefined) query = query.where('files.id', isAscending ? '>' : '<', after.id);
      return query
        .orderBy('files.id', isAscending ? 'asc' : 'desc')
        .limit(limit)
        .execute();
    },
    async count(userId) {
      const { count } = await db
        .selectFrom('files')
        .select((builder) => builder.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return count;
    },
    async remove(userId, fileId) {
      await db.deleteFrom('files').where('user_id', '=', userId).where('file_id', '=', fileId).execute();
    },
  };
}
