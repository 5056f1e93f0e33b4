// Subscriptions of new-api are not brought: their resets and groups follow other rules than plans here. The report names each
// one that is in force with user, plan, what is left and the end, so that an administrator can grant a plan for it.
import { CellError, Fields } from '#server/operating/import-export/source/fields.ts';
import { pagesOf } from '#server/operating/import-export/source/source.ts';
import { amountOf, type Job } from './job.ts';

const ACTIVE = 'active';
const MILLISECONDS = 1000;

export async function reportSubscriptions(job: Job): Promise<void> {
  const { source, report } = job;
  if ((await source.count('user_subscriptions')) === 0) return;
  const plans = await namesOf(job, 'subscription_plans', 'title');
  const users = await namesOf(job, 'users', 'username');
  const now = Math.floor(Date.now() / MILLISECONDS);
  for await (const rows of pagesOf(source, 'user_subscriptions'))
    for (const row of rows) {
      const fields = new Fields(row);
      const end = fields.seconds('end_time');
      if (fields.isSet('deleted_at') || fields.text('status') !== ACTIVE || (end > 0 && end <= now)) continue;
      const user = users.get(fields.text('user_id')) ?? `id ${fields.text('user_id')}`;
      const plan = plans.get(fields.text('plan_id')) ?? `id ${fields.text('plan_id')}`;
      report.note(
        `Subscription of user ${user}, plan ${plan}: not brought, ${leftOf(job, fields)}, ${endOf(end)}${resetOf(fields)}.`,
      );
    }
  report.note(
    'What is left of subscriptions is not part of the balances: make the plans here and grant them, or top the users up.',
  );
}

/** A total of 0 has no limit there. */
function leftOf(job: Job, fields: Fields): string {
  try {
    const total = amountOf(job, fields, 'amount_total');
    if (total === 0) return fields.text('amount_total') === '' ? 'the source names no amount' : 'unlimited';
    return `${Math.max(0, total - amountOf(job, fields, 'amount_used'))} of ${total} units left`;
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    return error.message;
  }
}

const dayOf = (seconds: number): string => new Date(seconds * MILLISECONDS).toISOString();

const endOf = (end: number): string => (end > 0 ? `ends ${dayOf(end)}` : 'the source names no end');

function resetOf(fields: Fields): string {
  const next = fields.seconds('next_reset_time');
  return next > 0 ? `, full again ${dayOf(next)}` : '';
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
