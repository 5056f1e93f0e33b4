// What becomes of the hold of a process that died: not sent upstream → released; sent → charged by the operator's policy
// (the last checkpoint, or the whole hold) or kept for a person to decide.
import { factText } from '#contract/facts.ts';
import { readHoldSnapshot } from '#server/money/ledger/snapshot-text.ts';
import {
  settlementOf,
  type Checkpoint,
  type LogRow,
  type Recover,
  type RecoverResult,
  type Settle,
} from './operations.ts';
import { RECOVERED_REFERENCE } from './late.ts';
import { REVIEW_NODE } from './reserve.ts';
import type { HoldState, Rows } from './rows.ts';
import { dropHold, settleHold } from './settle.ts';
import { isSlice } from './slice.ts';

export function recover(rows: Rows, { requestId, policy }: Recover): RecoverResult {
  const hold = rows.findHold(requestId);
  if (hold === undefined) return { requestId, how: 'gone', charged: 0, userId: 0 };
  const { userId, tokenId } = hold;
  if (hold.dispatched && policy === 'review') {
    if (hold.nodeId !== REVIEW_NODE) rows.changeHold({ ...hold, nodeId: REVIEW_NODE, epoch: 0 });
    return { requestId, how: 'review', charged: 0, userId };
  }
  const taken = rows.takeHold(requestId);
  if (taken === undefined) return { requestId, how: 'gone', charged: 0, userId: 0 };
  // A call with a record has been settled: its hold is left over.
  if (!hold.dispatched || rows.booked(requestId) !== undefined) {
    dropHold(rows, taken, 0);
    if (isSlice(requestId)) return { requestId, how: 'gone', charged: 0, userId };
    return { requestId, how: 'released', charged: 0, userId };
  }
  const progress = readCheckpoint(hold);
  const log = recoveredLog(hold, progress);
  const operation: Settle = {
    ...settlementOf(requestId, { userId, tokenId }),
    channelId: progress.channelId,
    promptTokens: progress.promptTokens,
    completionTokens: progress.completionTokens,
    log,
    cost: progress.cost ?? null,
    charge: policy === 'full' ? hold.amount : hold.checkpointQuota,
    group: log.group ?? '',
    modelName: log.model_name ?? '',
  };
  const { charged } = settleHold(rows, taken, operation, RECOVERED_REFERENCE);
  return { requestId, how: 'charged', charged, userId };
}

function readCheckpoint(hold: HoldState): Checkpoint {
  const empty = { quota: hold.checkpointQuota, promptTokens: 0, completionTokens: 0, channelId: 0 };
  if (hold.checkpoint === '') return empty;
  return { ...empty, ...(JSON.parse(hold.checkpoint) as Partial<Checkpoint>) };
}

function recoveredLog(hold: HoldState, progress: Checkpoint): LogRow {
  const snapshot = readHoldSnapshot(hold.snapshot);
  return {
    ...snapshot.log,
    type: 2,
    user_id: hold.userId,
    token_id: hold.tokenId,
    channel_id: progress.channelId,
    prompt_tokens: progress.promptTokens,
    completion_tokens: progress.completionTokens,
    estimated: 1,
    content: factText('recovered'),
    other: JSON.stringify({ recovered: true, price: snapshot.price ?? null }),
  };
}
