// Books corrected prices of calls of one user: ledger notes, balance, subscriptions, used totals, tokens, channels, hourly
// figures, sums of margins and log rows, in the caller's transaction. Rows are locked in the order of the batches that charge calls: user, tokens,
// subscriptions.
import { sql, type Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { periodStart } from '#server/money/ledger/engine/periods.ts';
import { planAccount } from '#server/money/ledger/engine/subscriptions.ts';
import {
  RERATE_CREDIT_KIND,
  RERATE_DEBIT_KIND,
  RERATE_SUSPENSE_KIND,
  suspenseNoteIdem,
} from '#server/money/ledger/idempotency.ts';
import type { Account } from '#server/money/ledger/ledger.ts';
import { applyTransfer } from '#server/money/ledger/transfer.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { correctBudgets } from './budgets.ts';
import type { BookedNote, CallCorrection, CorrectionNote, Dialect } from './correction.ts';
import { correctLogs, correctUsage, logsAsExpected } from './figures.ts';
import { correctHolders } from './holders.ts';
import { correctMargins } from './margins.ts';
import { payable, type PlanShortage, type Pockets, type Shares } from './shares.ts';
import { correctTokens } from './tokens.ts';

export const planNoteIdem = (idem: string, subscriptionId: number) => `${idem}:plan:${subscriptionId}`;

/** Undefined: the calls are not as expected, or the user is gone; nothing was written. */
export async function bookCorrections(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  note: CorrectionNote,
): Promise<BookedNote | undefined> {
  const user = await lockUserRow(transaction, dialect, note.userId);
  if (user === undefined) return undefined;
  const tokens = await correctTokens.lock(transaction, dialect, note.calls);
  const plans = await runningPlans(transaction, dialect, note);
  const pockets: Pockets = {
    wallet: Math.max(0, user.quota - user.held_quota),
    plans: new Map([...plans].map(([id, { free }]) => [id, free])),
  };
  const logs = await logsAsExpected(transaction, note);
  if (logs === undefined) return undefined;

  // What a subscription got back has ended with its period: the balance does not pay for it.
  const shortage: PlanShortage = note.isUndo ? 'suspense' : 'wallet';
  const after = payable(
    note.calls.map((call) => {
      const beganAt = plans.get(call.subscriptionId)?.beganAt ?? Number.POSITIVE_INFINITY;
      return { ...call, pocketId: call.createdAt >= beganAt ? call.subscriptionId : 0 };
    }),
    pockets,
    shortage,
  );
  const paid = note.calls.map((call, index) => ({ ...call, after: after[index] as Shares }));
  const sums = await bookNotes(transaction, dialect, note, paid);
  const { calls, changed } = await correctTokens.write(transaction, dialect, tokens, paid);
  await transaction
    .updateTable('users')
    .set({ used_quota: sql<number>`used_quota + ${sums.wallet + sums.plan}` })
    .where('id', '=', note.userId)
    .execute();
  await correctBudgets(transaction, dialect, calls, ({ logId }) => logs.get(logId)?.budgets ?? '');
  await correctUsage(transaction, dialect, note.userId, calls);
  await correctHolders(transaction, dialect, note.userId, calls, logs);
  await correctMargins(transaction, dialect, note.userId, calls);
  await correctLogs(transaction, dialect, note, calls, logs);
  return { ...sums, calls, changedTokens: changed };
}

async function lockUserRow(transaction: Transaction<Schema>, dialect: Dialect, id: number) {
  const query = transaction.selectFrom('users').select(['quota', 'held_quota']).where('id', '=', id);
  return await query.$call(forNoKeyUpdate({ dialect })).executeTakeFirst();
}

interface RunningPlan {
  free: number;
  /** When its period began. */
  beganAt: number;
}

/** The subscriptions of the calls that are in a period. */
async function runningPlans(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  { userId, calls }: CorrectionNote,
): Promise<Map<number, RunningPlan>> {
  const ids = [...new Set(calls.map(({ subscriptionId }) => subscriptionId))].filter((id) => id > 0);
  if (ids.length === 0) return new Map();
  const query = transaction
    .selectFrom('subscriptions')
    .select(['id', 'status', 'started_at', 'interval_unit', 'interval_count', 'period', 'period_ends_at'])
    .select(['quota', 'held'])
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .orderBy('id');
  const rows = await query.$call(forNoKeyUpdate({ dialect })).execute();
  const now = unixSeconds();
  return new Map(
    rows
      .filter(({ status, period_ends_at }) => status === 'active' && period_ends_at > now)
      .map((row) => {
        const { started_at: startedAt, interval_unit: intervalUnit, interval_count: intervalCount } = row;
        const beganAt = periodStart({ startedAt, intervalUnit, intervalCount }, row.period);
        return [row.id, { free: Math.max(0, row.quota - row.held), beganAt }];
      }),
  );
}

type PaidCall = CallCorrection & { after: Shares };

async function bookNotes(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  note: CorrectionNote,
  calls: readonly PaidCall[],
): Promise<Shares> {
  const { userId, idem, day } = note;
  const book = async (key: string, account: Account, amount: number) => {
    if (amount === 0) return;
    const [from, to] = amount > 0 ? [account, 'revenue' as const] : ['revenue' as const, account];
    const kind = amount > 0 ? RERATE_DEBIT_KIND : RERATE_CREDIT_KIND;
    const booked = await applyTransfer(transaction, dialect, {
      idem: key,
      userId,
      amount: Math.abs(amount),
      from,
      to,
      kind: account === 'suspense' ? RERATE_SUSPENSE_KIND : kind,
      // The user reads the day. The other notes name the first one, by which audits find them.
      reference: key === idem ? day : idem,
    });
    if (!booked.ok || booked.duplicate) throw new Error(`the note ${key} could not be booked`);
  };
  const total = (name: keyof Shares) =>
    calls.reduce((sum, { before, after }) => sum + after[name] - before[name], 0);
  const sums: Shares = { wallet: total('wallet'), plan: total('plan'), suspense: total('suspense') };
  await book(idem, 'user', sums.wallet);
  const plans = Map.groupBy(calls, ({ subscriptionId }) => subscriptionId);
  for (const [subscriptionId, paid] of [...plans].toSorted(([one], [other]) => one - other)) {
    const amount = paid.reduce((sum, { before, after }) => sum + after.plan - before.plan, 0);
    await book(planNoteIdem(idem, subscriptionId), planAccount(subscriptionId), amount);
  }
  await book(suspenseNoteIdem(idem), 'suspense', sums.suspense);
  return sums;
}
