// A call in the sums of its day (`margin_days`): what it brought and what it cost. A call whose cost is unknown counts with
// its charge only, so that it makes no margin look better or worse.
import type { Settle } from './operations.ts';
import type { LogEntry, MarginEntry } from './rows.ts';

interface Charged {
  userId: number;
  at: number;
  charged: number;
}

export function marginOf(
  { channelId, modelName, group = '', cost = null }: Settle,
  { userId, at, charged }: Charged,
): MarginEntry {
  const isKnown = cost !== null;
  return {
    at,
    channelId,
    modelName,
    group,
    userId,
    count: 1,
    quota: charged,
    cost: cost ?? 0,
    costedCount: isKnown ? 1 : 0,
    costedQuota: isKnown ? charged : 0,
  };
}

/** Takes back what the log row of a call was counted with. `at`: as it was counted. */
export function marginTakenBack({ quota, cost, row }: LogEntry, userId: number, at: number): MarginEntry {
  const isKnown = cost !== null;
  return {
    at,
    channelId: row.channel_id ?? 0,
    modelName: row.model_name ?? '',
    group: row.group ?? '',
    userId,
    count: -1,
    quota: -quota,
    cost: isKnown ? -cost : 0,
    costedCount: isKnown ? -1 : 0,
    costedQuota: isKnown ? -quota : 0,
  };
}
