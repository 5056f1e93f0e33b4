// Checks of suppliers as server/app/app.ts sees them: what the relay calls, what the jobs run, what the console reads.
import type { Log } from '#contract/context.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { AnswerObserver } from '#server/relay/call/answer-observer.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { assess } from './assess.ts';
import { createCollector } from './collector.ts';
import { writeCounts } from './counts.ts';
import { runProbes, type ProbeParts } from './probes.ts';
import { createPromptMemory } from './prompt-memory.ts';

export { compareBill } from './bills/compare.ts';
export { readBill } from './bills/read.ts';
export { removeOldCounts } from './counts.ts';
export { evidenceOf } from './evidence.ts';
export { weightFactor } from '#server/relay/channel-choice/weight-factor.ts';
export type { AskedChannel, ProbeAnswer } from './probes.ts';

export interface SupplierAuditParts {
  store: Store;
  settings: SettingsReader;
  log: Log;
  nodeId: string;
  ask: ProbeParts['ask'];
  /** The channel adds to prompts: they are not recounted. */
  addsToPrompt: (channelId: number) => boolean;
}

export interface SupplierAudit {
  readonly observer: AnswerObserver;
  writeCounts(): Promise<void>;
  assess(): Promise<void>;
  probe(signal: AbortSignal): Promise<void>;
  /** Writes what is counted. */
  close(): Promise<void>;
}

/** A node that has not reported for so long is gone. */
const SILENT_SECONDS = 120;

export async function createSupplierAudit(parts: SupplierAuditParts): Promise<SupplierAudit> {
  const { store, settings, log, nodeId } = parts;
  // Prompts of other nodes, and of the process before this one, are not remembered here.
  let completeFrom = (await hasRecentCalls(store)) ? unixSeconds() + DAY_SECONDS : 0;
  let isAlone = await isOnlyNode(store, nodeId);
  const collector = createCollector({
    memory: createPromptMemory(unixSeconds, { completeFrom: () => (isAlone ? completeFrom : Infinity) }),
    isOn: () => settings.current.SupplierChecksEnabled,
    addsToPrompt: parts.addsToPrompt,
  });
  const flush = async (): Promise<void> => {
    const wasAlone = isAlone;
    isAlone = await isOnlyNode(store, nodeId);
    if (isAlone && !wasAlone) completeFrom = unixSeconds() + DAY_SECONDS;
    // A node reports itself at its start and every five seconds: what it sent before is not older than the last flush.
    if (!isAlone && wasAlone) collector.forgetReads();
    await writeCounts(store, collector, nodeId, unixSeconds());
  };
  return {
    observer: collector,
    writeCounts: flush,
    assess: () => assess({ store, settings, now: unixSeconds }),
    probe: (signal) => runProbes({ store, settings, log, now: unixSeconds, ask: parts.ask }, signal),
    async close() {
      await writeCounts(store, collector, nodeId, unixSeconds()).catch((error: unknown) =>
        log.warn('the counts of suppliers could not be written', { error }),
      );
    },
  };
}

async function hasRecentCalls({ db }: Store): Promise<boolean> {
  const found = await db
    .selectFrom('usage_hours')
    .select('hour')
    .where('hour', '>=', unixSeconds() - DAY_SECONDS)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

async function isOnlyNode({ db }: Store, nodeId: string): Promise<boolean> {
  const other = await db
    .selectFrom('node_reports')
    .select('node_id')
    .where('node_id', '!=', nodeId)
    .where('reported_at', '>=', unixSeconds() - SILENT_SECONDS)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}
