// Subscriptions outside of calls: sold, ended before their time, opened again. Every step runs in the caller's transaction,
// with its ledger rows. Calls and the ends of periods change them in server/money/ledger/engine/subscriptions.ts.
import { sql, type Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import { periodAt, periodStart } from './engine/periods.ts';
import {
  planAccount,
  planGrantKey,
  PLAN_GRANT_KIND,
  PLAN_RETURN_KIND,
  PLAN_WORLD,
} from './engine/subscriptions.ts';
import { planPurchaseIdem, PLAN_PURCHASE_KIND } from './idempotency.ts';
import type { Ledger, LogRow, TransferResult } from './ledger.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export type Subscription = Row<'subscriptions'>;

export interface SubscriptionParts {
  store: Pick<Store, 'dialect'>;
  ledger: Pick<Ledger, 'transferWithin'>;
}

/** What a buyer gets, frozen when the order was placed or the balance paid. */
export interface PlanTerms {
  plan_id: number;
  plan_name: string;
  interval_unit: 'day' | 'month';
  interval_count: number;
  duration_unit: 'day' | 'month';
  duration_count: number;
  period_quota: number;
  models: string;
  group: string;
  price_quota: number;
  price_minor: number;
  currency: string;
}

export interface Sale {
  userId: number;
  terms: PlanTerms;
  source: Subscription['source'];
  orderId?: number;
  /** Starts when that subscription ends. */
  follows?: Pick<Subscription, 'id' | 'ends_at'> | undefined;
  /** 0 = the user renews by hand. */
  renewPrice?: number;
  /** The same key again is the same sale. */
  requestKey?: string | null;
  log: LogRow;
}

/** Sold, or not enough balance: then the caller's transaction must be undone. */
export type SaleResult = { ok: true; subscription: Subscription } | Extract<TransferResult, { ok: false }>;

/** Sales and ends of one user wait for each other, and for the batch that charges the user's calls. */
export async function lockUser(
  { store }: Pick<SubscriptionParts, 'store'>,
  transaction: Transaction<Schema>,
  userId: number,
): Promise<void> {
  const query = transaction.selectFrom('users').select('id').where('id', '=', userId);
  await query.$call(forNoKeyUpdate(store)).executeTakeFirst();
}

export async function sellSubscription(
  { ledger }: SubscriptionParts,
  transaction: Transaction<Schema>,
  sale: Sale,
): Promise<SaleResult> {
  const { userId, source, follows, log } = sale;
  const { duration_unit, duration_count, ...terms } = sale.terms;
  const { interval_unit, interval_count, period_quota } = terms;
  const now = unixSeconds();
  const startedAt = follows === undefined ? now : Math.max(now, follows.ends_at);
  const schedule = { startedAt, intervalUnit: interval_unit, intervalCount: interval_count };
  const endsAt = periodStart({ startedAt, intervalUnit: duration_unit, intervalCount: duration_count }, 1);
  const isStarted = startedAt <= now;
  const subscription = await transaction
    .insertInto('subscriptions')
    .values({
      ...terms,
      user_id: userId,
      created_at: now,
      started_at: startedAt,
      ends_at: endsAt,
      // The duration is a whole number of periods: the first one that was not bought begins with the end.
      periods: periodAt(schedule, endsAt),
      period: isStarted ? 0 : -1,
      period_ends_at: periodStart(schedule, isStarted ? 1 : 0),
      source,
      order_id: sale.orderId ?? 0,
      follows_id: follows?.id ?? 0,
      renew_price: sale.renewPrice ?? 0,
      request_key: sale.requestKey ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { id } = subscription;
  const reference = terms.plan_name;
  if (source === 'balance') {
    const paid = await ledger.transferWithin(transaction, {
      idem: planPurchaseIdem(id),
      userId,
      amount: terms.price_quota,
      from: 'user',
      to: PLAN_WORLD,
      kind: PLAN_PURCHASE_KIND,
      reference,
      log,
    });
    if (!paid.ok) return paid;
  }
  if (isStarted) {
    const granted = await ledger.transferWithin(transaction, {
      idem: planGrantKey(id, 0),
      userId,
      amount: period_quota,
      from: PLAN_WORLD,
      to: planAccount(id),
      kind: PLAN_GRANT_KIND,
      reference: '0',
      ...(source === 'balance' ? {} : { log }),
    });
    if (!granted.ok) return granted;
  }
  // Read again: the grant has filled the quota of the row.
  const sold = await transaction
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ok: true, subscription: sold };
}

/** The row, locked after its user's. */
export async function lockSubscription(
  { store }: Pick<SubscriptionParts, 'store'>,
  transaction: Transaction<Schema>,
  id: number,
): Promise<Subscription | undefined> {
  const found = await transaction
    .selectFrom('subscriptions')
    .select('user_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  await lockUser({ store }, transaction, found.user_id);
  const query = transaction.selectFrom('subscriptions').selectAll().where('id', '=', id);
  return await query.$call(forNoKeyUpdate(store)).executeTakeFirstOrThrow();
}

const endKey = (id: number, reason: string) => `plan:${id}:end:${reason}`;

/**
 * Ends a subscription before its time: what no running call holds is given back. The calls that run settle from their own
 * parts. False: it had ended before. `reason` is used once for a subscription.
 */
export async function endSubscription(
  parts: SubscriptionParts,
  transaction: Transaction<Schema>,
  id: number,
  reason: string,
): Promise<boolean> {
  const subscription = await lockSubscription(parts, transaction, id);
  if (subscription === undefined || subscription.status === 'ended') return false;
  const { user_id: userId, quota, held } = subscription;
  if (quota > held) {
    const returned = await parts.ledger.transferWithin(transaction, {
      idem: endKey(id, reason),
      userId,
      amount: quota - held,
      from: planAccount(id),
      to: PLAN_WORLD,
      kind: PLAN_RETURN_KIND,
      reference: reason,
    });
    if (!returned.ok) throw new Error(`subscription ${id} could not be ended: ${returned.reason}`);
  }
  await transaction
    .updateTable('subscriptions')
    .set({ status: 'ended', ended_at: unixSeconds(), end_reason: reason })
    .where('id', '=', id)
    .execute();
  return true;
}

/** Undoes the end for this reason. A period that is over meanwhile is not given again: the next one is granted in its turn. */
export async function reopenSubscription(
  parts: SubscriptionParts,
  transaction: Transaction<Schema>,
  id: number,
  reason: string,
): Promise<boolean> {
  const subscription = await lockSubscription(parts, transaction, id);
  if (subscription === undefined || subscription.status === 'active' || subscription.end_reason !== reason)
    return false;
  await transaction
    .updateTable('subscriptions')
    .set({ status: 'active', ended_at: 0, end_reason: '', ended_noticed: 0 })
    .where('id', '=', id)
    .execute();
  if (subscription.period_ends_at <= unixSeconds()) return true;
  const amount = await sumReturnedByEnds(transaction, subscription);
  if (amount === 0) return true;
  const granted = await parts.ledger.transferWithin(transaction, {
    idem: `${endKey(id, reason)}:undone`,
    userId: subscription.user_id,
    amount,
    from: PLAN_WORLD,
    to: planAccount(id),
    kind: PLAN_GRANT_KIND,
    reference: reason,
  });
  if (!granted.ok) throw new Error(`subscription ${id} could not be opened again: ${granted.reason}`);
  return true;
}

/**
 * What ends took of the current period and nobody granted again: at the end itself, and afterwards from calls that ran then
 * and left something over. Rests of earlier periods have no reference.
 */
async function sumReturnedByEnds(
  transaction: Transaction<Schema>,
  { id, user_id, period }: Subscription,
): Promise<number> {
  const account = planAccount(id);
  const { returned } = await transaction
    .selectFrom('ledger')
    .select(
      sql<number>`coalesce(sum(case kind when ${PLAN_RETURN_KIND} then amount else -amount end), 0)`.as(
        'returned',
      ),
    )
    .where('user_id', '=', user_id)
    // As the index on what is no charge says.
    .where('kind', '<>', 'use')
    .where((entry) =>
      entry.or([
        entry('kind', '=', PLAN_RETURN_KIND).and('debit_account', '=', account).and('reference', '<>', ''),
        entry('kind', '=', PLAN_GRANT_KIND).and('credit_account', '=', account),
      ]),
    )
    .where('id', '>', (grant) =>
      grant.selectFrom('ledger').select('id').where('idem', '=', planGrantKey(id, period)),
    )
    .executeTakeFirstOrThrow();
  return returned;
}

/** What the balance pays at most for another term; 0 = the user renews by hand. */
export async function setRenewPrice(
  transaction: Transaction<Schema>,
  id: number,
  renewPrice: number,
): Promise<void> {
  await transaction
    .updateTable('subscriptions')
    .set({ renew_price: renewPrice })
    .where('id', '=', id)
    .execute();
}

export async function setWalletFirst(
  transaction: Transaction<Schema>,
  userId: number,
  isWalletFirst: boolean,
): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ wallet_first: isWalletFirst ? 1 : 0 })
    .where('id', '=', userId)
    .execute();
}

export async function noteNotice(
  transaction: Transaction<Schema>,
  id: number,
  event: 'subscription_ending' | 'subscription_ended',
): Promise<void> {
  await transaction
    .updateTable('subscriptions')
    .set(event === 'subscription_ended' ? { ended_noticed: 1 } : { ending_noticed: 1 })
    .where('id', '=', id)
    .execute();
}
