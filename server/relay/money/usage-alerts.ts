// Tells the operators of usage that an upstream reported and that cannot be true: each time in the log, and at most once an
// hour for each model of a channel as a notice. No caller waits for it.
import type { Log } from '#contract/context.ts';
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import { raiseNotice } from '#server/platform/notices/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { CallRecord } from './log-row.ts';

export type DoubtedRecord = Pick<CallRecord, 'channelId' | 'channelName' | 'model'>;

export interface UsageAlerts {
  /** Nothing happens without doubts. */
  doubted(requestId: string, record: DoubtedRecord, doubts: readonly UsageDoubt[]): void;
}

const MOST_REMEMBERED = 10_000;

export function createUsageAlerts(store: Store, log: Log): UsageAlerts {
  /** Keys of notices that exist: an upstream that lies in every call costs no query each time. */
  const raised = new Set<string>();
  function tell(requestId: string, record: DoubtedRecord, doubts: readonly UsageDoubt[]): void {
    const { channelId, channelName, model } = record;
    log.error('an upstream reported usage that cannot be true', {
      request_id: requestId,
      channel_id: channelId,
      model,
      doubts,
    });
    const onceKey = `usage_doubted:${channelId}:${model}:${new Date().toISOString().slice(0, 13)}`;
    if (raised.has(onceKey)) return;
    if (raised.size >= MOST_REMEMBERED) raised.clear();
    raised.add(onceKey);
    const values = {
      channel_id: channelId,
      channel_name: channelName,
      model,
      request_id: requestId,
      doubts: [...doubts],
    };
    raiseNotice(store.db, { event: 'usage_doubted', values, onceKey }).catch((error: unknown) => {
      raised.delete(onceKey);
      log.error('the notice of doubtful usage could not be raised', { request_id: requestId, error });
    });
  }

  return {
    doubted(requestId, record, doubts) {
      if (doubts.length > 0) tell(requestId, record, doubts);
    },
  };
}
