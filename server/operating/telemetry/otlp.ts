// Sends spans and metrics to an OpenTelemetry collector (OTLP/HTTP, JSON). A collector that is slow or away costs nothing but
// the spans: they wait in a bounded queue, and the oldest are dropped.
import type { Log } from '#contract/context.ts';
import type { Registry } from 'prom-client';
import type { EndedCall } from '#server/relay/money/call-watcher.ts';
import type { OtlpTarget } from '#server/platform/env.ts';
import { attributesOf, metricsOf } from './otlp-values.ts';
import { parentIn, spansOf } from './spans.ts';

export interface OtlpParts {
  readonly target: OtlpTarget;
  readonly version: string;
  readonly node: string;
  readonly registry: Registry;
  readonly log: Log;
  readonly post: (url: string, headers: Record<string, string>, body: string) => Promise<number>;
}

export interface Otlp {
  ended(call: EndedCall): void;
  /** Sends what is waiting, once. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const MOST_WAITING = 4096;
const MOST_AT_ONCE = 512;
const TRACE_MILLISECONDS = 2000;
const METRIC_MILLISECONDS = 30_000;

export function createOtlp({ target, version, node, registry, log, post }: OtlpParts): Otlp {
  const startedMs = Date.now();
  let waiting: { call: EndedCall; endedMs: number }[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;
  const resource = {
    attributes: attributesOf({
      'service.name': target.serviceName,
      'service.version': version,
      'service.instance.id': node,
    }),
  };
  const scope = { name: 'tollgate', version };

  async function send(kind: 'traces' | 'metrics', body: unknown): Promise<boolean> {
    try {
      const headers = { 'Content-Type': 'application/json', ...target.headers };
      const status = await post(`${target.endpoint}/v1/${kind}`, headers, JSON.stringify(body));
      if (status < 300) return true;
      log.warn('the collector refused telemetry', { kind, status });
      // Only these mean that the same data may be accepted later.
      return ![429, 502, 503, 504].includes(status);
    } catch (error) {
      log.warn('the collector could not be reached', { kind, error });
      return false;
    }
  }

  async function sendTraces(): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting.slice(0, MOST_AT_ONCE);
      const spans = taken.flatMap(({ call, endedMs }) => spansOf(call, endedMs));
      const before = dropped;
      if (!(await send('traces', { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }))) return;
      // Calls that were dropped meanwhile were the oldest, so they are among those sent.
      waiting = waiting.slice(Math.max(0, taken.length - (dropped - before)));
    }
  }

  async function sendMetrics(): Promise<void> {
    const metrics = await metricsOf(registry, startedMs, Date.now());
    await send('metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] });
  }

  function sendWaiting(): Promise<void> {
    sending ??= sendTraces()
      .catch((error: unknown) => log.error('traces could not be sent', { error }))
      .finally(() => {
        sending = undefined;
      });
    return sending;
  }

  const traceTimer = setInterval(() => void sendWaiting(), TRACE_MILLISECONDS);
  const metricTimer = setInterval(
    () => void sendMetrics().catch((error: unknown) => log.error('metrics could not be sent', { error })),
    METRIC_MILLISECONDS,
  );
  traceTimer.unref();
  metricTimer.unref();

  const flush = async () => {
    await sendWaiting();
    await sendMetrics();
  };

  return {
    ended(call) {
      const parent = parentIn(call.record.trace);
      const isSampled = parent?.isSampled ?? Math.random() < target.sampledPart;
      if (!isSampled) return;
      if (waiting.length >= MOST_WAITING) {
        waiting.shift();
        if (dropped % 1000 === 0) log.warn('traces are dropped: the collector does not keep up', { dropped });
        dropped += 1;
      }
      // The record of a call is written on only by tasks, which pass a copy.
      waiting.push({ call, endedMs: Date.now() });
    },
    flush,
    async close() {
      clearInterval(traceTimer);
      clearInterval(metricTimer);
      await flush();
    },
  };
}
