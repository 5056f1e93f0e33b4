// Notices to the operators of calls that cost more than their holds: what the balance paid, and what was not paid. At most one an
// hour of each, on all nodes together. Errors are logged: no caller waits for it.
import type { Log } from '#contract/context.ts';
import type { OperatorNoticeValues } from '#contract/admin/notice-events.ts';
import type { Store } from '#server/platform/store/store.ts';
import { raiseNotice } from './raise.ts';

export interface HoldExcess {
  outcome: OperatorNoticeValues['hold_exceeded']['outcome'];
  requestId: string;
  userId: number;
  amount: number;
}

export function createHoldExcessNotices(store: Store, log: Log): (excess: HoldExcess) => void {
  /** The hour of the last notice of each outcome: further calls of that hour cost no query. */
  const raisedIn = new Map<HoldExcess['outcome'], string>();
  return ({ outcome, requestId, userId, amount }) => {
    const hour = new Date().toISOString().slice(0, 13);
    if (raisedIn.get(outcome) === hour) return;
    raisedIn.set(outcome, hour);
    const values = { outcome, request_id: requestId, user_id: userId, amount };
    const onceKey = `hold_exceeded:${outcome}:${hour}`;
    raiseNotice(store.db, { event: 'hold_exceeded', values, onceKey }).catch((error: unknown) => {
      raisedIn.delete(outcome);
      log.error('the notice of a call above its hold could not be raised', { request_id: requestId, error });
    });
  };
}
