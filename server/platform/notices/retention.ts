// Removes notices whose time is over, and the destinations of deleted accounts. Keys of notices are forgotten with their rows.
import { unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

/** The keys of `raiseNotice` are remembered for so long. */
const KEEP_SECONDS = 90 * 86_400;
/** What the history shows; the mails behind it are kept as long. */
export const HISTORY_SECONDS = 30 * 86_400;

export async function removeOldNotices({ db }: Store): Promise<void> {
  const now = unixSeconds();
  await db
    .deleteFrom('notice_deliveries')
    .where('created_at', '<', now - HISTORY_SECONDS)
    .execute();
  await db
    .deleteFrom('notice_ways')
    .where('user_id', 'in', (query) =>
      query.selectFrom('users').select('id').where('deleted_at', 'is not', null),
    )
    .execute();
  await db
    .deleteFrom('notices')
    .where('created_at', '<', now - KEEP_SECONDS)
    .execute();
}
