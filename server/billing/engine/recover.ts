// What becomes of the hold of a process that died: not sent upstream → released; sent → charged by the operator's policy
// (the last checkpoint, the whole hold) or kept for a person to decide.
import { logFields, type LogFields, type RecoverArgs, type RecoverResult } from './operations.ts';
import { reviewNode } from './reserve.ts';
import type { HoldState, Rows } from './rows.ts';
import { recoveredReference, releaseHold, settleHold } from './settle.ts';
import type { Checkpoint, LogRow } from '#server/billing/ledger.ts';
import { readHoldSnapshot } from '#server/billing/snapshot-text.ts';

export function recover(rows: Rows, args: RecoverArgs): RecoverResult {
  const [requestId, policy] = args;
  const found = rows.findHold(requestId);
  if (found === undefined) return ['gone', 0, 0];
  if (found.dispatched && policy === 'review') {
    if (found.nodeId === reviewNode) return ['review', 0, found.userId];
    found.nodeId = reviewNode;
    found.epoch = 0;
    rows.changeHold(found);
    return ['review', 0, found.userId];
  }
  const hold = rows.takeHold(requestId);
  if (hold === undefined) return ['gone', 0, 0];
  if (!found.dispatched) {
    releaseHold(rows, hold, 0);
    return ['released', 0, hold.userId];
  }
  const charge = policy === 'full' ? hold.amount : found.checkpointQuota;
  const progress = readCheckpoint(found);
  const log = recoveredLog(found, progress);
  const [charged] = settleHold(
    rows,
    hold,
    [
      requestId,
      0,
      charge,
      0,
      progress.channelId,
      String(log[5]),
      progress.promptTokens,
      progress.completionTokens,
      0,
      0,
      1,
      log,
    ],
    recoveredReference,
  );
  return ['charged', charged, hold.userId];
}

function readCheckpoint(hold: HoldState): Checkpoint {
  const empty = { quota: hold.checkpointQuota, promptTokens: 0, completionTokens: 0, channelId: 0 };
  if (hold.checkpoint === '') return empty;
  return { ...empty, ...(JSON.parse(hold.checkpoint) as Partial<Checkpoint>) };
}

function recoveredLog(hold: HoldState, progress: Checkpoint): LogFields {
  const snapshot = readHoldSnapshot(hold.snapshot);
  const row: LogRow = {
    ...snapshot.log,
    type: 2,
    user_id: hold.userId,
    token_id: hold.tokenId,
    channel_id: progress.channelId,
    prompt_tokens: progress.promptTokens,
    completion_tokens: progress.completionTokens,
    estimated: 1,
    content: 'The call was interrupted; charged by its last checkpoint.',
    other: JSON.stringify({ recovered: true, price: snapshot.price ?? null }),
  };
  return logFields(row);
}
