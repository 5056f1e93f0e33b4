// Metrics and traces, as server/app/app.ts uses them. Both are off until the environment configures them.
import type { Log } from '#contract/context.ts';
import { createEgress, NETWORKS_OF_OPERATOR } from '#server/platform/egress/index.ts';
import type { CallWatcher } from '#server/relay/money/call-watcher.ts';
import { createMetrics, type Readings } from './metrics.ts';
import type { TelemetryOptions } from '#server/platform/env.ts';
import { createMetricsPage } from './metrics-page.ts';
import { createSiblings } from './siblings.ts';
import { createOtlp } from './otlp.ts';

export type { Readings } from './metrics.ts';

export interface Telemetry {
  readonly watcher: CallWatcher;
  /** Undefined while /metrics is closed to everyone. */
  readonly page: ((request: Request, address: string) => Promise<Response>) | undefined;
  close(): Promise<void>;
}

/** Never in a log line. */
export const telemetrySecrets = ({ token, otlp }: TelemetryOptions): (string | undefined)[] => [
  token,
  ...Object.values(otlp?.headers ?? {}),
];

/** Patience for one request to the collector. */
const POST_SECONDS = 10;
const MOST_ANSWER_BYTES = 1024 * 1024;

/** Undefined when neither /metrics nor a collector is configured: then calls are not watched. */
export function createTelemetry(
  options: TelemetryOptions,
  readings: Readings,
  { log, siblingCount, allowedHosts }: { log: Log; siblingCount: number; allowedHosts: readonly string[] },
): Telemetry | undefined {
  const hasPage = options.token !== undefined || options.addresses.length > 0;
  if (!hasPage && options.otlp === undefined) return undefined;
  const metrics = createMetrics(readings);
  const siblings =
    siblingCount > 0 && hasPage ? createSiblings(metrics.registry, siblingCount, process) : undefined;
  const egress = createEgress({
    // The collector is often on the same machine or network.
    allowedPrivateAddresses: NETWORKS_OF_OPERATOR,
    allowedHosts,
    systemOrigins: () => (options.otlp === undefined ? [] : [new URL(options.otlp.endpoint).origin]),
  });
  const otlp =
    options.otlp &&
    createOtlp({
      target: options.otlp,
      version: readings.version,
      node: readings.node,
      registry: metrics.registry,
      log,
      async post(url, headers, body) {
        const response = await egress.fetch('system', url, {
          method: 'POST',
          headers,
          body,
          timeoutSeconds: POST_SECONDS,
          limitBytes: MOST_ANSWER_BYTES,
        });
        await response.arrayBuffer();
        return response.status;
      },
    });
  return {
    watcher: {
      parentOf: (headers) => (otlp === undefined ? undefined : (headers.get('traceparent') ?? undefined)),
      ended(call) {
        metrics.watcher.ended(call);
        otlp?.ended(call);
      },
      refused: metrics.watcher.refused,
    },
    page: hasPage ? createMetricsPage(metrics.registry, options, siblings) : undefined,
    async close() {
      siblings?.close();
      metrics.close();
      await otlp?.close();
      egress.close();
    },
  };
}
