// What happens to subscriptions by time: periods end, terms are renewed from the balance, users are notified. Calls do not
// depend on it: a call that comes first ends the period itself. Each step can be repeated, by any node.
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import {
  lockUser,
  noteNotice,
  setRenewPrice,
  type Subscription,
} from '#server/money/ledger/subscriptions.ts';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import { purchaseLog, requireBuyable, sellFromBalance } from './buy.ts';
import { type PlanDependencies } from './dependencies.ts';
import { englishPlanName, followerOf, termsOf } from './read.ts';

const PER_RUN = 500;
const ACTIVE_USER = 1;
/** A renewal is paid in the last day, so that a short stop of the server does not end a subscription. */
const RENEW_SECONDS = DAY_SECONDS;
const NOTICE_SECONDS = 3 * DAY_SECONDS;

export async function advanceSubscriptions(
  dependencies: PlanDependencies,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  /** One subscription that fails must not keep the others from being advanced. */
  const each: Each = async (subscriptions, step) => {
    for (const subscription of subscriptions) {
      if (signal.aborted) return;
      try {
        await step(subscription);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await renewDue(dependencies, each);
  await endPeriods(dependencies, each);
  await noticeEnds(dependencies, each);
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} subscriptions failed`);
}

type Each = <T>(subscriptions: readonly T[], step: (subscription: T) => Promise<unknown>) => Promise<void>;

async function endPeriods({ store, ledger }: PlanDependencies, each: Each): Promise<void> {
  const due = await store.db
    .selectFrom('subscriptions')
    .select('id')
    .where('status', '=', 'active')
    .where('period_ends_at', '<=', unixSeconds())
    .orderBy('period_ends_at')
    .limit(PER_RUN)
    .execute();
  await each(due, ({ id }) => ledger.rollPeriod(id));
}

async function renewDue(dependencies: PlanDependencies, each: Each): Promise<void> {
  const now = unixSeconds();
  const due = await dependencies.store.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', '=', 'active')
    .where('renew_price', '>', 0)
    .where('ends_at', '>', now)
    .where('ends_at', '<=', now + RENEW_SECONDS)
    .orderBy('ends_at')
    .limit(PER_RUN)
    .execute();
  await each(due, (subscription) => renew(dependencies, subscription));
}

/** Without enough balance it is tried again until the end. */
async function renew(dependencies: PlanDependencies, due: Subscription): Promise<void> {
  const { store, ledger } = dependencies;
  const { user_id: userId, plan_id: planId, id } = due;
  await ledger.writeHolds(userId);
  try {
    await store.db.transaction().execute(async (transaction) => {
      await lockUser(dependencies, transaction, userId);
      const { plan, follows } = await requireBuyable(transaction, { userId, planId, renews: id });
      // Read with the user locked: the price that the user agrees to, or none any more.
      const agreed = follows?.renew_price ?? 0;
      if (agreed === 0 || plan.price_quota === 0 || plan.price_quota > agreed)
        throw new AppError('plan_unavailable');
      const { username } = await transaction
        .selectFrom('users')
        .select('username')
        .where('id', '=', userId)
        .where('deleted_at', 'is', null)
        .where('status', '=', ACTIVE_USER)
        .executeTakeFirstOrThrow(() => new AppError('user_unavailable'));
      await sellFromBalance(dependencies, transaction, {
        userId,
        terms: termsOf(plan),
        source: 'balance',
        follows,
        renewPrice: agreed,
        log: purchaseLog(userId, username, plan),
      });
      await setRenewPrice(transaction, id, 0);
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return;
  }
  await store.changes.announce('users', String(userId));
}

async function noticeEnds({ store }: PlanDependencies, each: Each): Promise<void> {
  const now = unixSeconds();
  const ending = await store.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', '=', 'active')
    .where('ending_noticed', '=', 0)
    .where('ends_at', '<=', now + NOTICE_SECONDS)
    // A subscription of a few days would be announced as ending when it is bought.
    .where(sql<boolean>`2 * (ends_at - ${now}) <= ends_at - started_at`)
    .limit(PER_RUN)
    .execute();
  const ended = await store.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', '=', 'ended')
    .where('ended_noticed', '=', 0)
    .limit(PER_RUN)
    .execute();
  await each([...ending, ...ended], (subscription) =>
    store.db.transaction().execute(async (transaction) => {
      const { id, user_id: userId, plan_name: plan, status, ends_at, ended_at } = subscription;
      const event = status === 'ended' ? 'subscription_ended' : 'subscription_ending';
      await noteNotice(transaction, id, event);
      // A renewed one goes on under another number.
      if ((await followerOf(transaction, id)) !== undefined) return;
      // With its time: one that was opened again ends a second time.
      const onceKey = `${event}:${id}:${status === 'ended' ? ended_at : ends_at}`;
      const names = { plan, plan_en: await englishPlanName(transaction, subscription) };
      if (event === 'subscription_ended')
        await raiseNotice(transaction, { event, userId, values: names, onceKey });
      else await raiseNotice(transaction, { event, userId, values: { ...names, ends_at }, onceKey });
    }),
  );
}
