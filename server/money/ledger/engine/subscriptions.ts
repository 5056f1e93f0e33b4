// A subscription is a pocket of quota beside the balance: granted for each period, gone with its end. What calls hold of a
// period stays in the account when the period ends, for these calls only; what they leave over is given back.
import type { HeldPlan, LogRow, PlanChoice } from './operations.ts';
import { periodAt, periodStart } from './periods.ts';
import type { HoldState, Rows, SubscriptionState } from './rows.ts';

/** Grants that create quota, and what is given back, are booked against this account. */
export const PLAN_WORLD = 'world:plan';
export const PLAN_GRANT_KIND = 'plan_grant';
export const PLAN_RETURN_KIND = 'plan_return';
/** Reference of what calls left over after their subscription was ended inside its period: an end that is undone grants it again. */
const ENDED_REFERENCE = 'ended';
/** Reference of the ledger row of the part of a charge that a subscription paid. */
export const PLAN_REFERENCE = 'plan';

export const planAccount = (subscriptionId: number) => `plan:${subscriptionId}` as const;
export const planKey = (requestId: string) => `${requestId}:plan`;
export const planGrantKey = (subscriptionId: number, period: number) =>
  `plan:${subscriptionId}:grant:${period}`;
export const planRestKey = (subscriptionId: number, period: number) =>
  `plan:${subscriptionId}:rest:${period}`;

/** What a call without a subscription has in its hold. */
export const NO_PLAN = { subscriptionId: 0, planAmount: 0, planPeriod: 0, isPlanFirst: false } as const;

export function freeOfSubscription({ quota, held }: SubscriptionState): number {
  return quota - held;
}

/** The subscription, brought to the period of now: the job that does it may be late. */
function currentSubscription(rows: Rows, id: number): SubscriptionState | undefined {
  const subscription = rows.subscription(id);
  if (subscription !== undefined) rollPeriod(rows, subscription);
  return subscription;
}

/** Ends periods that are over: gives their rest back and grants the current one. True: something changed. */
export function rollPeriod(rows: Rows, subscription: SubscriptionState): boolean {
  if (!subscription.isActive || rows.now < subscription.periodEndsAt) return false;
  const { id, period, periodQuota } = subscription;
  giveBack(rows, subscription, planRestKey(id, period), freeOfSubscription(subscription));
  // At least the next period, also when the times in the row are inconsistent: a second grant of a period would collide with
  // the key of the first one.
  const next = Math.max(period + 1, periodAt(subscription, rows.now));
  subscription.dirty = true;
  if (next >= subscription.periods || rows.now >= subscription.endsAt) {
    subscription.isActive = false;
    subscription.endedAt = rows.now;
    return true;
  }
  subscription.period = next;
  subscription.periodEndsAt = Math.min(periodStart(subscription, next + 1), subscription.endsAt);
  subscription.quota += periodQuota;
  rows.book({
    idem: planGrantKey(id, next),
    userId: subscription.userId,
    debit: PLAN_WORLD,
    credit: planAccount(id),
    amount: periodQuota,
    kind: PLAN_GRANT_KIND,
    reference: String(next),
    at: rows.now,
  });
  return true;
}

/** Takes quota that no call may spend out of the account. */
function giveBack(
  rows: Rows,
  subscription: SubscriptionState,
  idem: string,
  amount: number,
  reference = '',
): void {
  if (amount <= 0) return;
  const { id, userId } = subscription;
  subscription.quota -= amount;
  subscription.dirty = true;
  const accounts = { debit: planAccount(id), credit: PLAN_WORLD };
  rows.book({ idem, userId, ...accounts, amount, kind: PLAN_RETURN_KIND, reference, at: rows.now });
}

/** The first subscription that has something for a call of this user. */
export function choosePlan(rows: Rows, userId: number, { ids }: PlanChoice): SubscriptionState | undefined {
  for (const id of ids) {
    const subscription = currentSubscription(rows, id);
    if (subscription === undefined || subscription.userId !== userId || !subscription.isActive) continue;
    if (subscription.period >= 0 && freeOfSubscription(subscription) > 0) return subscription;
  }
  return undefined;
}

/** The subscription of a call that ends or grows. */
export interface PlanPocket {
  subscription: SubscriptionState;
  isPlanFirst: boolean;
  /** The period it was taken from still runs: the call may take more, and what it leaves over is free again. */
  isCurrent: boolean;
  /** Where what the call leaves over of a period that does not run any more is booked. */
  restReference: string;
  /** What the call's hold had of it. */
  reserved: number;
}

export function pocketOf(
  rows: Rows,
  { subscriptionId, planPeriod, isPlanFirst }: HeldPlan,
  reserved: number,
): PlanPocket | undefined {
  if (subscriptionId === 0) return undefined;
  const subscription = currentSubscription(rows, subscriptionId);
  if (subscription === undefined) return undefined;
  const isOfPeriod = subscription.period === planPeriod;
  const isCurrent = subscription.isActive && isOfPeriod;
  const restReference = isOfPeriod ? ENDED_REFERENCE : '';
  return { subscription, isPlanFirst, isCurrent, restReference, reserved };
}

export const pocketOfHold = (rows: Rows, hold: HoldState) => pocketOf(rows, hold, hold.planAmount);

/** What a call may take now, when its own hold counts no more. */
export function availableIn(pocket: PlanPocket | undefined): number {
  if (pocket === undefined) return 0;
  return pocket.isCurrent ? freeOfSubscription(pocket.subscription) : pocket.reserved;
}

/** Takes the charge of a call whose hold has ended; a period that is over keeps nothing of what is left. */
export function takeFromPlan(
  rows: Rows,
  { subscription, isCurrent, restReference, reserved }: PlanPocket,
  requestId: string,
  charged: number,
  at: number,
): void {
  if (charged > 0) {
    const { id, userId } = subscription;
    subscription.quota -= charged;
    subscription.dirty = true;
    const use = { credit: 'revenue', amount: charged, kind: 'use', reference: PLAN_REFERENCE, at };
    rows.book({ idem: planKey(requestId), userId, debit: planAccount(id), ...use });
  }
  if (!isCurrent)
    giveBack(rows, subscription, `${planKey(requestId)}:rest`, reserved - charged, restReference);
}

/** Corrects what recovery took: `difference` more, or less. */
export function correctPlan(
  rows: Rows,
  { subscription, isCurrent, restReference }: PlanPocket,
  { idem, difference, reference, at }: { idem: string; difference: number; reference: string; at: number },
): void {
  if (difference === 0) return;
  const { id, userId } = subscription;
  subscription.quota -= difference;
  subscription.dirty = true;
  const account = planAccount(id);
  const [debit, credit] = difference < 0 ? ['revenue', account] : [account, 'revenue'];
  const kind = difference < 0 ? 'refund' : 'use';
  rows.book({ idem, userId, debit, credit, amount: Math.abs(difference), kind, reference, at });
  if (!isCurrent) giveBack(rows, subscription, `${idem}:rest`, -difference, restReference);
}

/** The log row with the part that a subscription paid. */
export function logWithPlan(row: LogRow, subscriptionId: number, quota: number): LogRow {
  const { plan: _, ...other } = JSON.parse(row.other || '{}') as Record<string, unknown>;
  const plan = quota === 0 ? {} : { plan: { subscription: subscriptionId, quota } };
  return { ...row, other: JSON.stringify({ ...other, ...plan }) };
}
