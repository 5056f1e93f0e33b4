// Announcements: shown between two times, to everybody or to signed-in users. The text is cleaned when it is saved.
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handlers } from '#server/admin/context.ts';
import {
  announcementFields,
  endsAfterStart,
  MOST_ANNOUNCEMENTS,
  type Announcement,
  type AnnouncementBody,
  type announcements,
} from '#contract/admin/announcements.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { cleanedMarkdown } from '#server/platform/settings/site-content.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** What a visitor reads. */
export const announcementsForEverybody = ({ db }: Pick<Store, 'db'>): Promise<Announcement[]> =>
  readShownNow(db, ['everybody']);

async function readShownNow(
  db: Store['db'],
  audiences: readonly Announcement['audience'][],
): Promise<Announcement[]> {
  const now = unixSeconds();
  const rows = await db
    .selectFrom('announcements')
    .selectAll()
    .where('from_at', '<=', now)
    .where((where) => where.or([where('until_at', '=', 0), where('until_at', '>', now)]))
    .where('audience', 'in', audiences)
    .orderBy('is_pinned', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_ANNOUNCEMENTS)
    .execute();
  return rows.map(viewOf);
}

export function createAnnouncementHandlers({ store }: { store: Store }): Handlers<typeof announcements> {
  const { db } = store;
  return {
    list: (_, { user }) => readShownNow(db, user === null ? ['everybody'] : ['everybody', 'users']),
    async all() {
      const rows = await db
        .selectFrom('announcements')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(500)
        .execute();
      return rows.map(viewOf);
    },
    async create({ body }, context) {
      return await db.transaction().execute(async (transaction) => {
        const now = unixSeconds();
        const row = await transaction
          .insertInto('announcements')
          .values({ ...columnsOf(body), created_at: now, updated_at: now })
          .returningAll()
          .executeTakeFirstOrThrow();
        await context.audit(transaction, 'announcement.create', targetOf(row), undefined, viewOf(row));
        return viewOf(row);
      });
    },
    async change({ params, body }, context) {
      return await db.transaction().execute(async (transaction) => {
        const before = await lockRow(store, transaction, 'announcements', params.id);
        if (!before) throw new AppError('not_found');
        const present = viewOf(before);
        const save = { fields: announcementFields, body, present, target: targetOf(before) };
        await refuseConflict(transaction, save);
        const { id: _id, created_at: _created, updated_at: _updated, ...current } = present;
        const fields = { ...current, ...editedFields(announcementFields, body) };
        if (!endsAfterStart(fields)) throw invalidField('until_at', 'after_start');
        const row = await transaction
          .updateTable('announcements')
          .set({ ...columnsOf(fields), updated_at: unixSeconds() })
          .where('id', '=', params.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await context.audit(transaction, 'announcement.update', targetOf(row), present, viewOf(row));
        return viewOf(row);
      });
    },
    async remove({ params }, context) {
      await db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('announcements')
          .where('id', '=', params.id)
          .returningAll()
          .executeTakeFirst();
        if (!row) throw new AppError('not_found');
        await context.audit(transaction, 'announcement.delete', targetOf(row), viewOf(row));
      });
      return null;
    },
  };
}

const targetOf = ({ id }: Pick<Row<'announcements'>, 'id'>) => `announcement:${id}` as const;

function columnsOf({ content, content_en, is_pinned, ...rest }: AnnouncementBody) {
  return {
    ...rest,
    content: cleanedMarkdown(content).text,
    content_en: cleanedMarkdown(content_en).text,
    is_pinned: is_pinned ? (1 as const) : (0 as const),
  };
}

function viewOf({ is_pinned, ...row }: Row<'announcements'>): Announcement {
  return { ...row, is_pinned: is_pinned === 1 };
}
