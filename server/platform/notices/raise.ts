// Raises a notice: one row, written in the transaction of the change that it reports. The job of the notices divides it into
// deliveries later, so the caller's transaction reads no rules and waits for no receiver.
import type {
  NoticeEvent,
  NoticeValues,
  OperatorNoticeEvent,
  UserNoticeEvent,
} from '#contract/admin/notice-events.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Kysely } from 'kysely';

type NoticeOf<E extends NoticeEvent> = {
  event: E;
  values: NoticeValues[E];
  /**
   * A notice with this key is stored once, also by several nodes. Keys are remembered for 90 days, so a key of something
   * that repeats names its time: `subscription_ending:<id>:<end of the period>`.
   */
  onceKey?: string;
};

/** Each user event needs the user's id; an event of the operators has none. */
export type Notice =
  | { [E in UserNoticeEvent]: NoticeOf<E> & { userId: number } }[UserNoticeEvent]
  | { [E in OperatorNoticeEvent]: NoticeOf<E> & { userId?: undefined } }[OperatorNoticeEvent];

/** False: a notice with the same key exists. `db` is the caller's transaction. */
export async function raiseNotice(db: Kysely<Schema>, notice: Notice): Promise<boolean> {
  const stored = await db
    .insertInto('notices')
    .values({
      created_at: unixSeconds(),
      event: notice.event,
      user_id: notice.userId ?? 0,
      details: JSON.stringify(notice.values),
      once_key: notice.onceKey ?? null,
      dispatched_at: 0,
    })
    .onConflict((conflict) => conflict.column('once_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return stored !== undefined;
}
