// Subscriptions of new-api that are in force, with what is left of them. One that cannot be brought is named with user, plan,
// what is left and its end, so that an administrator can grant a plan for it.
import { PLAN_QUOTA_MAX } from '#contract/money/plan-schedule.ts';
import { openRunningSubscription, type ResetInterval } from '#server/money/ledger/imported-subscriptions.ts';
import { CellError, Fields } from '#server/operating/import-export/source/fields.ts';
import { pagesOf } from '#server/operating/import-export/source/source.ts';
import { amountOf, bringTable, withinCap, type Job } from './job.ts';
import { planTitle, resetOf } from './plans.ts';

const ACTIVE = 'active';
const MILLISECONDS = 1000;
const TABLE = 'user_subscriptions';

interface SourcePlan {
  title: string;
  /** Undefined: it has no place in a plan here. */
  reset: ResetInterval | 'never' | undefined;
}

export async function bringSubscriptions(job: Job): Promise<void> {
  const { source, report, ids, store, importId } = job;
  if ((await source.count(TABLE)) === 0) return;
  const plans = await sourcePlans(job);
  const users = await namesOf(job, 'users', 'username');
  const now = Math.floor(Date.now() / MILLISECONDS);
  // The operator may have granted plans for them since.
  const wasLeftBehind = job.isFinished && Array.from(ids.entries('subscriptions')).length === 0;
  await bringTable(job, 'subscriptions', TABLE, async (fields, sourceId) => {
    const end = fields.seconds('end_time');
    const isOver = fields.isSet('deleted_at') || fields.text('status') !== ACTIVE || (end > 0 && end <= now);
    if (isOver) return report.leave('subscriptions', 'over at the source', `id ${sourceId}`);
    const plan = plans.get(fields.text('plan_id'));
    const user = users.get(fields.text('user_id')) ?? `id ${fields.text('user_id')}`;
    const title = plan?.title ?? `id ${fields.text('plan_id')}`;
    const leave = (reason: string) => {
      report.note(
        `Subscription of user ${user}, plan ${title}: not brought (${reason}), ${leftWords(job, fields)}, ${endWords(end)}${resetWords(fields)}.`,
      );
      return report.leave('subscriptions', reason, `of user ${user}`);
    };
    const userId = ids.find('users', fields.text('user_id'));
    const planId = ids.find('plans', fields.text('plan_id'));
    if (userId === undefined) return leave('its user is not brought');
    if (wasLeftBehind) return leave('an earlier import of this source left subscriptions to the operator');
    if (end === 0) return leave('it has no end');
    const amounts = amountsOf(job, fields);
    if (typeof amounts === 'string') return leave(amounts);
    if (plan === undefined || planId === undefined) return leave('its plan is not brought');
    const nextAt = fields.seconds('next_reset_time');
    const isReset = nextAt > 0 && nextAt < end;
    if (isReset && (plan.reset === undefined || plan.reset === 'never'))
      return leave('its reset has no place in a plan here');
    if (amounts.left === 0 && !isReset) return leave('nothing is left of it');
    noteGroup(job, fields, user);
    report.subscriptions.source += BigInt(amounts.leftThere);
    report.subscriptions.here += BigInt(amounts.left);
    const interval = plan.reset as ResetInterval;
    return async (transaction) =>
      await openRunningSubscription(transaction, store.dialect, {
        importId,
        userId,
        planId,
        planName: title,
        periodQuota: amounts.total,
        left: amounts.left,
        endsAt: end,
        reset: isReset ? { nextAt, interval } : undefined,
      });
  });
}

interface Amounts {
  total: number;
  left: number;
  /** In units of the source. */
  leftThere: number;
}

/** A text says why the subscription cannot be brought. */
function amountsOf(job: Job, fields: Fields): Amounts | string {
  try {
    const leftThere = Math.max(
      0,
      fields.integer('amount_total') - Math.max(0, fields.integer('amount_used')),
    );
    const total = amountOf(job, fields, 'amount_total');
    if (total === 0) return fields.text('amount_total') === '' ? 'it names no amount' : 'it has no limit';
    if (total > PLAN_QUOTA_MAX) return 'amount_total is past the cap';
    return { total, left: withinCap('amount_total', () => job.scale.amount(leftThere)), leftThere };
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    return error.message;
  }
}

/** There a plan moves its subscriber into another group; here the group is the user's own and stays after the end. */
function noteGroup({ report }: Job, fields: Fields, user: string): void {
  const group = fields.text('upgrade_group');
  if (group === '') return;
  const before = fields.text('prev_user_group') || 'default';
  report.note(
    `User ${user} has the group ${group} by a subscription; it is kept after its end. The group before was ${before}.`,
  );
}

function leftWords(job: Job, fields: Fields): string {
  const amounts = amountsOf(job, fields);
  return typeof amounts === 'string' ? amounts : `${amounts.left} of ${amounts.total} units left`;
}

const dayOf = (seconds: number): string => new Date(seconds * MILLISECONDS).toISOString();

const endWords = (end: number): string => (end > 0 ? `ends ${dayOf(end)}` : 'the source names no end');

function resetWords(fields: Fields): string {
  const next = fields.seconds('next_reset_time');
  return next > 0 ? `, full again ${dayOf(next)}` : '';
}

async function sourcePlans({ source }: Job): Promise<Map<string, SourcePlan>> {
  const plans = new Map<string, SourcePlan>();
  for await (const rows of pagesOf(source, 'subscription_plans'))
    for (const row of rows) {
      const fields = new Fields(row);
      const id = fields.text('id');
      plans.set(id, { title: planTitle(fields, id), reset: readReset(fields) });
    }
  return plans;
}

function readReset(fields: Fields): SourcePlan['reset'] {
  try {
    return resetOf(fields);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    return undefined;
  }
}

async function namesOf({ source }: Job, table: string, column: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const rows of pagesOf(source, table))
    for (const row of rows) {
      const fields = new Fields(row);
      names.set(fields.text('id'), fields.text(column));
    }
  return names;
}
