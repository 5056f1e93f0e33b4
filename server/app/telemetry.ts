// Joins metrics and traces with the parts whose state they show.
import type { Log } from '#contract/context.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import { VERSION } from '#server/platform/version.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import { createTelemetry, type Readings, type Telemetry } from '#server/operating/telemetry/index.ts';
import type { Environment } from '#server/platform/env.ts';

interface Parts {
  settings: LiveSettings;
  ledger: Ledger;
  log: Log;
  nodeId: string;
  /** Other processes on the same port. */
  siblingCount: number;
  channels: () => Iterable<{ id: number; name: string; type: number }>;
  attentionCounts: () => Iterable<{ kind: string; severity: string; count: number }>;
  upstreamLimits: Readings['upstreamLimits'];
  answerCache: Readings['answerCache'];
}

export function joinTelemetry(
  { telemetry, allowedHosts }: Pick<Environment, 'telemetry' | 'allowedHosts'>,
  {
    settings,
    ledger,
    log,
    nodeId,
    channels,
    attentionCounts,
    upstreamLimits,
    answerCache,
    siblingCount,
  }: Parts,
): Telemetry | undefined {
  const readings = {
    version: VERSION,
    node: nodeId,
    runningCalls: () => ledger.openCalls,
    quotaPerUnit: () => settings.current.QuotaPerUnit,
    channels,
    attentionCounts,
    upstreamLimits,
    answerCache,
  };
  return createTelemetry(telemetry, readings, { log, siblingCount, allowedHosts });
}
