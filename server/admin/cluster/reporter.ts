// Measures this node every few seconds, writes it down for the others, and drains when it is asked to.
import { hostname } from 'node:os';
import type { NodeReport } from '#contract/operating/cluster.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { PlaceFacts } from './place.ts';
import { forgetDrain, writeReport } from './rows.ts';

export interface Readings {
  readonly version: string;
  /** Calls that hold money now. */
  calls(): number;
  /** The gate against overload. */
  readonly gate: Pick<NodeReport, 'refused'> & {
    readonly state: NodeReport['admission'];
    readonly admittedPerSecond: number;
    readonly delayMilliseconds: number;
  };
  /** What the node knows of its disk and its certificate. */
  place(): Promise<PlaceFacts>;
  readonly health: { readonly isDraining: boolean; setDrained(wanted: boolean): void };
}

export interface Reporter {
  run(): Promise<void>;
}

export function createReporter(store: Store, nodeId: string, readings: Readings): Reporter {
  const startedAt = unixSeconds();
  let measuredAt = performance.now();
  let measuredCpu = process.cpuUsage();
  let hasReported = false;

  function cpuPercent(): number {
    const now = performance.now();
    const used = process.cpuUsage(measuredCpu);
    const percent = (used.user + used.system) / ((now - measuredAt) * 10);
    measuredAt = now;
    measuredCpu = process.cpuUsage();
    return percent;
  }

  async function databaseMilliseconds(): Promise<number> {
    const asked = performance.now();
    await store.ping();
    return performance.now() - asked;
  }

  return {
    async run() {
      const { gate, health, version } = readings;
      if (!hasReported) await forgetDrain(store, nodeId);
      hasReported = true;
      const wanted = await writeReport(store, nodeId, {
        host: hostname(),
        version,
        process_id: process.pid,
        started_at: startedAt,
        is_draining: health.isDraining,
        calls: readings.calls(),
        calls_per_second: rounded(gate.admittedPerSecond),
        admission: gate.state,
        refused: gate.refused,
        delay_ms: rounded(gate.delayMilliseconds),
        database_ms: rounded(await databaseMilliseconds()),
        memory_mb: Math.round(process.memoryUsage.rss() / 1024 ** 2),
        cpu_percent: rounded(cpuPercent()),
        ...(await readings.place()),
      });
      health.setDrained(wanted);
    },
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
