// Divides notices into deliveries: one for each destination of the receiver that wants the event. A notice is taken by one conditional
// update, and its deliveries and mails are written in the same transaction, so it is divided exactly once.
import type { Transaction } from 'kysely';
import type { Settings } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { livingUser, mailReceivers } from './mail-receivers.ts';
import { noticeText } from './texts.ts';
import { readStoredDestinations, wants, type StoredDestination } from './stored-destinations.ts';

/** The queue of mails: `put` returns the id of the mail's row. */
export interface NoticeMailer {
  readonly configured: boolean;
  put(
    db: Transaction<Schema>,
    letter: { recipient: string; subject: string; text: string; expiresAt: number },
  ): Promise<number>;
  wake(): void;
}

export interface DispatchParts {
  store: Store;
  settings: { readonly current: Settings };
  mailer: NoticeMailer;
}

type Notice = Row<'notices'>;

const PER_PASS = 100;
/** Later a mail about it is of no use. */
const MAIL_SECONDS = 2 * 86_400;

/**
 * Divides what was raised, oldest first, until the signal is aborted. A notice that cannot be divided is left for the next run
 * and does not delay the others; the run fails with its error.
 */
export async function dispatchDue(parts: DispatchParts, signal: AbortSignal): Promise<void> {
  const { store, mailer } = parts;
  const faults: unknown[] = [];
  for (let last = 0, isLast = false; !isLast && !signal.aborted;) {
    const due = await store.db
      .selectFrom('notices')
      .select('id')
      .where('dispatched_at', '=', 0)
      .where('id', '>', last)
      .orderBy('id')
      .limit(PER_PASS)
      .execute();
    isLast = due.length < PER_PASS;
    let mails = 0;
    for (const { id } of due) {
      if (signal.aborted) break;
      last = id;
      try {
        mails += await store.db.transaction().execute((transaction) => dispatchOne(parts, transaction, id));
      } catch (error) {
        faults.push(error);
      }
    }
    if (mails > 0) mailer.wake();
  }
  if (faults.length > 0)
    throw new Error(`${faults.length} notices could not be divided`, { cause: faults[0] });
}

/** The number of mails that were queued. */
async function dispatchOne(
  parts: DispatchParts,
  transaction: Transaction<Schema>,
  id: number,
): Promise<number> {
  const notice = await transaction
    .updateTable('notices')
    .set({ dispatched_at: unixSeconds() })
    .where('id', '=', id)
    .where('dispatched_at', '=', 0)
    .returningAll()
    .executeTakeFirst();
  // Another node was first.
  if (notice === undefined) return 0;
  if (notice.user_id > 0 && (await livingUser(transaction, notice.user_id)) === undefined) return 0;
  const destinations = (await readStoredDestinations(transaction, notice.user_id)).filter((destination) =>
    wants(destination, notice.event),
  );
  const others = destinations.filter(({ kind }) => kind !== 'mail');
  if (others.length > 0)
    await transaction
      .insertInto('notice_deliveries')
      .values(others.map((destination) => ({ ...deliveryOf(notice, destination), mail_id: null })))
      .execute();
  const mailDestination = destinations.find(({ kind }) => kind === 'mail');
  return mailDestination === undefined ? 0 : await mailNotice(parts, transaction, notice, mailDestination);
}

/** One delivery for all the mails of the notice; its state is that of the first mail. Returns how many were queued. */
export async function mailNotice(
  { store, settings, mailer }: DispatchParts,
  transaction: Transaction<Schema>,
  notice: Notice,
  destination: StoredDestination,
): Promise<number> {
  if (!mailer.configured) return 0;
  const { recipients, username } = await mailReceivers(store, transaction, notice.user_id, destination);
  if (recipients.length === 0) return 0;
  const { SystemName } = settings.current;
  const { title, text } = noticeText(notice, { settings: settings.current, username });
  const letter = {
    // One line: a name in the title can contain line breaks.
    subject: `${SystemName}：${title.zh} / ${title.en}`.replaceAll(/\s+/g, ' '),
    text: `${text.zh}\n\n${text.en}`,
    expiresAt: notice.created_at + MAIL_SECONDS,
  };
  const ids: number[] = [];
  for (const recipient of recipients) ids.push(await mailer.put(transaction, { ...letter, recipient }));
  await transaction
    .insertInto('notice_deliveries')
    .values({ ...deliveryOf(notice, destination), status: 'mailed', mail_id: ids[0] ?? null })
    .execute();
  return ids.length;
}

export function deliveryOf(notice: Notice, destination: StoredDestination) {
  return {
    created_at: unixSeconds(),
    notice_id: notice.id,
    way_id: destination.id,
    user_id: notice.user_id,
    kind: destination.kind,
    way_name: destination.name,
  };
}
