// The money of a task: held on submission, settled once on success, released on failure. The hold is in the database from
// the start and belongs to no node. The task's final status is written before the hold ends, so any node can repeat the
// step with the same result.
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { cacheSavingOf } from '#server/money/prices/cache-saving.ts';
import { cappedChargeOf, chargeOf, largestChargeOf } from '#server/money/prices/charge.ts';
import { AmountError, LedgerUnavailableError, type PlanChoice } from '#server/money/ledger/ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import { withFees } from '#server/money/prices/tiers.ts';
import { completionTokens, promptTokens, usageOf, type Usage } from '#server/money/prices/usage.ts';
import { refusingBudget, resolvePrice } from '#server/relay/money/admission.ts';
import { refusalError } from '#server/relay/money/refusal-error.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { baseRow, consumeRow, errorRow, type CallRecord } from '#server/relay/money/log-row.ts';
import type { Platform } from './platform.ts';
import type { Task, TaskRows } from './rows.ts';

/** Far beyond every task deadline, so that the task ends its hold before the hold expires. */
const HOLD_SECONDS = 7 * 86_400;

const onePiece = usageOf({ pieces: 1 });

export interface TaskPrice {
  price: PriceSnapshot;
  charge: number;
}

/** Without an estimate of tokens only a fixed price is possible. */
export function taskPrice(
  core: Core,
  model: string,
  group: string,
  moment: Moment,
  estimate?: Usage,
): TaskPrice {
  const price = resolvePrice(core, model, group, moment);
  if (price.kind !== 'price' && estimate === undefined) throw new RelayError('no_price', { model });
  try {
    const usage = withFees(price, estimate ?? onePiece);
    // Refuses an amount past the cap.
    chargeOf(price, usage);
    return { price, charge: largestChargeOf(price, usage) };
  } catch (error) {
    if (error instanceof AmountError) throw new RelayError('no_price', { model });
    throw error;
  }
}

/** Kept in the task's row, so that any node can write the log row. */
export function snapshotText(record: CallRecord, price: PriceSnapshot): string {
  return JSON.stringify({ record, price });
}

function readSnapshot(task: Task): { record: CallRecord; price: PriceSnapshot } {
  const { record, price } = JSON.parse(task.snapshot) as { record: CallRecord; price: PriceSnapshot };
  const caller: Caller = {
    ...record.caller,
    models: undefined,
    channelId: undefined,
    rateLimitMessage: '',
  };
  return { record: { ...record, caller, channelId: task.channel_id }, price };
}

interface TaskHold {
  record: CallRecord;
  price: TaskPrice;
  /** Subscriptions that may pay a part. */
  plans: PlanChoice | undefined;
  /** The counters of the budgets that apply. */
  budgets: string;
}

export async function holdForTask(
  core: Core,
  holdId: string,
  { record, price: { price, charge }, plans, budgets }: TaskHold,
): Promise<void> {
  const { caller } = record;
  try {
    // Not `reserve`: any node may end the task, by its id, and it is not one of this node's running calls.
    const admission = await core.ledger.open({
      requestId: holdId,
      userId: caller.userId,
      tokenId: caller.tokenId,
      amount: charge,
      limits: { tokens: 0 },
      snapshot: { price, log: () => baseRow(record) },
      expiresAt: Math.ceil(Date.now() / 1000) + HOLD_SECONDS,
      lifetime: 'task',
      plans,
      budgets,
    });
    if (!admission.ok)
      throw refusalError(admission, caller, {
        price,
        needed: charge,
        zone: core.settings.current.SiteTimeZone,
        budget: await refusingBudget(core, caller, admission),
      });
  } catch (error) {
    if (error instanceof LedgerUnavailableError)
      throw new RelayError('unavailable', {}, { retryAfterSeconds: 1 });
    throw error;
  }
}

/** Settles or releases the hold of a finished task and marks it. Idempotent. */
export async function endHold(core: Core, rows: TaskRows, platform: Platform, id: number): Promise<void> {
  const found = await rows.find(id);
  if (found === undefined || found.money !== 'open' || !isFinished(found.status)) return;
  const usage = usedBy(platform, found);
  const task = { ...found, task_id: platform.callerId?.(found) ?? found.task_id };
  if (usage === undefined) {
    await release(core, task);
    await rows.noteMoney(id, { money: 'released', quota: task.quota });
  } else {
    const estimated = platform.isEstimated?.(task) ?? false;
    const used = { usage, estimated, doubts: platform.doubtsOf?.(task) ?? [] };
    await rows.noteMoney(id, { money: 'settled', quota: await settle(core, task, used) });
  }
}

function usedBy(platform: Platform, task: Task): Usage | undefined {
  if (platform.usageOf !== undefined) return platform.usageOf(task);
  return task.status === 'SUCCESS' ? onePiece : undefined;
}

const elapsed = (task: Task): number => Math.max(0, task.finish_ms - task.submit_ms);

interface Used {
  readonly usage: Usage;
  readonly estimated: boolean;
  readonly doubts: readonly UsageDoubt[];
}

/** Resolves with the charge. */
async function settle(core: Core, task: Task, { usage: used, estimated, doubts }: Used): Promise<number> {
  const { ledger, settings, log } = core;
  const { record, price } = readSnapshot(task);
  const usage = withFees(price, used);
  const charge = cappedChargeOf(price, usage);
  const costOf = (counted: Usage) => core.costs.costOf(record, counted, price.batchRatio !== undefined);
  const cost = costOf(usage);
  const row = consumeRow(record, {
    usage,
    price,
    estimated,
    useTimeMilliseconds: elapsed(task),
    firstTokenMilliseconds: undefined,
    ending: '',
    doubts,
    cacheSaving: cacheSavingOf({ price, usage, charge, cost }, costOf),
  });
  watch(core, task, { record, usage, charge });
  core.usageAlerts.doubted(task.hold_id, record, doubts);
  const settlement = await ledger.settle(task.hold_id, {
    charge,
    cost,
    group: record.caller.group,
    channelId: task.channel_id,
    modelName: task.model,
    promptTokens: promptTokens(usage),
    completionTokens: completionTokens(usage),
    useTimeMs: elapsed(task),
    firstTokenMs: 0,
    log: settings.current.LogConsumeEnabled ? { ...row, other: withTask(row.other, task) } : null,
  });
  if (settlement.suspense > 0) log.error('a task was not paid in full', { task: task.id });
  await announceIfExhausted(core, task.token_id);
  return charge;
}

/** The ledger announces exhausted tokens only for calls of its own node; a task may end on another. */
async function announceIfExhausted({ store }: Core, tokenId: number): Promise<void> {
  const token = await store.db
    .selectFrom('tokens')
    .select('status')
    .where('id', '=', tokenId)
    .executeTakeFirst();
  if (token?.status === TOKEN_STATUS.exhausted) await store.changes.announce('tokens', String(tokenId));
}

async function release(core: Core, task: Task): Promise<void> {
  const { record } = readSnapshot(task);
  watch(core, task, { record, usage: undefined, charge: 0 });
  const row = errorRow(record, task.fail_reason.slice(0, 500), elapsed(task));
  await core.ledger.release(task.hold_id, {
    channelId: task.channel_id,
    modelName: task.model,
    useTimeMs: elapsed(task),
    log: { ...row, other: withTask(row.other, task) },
  });
}

function watch(
  { watcher }: Core,
  task: Task,
  call: { record: CallRecord; usage: Usage | undefined; charge: number },
): void {
  watcher?.ended({
    ...call,
    requestId: task.hold_id,
    held: task.quota,
    milliseconds: elapsed(task),
    firstTokenMilliseconds: undefined,
    ending: call.usage === undefined ? 'failed' : '',
  });
}

function withTask(other: string | undefined, task: Task): string {
  const fields = JSON.parse(other === undefined || other === '' ? '{}' : other) as Record<string, unknown>;
  return JSON.stringify({ ...fields, task_id: task.task_id, action: task.action });
}
