// The settlement of a call that recovery has charged before: the process lived, but its hold was resolved without it. Only
// the difference moves, under a key that works once; request counts stay, and log row and figures are corrected in place.
import { SUSPENSE_KIND } from '#server/money/ledger/idempotency.ts';
import { correctAboveHold } from './above-hold.ts';
import { chargeToken, chargeUser } from './accounts.ts';
import { spendOfCounters } from './budgets.ts';
import { countHolders, taken } from './holders.ts';
import { marginOf, marginTakenBack } from './margins.ts';
import { settlementOf, unknownSettlement } from './operations.ts';
import type { HoldOwner, Release, Settle, SettleResult } from './operations.ts';
import { freeOfUser } from './reserve.ts';
import type { BookedEntry, LogEntry, Rows } from './rows.ts';
import { split } from './split.ts';
import { correctPlan, freeOfSubscription, logWithPlan, planKey, pocketOf } from './subscriptions.ts';

/** Reference of the ledger row of a call that recovery charged: a late settlement may correct it, once. */
export const RECOVERED_REFERENCE = 'recovered';
/** Reference of the row of that correction: its amount is part of the quota in the call's log row. */
export const LATE_REFERENCE = 'late';

export const lateKey = (requestId: string) => `${requestId}:late`;
export const suspenseKey = (idem: string) => `${idem}:suspense`;

/** Of a call, in the hourly figures. */
export const NOTHING = {
  count: 0,
  quota: 0,
  promptTokens: 0,
  completionTokens: 0,
  errorCount: 0,
  useTimeMs: 0,
  firstTokenMs: 0,
};

/** Of one call, in the sums of its hour. */
export const figuresOf = (operation: Settle, charged: number): typeof NOTHING => ({
  count: 1,
  quota: charged,
  promptTokens: operation.promptTokens,
  completionTokens: operation.completionTokens,
  errorCount: operation.errorCount,
  useTimeMs: operation.useTimeMs,
  firstTokenMs: operation.firstTokenMs,
});

/** What a call that was settled before has paid. */
export function settledBefore(rows: Rows, requestId: string, record: BookedEntry | undefined): SettleResult {
  const others = [planKey(requestId), lateKey(requestId), planKey(lateKey(requestId))];
  const amounts = others.map((idem) => signedAmount(rows.booked(idem)));
  const charged = amounts.reduce((sum, amount) => sum + amount, record?.amount ?? 0);
  return unknownSettlement(charged, true);
}

function signedAmount(entry: BookedEntry | undefined): number {
  if (entry === undefined) return 0;
  return entry.kind === 'refund' ? -entry.amount : entry.amount;
}

export function settleLate(
  rows: Rows,
  operation: Settle,
  { userId, tokenId, plan, budgets = '' }: HoldOwner,
  record: BookedEntry,
): SettleResult {
  const { requestId, charge: asked, memoryHeld } = operation;
  const idem = lateKey(requestId);
  if (record.reference !== RECOVERED_REFERENCE || rows.booked(idem) !== undefined)
    return settledBefore(rows, requestId, record);
  const at = operation.at === 0 ? rows.now : operation.at;
  const user = rows.user(userId);
  const free = user === undefined ? 0 : Math.max(0, freeOfUser(user, memoryHeld));
  const pocket = plan === undefined ? undefined : pocketOf(rows, plan, 0);
  const planBefore = pocket === undefined ? 0 : (rows.booked(planKey(requestId))?.amount ?? 0);
  // Both pockets get back what recovery took, and pay as they would have paid then.
  const parts = split(asked, {
    plan: planBefore + (pocket?.isCurrent === true ? freeOfSubscription(pocket.subscription) : 0),
    wallet: record.amount + free,
    isPlanFirst: plan?.isPlanFirst === true,
  });
  const charged = user === undefined ? record.amount + planBefore : parts.plan + parts.wallet;
  const wallet = user === undefined ? 0 : parts.wallet - record.amount;
  const difference = charged - record.amount - planBefore;
  if (user !== undefined) chargeUser(rows, user, { wallet, total: difference }, at);
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  const tokenStatus = token === undefined ? 0 : chargeToken(token, difference, at);
  // In the window of the log row, which keeps its time.
  spendOfCounters(rows, budgets, difference, record.at);

  const account = `user:${userId}`;
  const [debit, credit] = wallet < 0 ? ['revenue', account] : [account, 'revenue'];
  const kind = wallet < 0 ? 'refund' : 'use';
  const amount = Math.abs(wallet);
  rows.book({ idem, userId, debit, credit, amount, kind, reference: LATE_REFERENCE, at });
  if (pocket !== undefined && user !== undefined) {
    const correction = {
      idem: planKey(idem),
      difference: parts.plan - planBefore,
      reference: LATE_REFERENCE,
      at,
    };
    correctPlan(rows, pocket, correction);
  }
  const suspense = correctSuspense(rows, operation, { userId, missing: Math.max(0, asked - charged), at });
  const note = { idem, requestId, userId, at };
  const aboveHold = correctAboveHold(rows, note, charged, operation.held);

  const logged = rows.callLog(requestId);
  countCorrection(rows, operation, { userId, tokenId }, { at: record.at, charged, difference, logged });
  if (logged !== undefined) {
    const row = { ...(operation.log ?? correctedRow(logged, operation)), budgets };
    const corrected = pocket === undefined ? row : logWithPlan(row, pocket.subscription.id, parts.plan);
    rows.correctLog({
      at: logged.at,
      requestId,
      quota: charged,
      cost: operation.cost ?? null,
      row: corrected,
    });
  }
  const balance = user === undefined ? -1 : freeOfUser(user, memoryHeld);
  return { charged, balance, suspense, aboveHold, duplicate: false, hadHold: false, tokenStatus };
}

/** A call that recovery charged has failed before any output: it gets everything back. */
export function releaseLate(rows: Rows, { requestId, at, failure, owner }: Release): void {
  const record = owner === undefined ? undefined : rows.booked(requestId);
  if (owner === undefined || record === undefined) return;
  const { channelId = 0, modelName = '', useTimeMs = 0 } = failure ?? {};
  const operation = { ...settlementOf(requestId, owner), at, channelId, modelName, useTimeMs };
  settleLate(rows, operation, owner, record);
}

/** Returns what was added to suspense. */
function correctSuspense(
  rows: Rows,
  { requestId }: Settle,
  { userId, missing, at }: { userId: number; missing: number; at: number },
): number {
  const more = missing - (rows.booked(suspenseKey(requestId))?.amount ?? 0);
  if (more === 0) return 0;
  const [debit, credit] = more < 0 ? ['revenue', 'suspense'] : ['suspense', 'revenue'];
  const idem = suspenseKey(lateKey(requestId));
  const entry = { userId, amount: Math.abs(more), kind: SUSPENSE_KIND, reference: requestId, at };
  rows.book({ idem, debit, credit, ...entry });
  return Math.max(0, more);
}

interface Correction {
  /** The time of the first record: the figures of a call stay in one hour. */
  at: number;
  charged: number;
  difference: number;
  logged: LogEntry | undefined;
}

/** Replaces what recovery counted. Without its log row that is not known, and only the difference is counted. */
function countCorrection(
  rows: Rows,
  operation: Settle,
  { userId, tokenId }: HoldOwner,
  { at, charged, difference, logged }: Correction,
): void {
  const { channelId, modelName } = operation;
  const subject = { at, userId, tokenId };
  if (logged === undefined) {
    rows.countUsage({ ...subject, channelId, modelName, ...NOTHING, quota: difference });
    const counted = { ...subject, modelName };
    countHolders(rows, operation.log, counted, { ...NOTHING, quota: difference });
    const charged = { userId, at, charged: difference };
    rows.countMargin({ ...marginOf({ ...operation, cost: null }, charged), count: 0 });
    if (channelId > 0) rows.countChannel(channelId, difference);
    return;
  }
  const { channel_id = 0, model_name = '', prompt_tokens = 0, completion_tokens = 0 } = logged.row;
  rows.countUsage({
    ...subject,
    channelId: channel_id,
    modelName: model_name,
    ...NOTHING,
    count: -1,
    quota: -logged.quota,
    promptTokens: -prompt_tokens,
    completionTokens: -completion_tokens,
    errorCount: -1,
  });
  const counted = figuresOf(operation, charged);
  rows.countUsage({ ...subject, channelId, modelName, ...counted });
  const before = {
    ...NOTHING,
    count: 1,
    quota: logged.quota,
    promptTokens: prompt_tokens,
    completionTokens: completion_tokens,
    errorCount: 1,
  };
  countHolders(rows, logged.row, { ...subject, modelName: model_name }, taken(before));
  countHolders(rows, operation.log ?? logged.row, { ...subject, modelName }, counted);
  rows.countMargin(marginTakenBack(logged, userId, at));
  // In the group of the log row, from which the sums can be counted again.
  const group = operation.log?.group ?? logged.row.group ?? '';
  rows.countMargin(marginOf({ ...operation, group }, { userId, at, charged }));
  if (channel_id > 0) rows.countChannel(channel_id, -logged.quota);
  if (channelId > 0) rows.countChannel(channelId, charged);
}

/** Without a row of the settlement, the row that recovery wrote gets its figures. */
function correctedRow({ row }: LogEntry, operation: Settle): LogEntry['row'] {
  const { channelId, modelName, promptTokens, completionTokens, useTimeMs } = operation;
  return {
    ...row,
    channel_id: channelId,
    model_name: modelName,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    use_time: Math.round(useTimeMs / 1000),
    content: '',
  };
}
