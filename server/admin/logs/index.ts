// Usage logs: users read their own, administrators all. Each verb exists twice with the same code; `self` adds the owner
// to the filter and removes fields for operators.
import type { Handlers } from '#server/admin/context.ts';
import type { logs } from '#contract/admin/logs.ts';
import { logsByKey } from './by-key.ts';
import { cleanupLogs, countForCleanup } from './cleanup.ts';
import type { LogDependencies } from './dependencies.ts';
import { exportLogs } from './export.ts';
import { facetsOfLogs } from './facets.ts';
import { histogramOfLogs } from './histogram.ts';
import { listLogs } from './list.ts';
import { createLogReading } from './reading.ts';
import { searchLogs } from './search.ts';
import { statOfLogs } from './stat.ts';

export type { LogDependencies } from './dependencies.ts';
export { applyLogRetention } from './retention.ts';
export { usageRollup } from './rollup.ts';

export function createLogHandlers(dependencies: LogDependencies): Handlers<typeof logs> {
  const reading = createLogReading(dependencies);
  return {
    list: listLogs(reading, 'all'),
    listSelf: listLogs(reading, 'self'),
    stat: statOfLogs(reading, 'all'),
    statSelf: statOfLogs(reading, 'self'),
    histogram: histogramOfLogs(reading, 'all'),
    histogramSelf: histogramOfLogs(reading, 'self'),
    facets: facetsOfLogs(dependencies, 'all'),
    facetsSelf: facetsOfLogs(dependencies, 'self'),
    search: searchLogs(reading, 'all'),
    searchSelf: searchLogs(reading, 'self'),
    export: exportLogs(reading, 'all'),
    exportSelf: exportLogs(reading, 'self'),
    byKey: logsByKey(reading),
    cleanupCount: countForCleanup(dependencies),
    cleanup: cleanupLogs(dependencies),
  };
}
