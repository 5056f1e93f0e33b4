// The daily check-in. The ledger row under `checkin:<user>:<day>` is the record: the user's row is locked before it is
// looked for, so of any number of requests on any number of nodes one books it.
import { randomInt } from 'node:crypto';
import type { Transaction } from 'kysely';
import { callerOf, type Handler, type Handlers } from '#server/admin/context.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { checkIn } from '#contract/money/check-in.ts';
import { AppError } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import { siteDay } from '#contract/site-day.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { Settings } from '#contract/settings.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { checkInIdem, CHECK_IN_KIND } from '#server/money/ledger/idempotency.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface CheckInParts {
  store: Store;
  settings: { readonly current: Settings };
  ledger: Pick<Ledger, 'transferWithin'>;
  /** Refuses unless the human check passes, where it is on. */
  humanCheck: (token: string | undefined, address: string) => Promise<void>;
  /** Unix seconds; tests set it. */
  now?: () => number;
}

export function createCheckInHandlers(parts: CheckInParts): Handlers<typeof checkIn> {
  return { calendar: calendar(parts), claim: claim(parts) };
}

/** Check-in days begin in the zone of the check-in; where that setting is blank, in the site's. */
const zoneOf = ({ CheckInTimeZone, SiteTimeZone }: Settings): string => CheckInTimeZone || SiteTimeZone;

/** Without an address to verify, accounts are cheap to make in numbers. */
function needsEmail({ EmailVerificationEnabled }: Settings, { email }: { email: string }): boolean {
  return EmailVerificationEnabled && email === '';
}

function calendar(parts: CheckInParts): Handler<typeof checkIn.calendar> {
  const { store, settings } = parts;
  return async ({ query }, context) => {
    const { id } = callerOf(context);
    const { CheckInEnabled, CheckInMinQuota, CheckInMaxQuota } = settings.current;
    const time_zone = zoneOf(settings.current);
    const today = siteDay(time_zone, nowSeconds(parts));
    const month = query.month ?? today.slice(0, 7);
    const checkIns = store.db
      .selectFrom('ledger')
      .select(['reference as day', 'amount as quota'])
      .where('user_id', '=', id)
      // The same condition as the index of the ledger's rows by user.
      .where('kind', '<>', 'use')
      .where('kind', '=', CHECK_IN_KIND);
    const [days, done, user] = await Promise.all([
      checkIns
        .where('reference', '>=', `${month}-01`)
        .where('reference', '<=', `${month}-31`)
        .orderBy('reference')
        .execute(),
      checkIns.where('idem', '=', checkInIdem(id, today)).executeTakeFirst(),
      store.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirstOrThrow(),
    ]);
    return {
      enabled: CheckInEnabled,
      time_zone,
      today,
      month,
      days,
      is_done_today: done !== undefined,
      needs_email: needsEmail(settings.current, user),
      min_quota: CheckInMinQuota,
      max_quota: Math.max(CheckInMinQuota, CheckInMaxQuota),
    };
  };
}

function claim(parts: CheckInParts): Handler<typeof checkIn.claim> {
  const { store, settings, humanCheck } = parts;
  return async ({ query }, context) => {
    const { id } = callerOf(context);
    if (!settings.current.CheckInEnabled) throw new AppError('check_in_disabled');
    await humanCheck(query.turnstile, context.address);
    const day = siteDay(zoneOf(settings.current), nowSeconds(parts));
    const quota = await store.db.transaction().execute(async (transaction) => {
      const user = await lockRow(store, transaction, 'users', id);
      // The session may be known longer than a suspension.
      if (user?.status !== USER_STATUS.activated || user.deleted_at !== null)
        throw new AppError('user_unavailable');
      if (needsEmail(settings.current, user)) throw new AppError('check_in_email_required');
      return await book(parts, transaction, user, day);
    });
    return { day, quota };
  };
}

/** `user` is a locked row. */
async function book(
  { ledger, settings }: CheckInParts,
  transaction: Transaction<Schema>,
  { id, username }: { id: number; username: string },
  day: string,
): Promise<number> {
  const idem = checkInIdem(id, day);
  const booked = await transaction
    .selectFrom('ledger')
    .select('id')
    .where('idem', '=', idem)
    .executeTakeFirst();
  if (booked !== undefined) throw new AppError('check_in_done');
  const { CheckInMinQuota, CheckInMaxQuota } = settings.current;
  const quota = randomInt(CheckInMinQuota, Math.max(CheckInMinQuota, CheckInMaxQuota) + 1);
  const result = await ledger.transferWithin(transaction, {
    idem,
    userId: id,
    amount: quota,
    from: 'world:checkin',
    to: 'user',
    kind: CHECK_IN_KIND,
    reference: day,
    log: {
      type: LOG_TYPE.system,
      user_id: id,
      username,
      quota,
      content: factText('checkIn'),
    },
  });
  if (!result.ok) throw new Error(`the check-in of ${day} could not be booked: ${result.reason}`);
  return quota;
}
