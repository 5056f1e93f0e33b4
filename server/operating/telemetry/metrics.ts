// What /metrics shows: calls, attempts, tokens and money by model and channel, and the state of this process. Written only when
// an operator has opened /metrics, so that a gateway without it pays nothing.
import { Counter, Gauge, Histogram, Registry, type Aggregator } from 'prom-client';
import { completionTokens, promptTokens } from '#server/money/prices/usage.ts';
import type { CallWatcher, EndedCall } from '#server/relay/money/call-watcher.ts';
import { answerCacheSeries, type AnswerCacheReading } from './answer-cache-series.ts';
import { limitGauges, type LimitsOfChannel } from './limit-gauges.ts';
import { attemptOutcome } from './attempt-outcome.ts';

/** State that is read when /metrics is asked for. */
export interface Readings {
  readonly version: string;
  readonly node: string;
  runningCalls(): number;
  readonly quotaPerUnit: () => number;
  channels(): Iterable<{ id: number; name: string; type: number }>;
  /** What needs an operator, as this node last found it. */
  attentionCounts(): Iterable<{ kind: string; severity: string; count: number }>;
  /** Of the channels of this node. */
  upstreamLimits(): Iterable<LimitsOfChannel>;
  answerCache(): AnswerCacheReading;
}

export interface Metrics {
  readonly registry: Registry;
  readonly watcher: Pick<CallWatcher, 'ended' | 'refused'>;
  close(): void;
}

/** Models past this number share one label: each label costs memory here and in Prometheus for ever. */
const MOST_MODELS = 500;
const SECOND_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];
const SPEED_BUCKETS = [5, 10, 20, 40, 60, 80, 100, 150, 250, 500];
const LAG_MILLISECONDS = 500;

export function createMetrics(readings: Readings): Metrics {
  const registry = new Registry();
  const { calls, refusals, attempts, durations, firstTokens, speeds, tokens, charged, aboveHold } =
    callSeries(registry);
  const models = new Set<string>();
  const stopProcess = processGauges(registry, readings);

  function modelLabel(model: string): string {
    if (models.has(model)) return model;
    if (models.size >= MOST_MODELS) return 'other';
    models.add(model);
    return model;
  }

  answerCacheSeries(registry, () => readings.answerCache());
  limitGauges(registry, () => readings.upstreamLimits(), modelLabel);

  function countCall({ record, usage, charge, held, milliseconds, firstTokenMilliseconds }: EndedCall): void {
    const model = modelLabel(record.model);
    const channel = String(record.channelId);
    calls.inc({ model, result: usage === undefined ? 'failed' : 'charged' });
    for (const attempt of record.attempts)
      attempts.inc({ channel: String(attempt.channel), outcome: attemptOutcome(attempt) });
    durations.observe({ streamed: String(record.isStream) }, milliseconds / 1000);
    if (usage === undefined) return;
    const output = completionTokens(usage);
    tokens.inc({ model, direction: 'input' }, promptTokens(usage));
    tokens.inc({ model, direction: 'output' }, output);
    charged.inc({ channel }, charge / readings.quotaPerUnit());
    if (charge > held) aboveHold.inc((charge - held) / readings.quotaPerUnit());
    if (firstTokenMilliseconds === undefined || !Number.isFinite(firstTokenMilliseconds)) return;
    firstTokens.observe({ channel }, Math.max(0, firstTokenMilliseconds) / 1000);
    const seconds = (milliseconds - firstTokenMilliseconds) / 1000;
    if (output > 1 && seconds > 0) speeds.observe({ channel }, output / seconds);
  }

  return {
    registry,
    watcher: {
      ended: countCall,
      refused: (code) => refusals.inc({ code }),
    },
    close: stopProcess,
  };
}

function callSeries(registry: Registry) {
  const registers = [registry];
  const calls = new Counter({
    name: 'tollgate_calls_total',
    help: 'Calls that had an attempt, by model and result: charged, or failed and free.',
    labelNames: ['model', 'result'],
    registers,
  });
  const refusals = new Counter({
    name: 'tollgate_refusals_total',
    help: 'Calls refused before any attempt, by the code of the error.',
    labelNames: ['code'],
    registers,
  });
  const attempts = new Counter({
    name: 'tollgate_attempts_total',
    help: 'Attempts on channels, also those of calls that another channel answered.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'tollgate_call_duration_seconds',
    help: 'Time from the request to the end of the answer.',
    labelNames: ['streamed'],
    buckets: SECOND_BUCKETS,
    registers,
  });
  const firstTokens = new Histogram({
    name: 'tollgate_first_token_seconds',
    help: 'Time from the request to the first event of a streamed answer, by the channel that answered.',
    labelNames: ['channel'],
    buckets: SECOND_BUCKETS,
    registers,
  });
  const speeds = new Histogram({
    name: 'tollgate_output_tokens_per_second',
    help: 'Output tokens per second after the first token of a stream.',
    labelNames: ['channel'],
    buckets: SPEED_BUCKETS,
    registers,
  });
  const tokens = new Counter({
    name: 'tollgate_tokens_total',
    help: 'Tokens of charged calls.',
    labelNames: ['model', 'direction'],
    registers,
  });
  const charged = new Counter({
    name: 'tollgate_charged_dollars_total',
    help: 'What callers were charged, by the channel that answered.',
    labelNames: ['channel'],
    registers,
  });
  const aboveHold = new Counter({
    name: 'tollgate_charged_above_hold_dollars_total',
    help: 'What answers cost beyond what their calls held; 0 while every answer is worth its hold.',
    registers,
  });
  return { calls, refusals, attempts, durations, firstTokens, speeds, tokens, charged, aboveHold };
}

/** The process itself; resolves what it can when asked, and measures the lag of the event loop all the time. */
function processGauges(registry: Registry, readings: Readings): () => void {
  const registers = [registry];
  const startedSeconds = Date.now() / 1000 - process.uptime();
  const gauge = (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') =>
    new Gauge({
      name,
      help,
      aggregator,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage().rss);
  gauge('process_heap_bytes', 'Heap of the main thread.', () => process.memoryUsage().heapUsed);
  gauge('process_start_time_seconds', 'Start of the process, Unix time.', () => startedSeconds, 'min');
  gauge('tollgate_running_calls', 'Calls that hold money now.', () => readings.runningCalls());
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of all threads.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  registry.registerMetric(cpu);
  new Gauge({
    name: 'tollgate_build_info',
    help: 'Version and name of this node; the value is 1.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: readings.version, node: readings.node }, 1);
  const names = new Gauge({
    name: 'tollgate_channel_info',
    help: 'Names of the channels; the value is 1.',
    labelNames: ['channel', 'name', 'type'],
    aggregator: 'first',
    registers: [],
    collect() {
      this.reset();
      for (const { id, name, type } of readings.channels())
        this.set({ channel: String(id), name, type: String(type) }, 1);
    },
  });
  registry.registerMetric(names);
  const attention = new Gauge({
    name: 'tollgate_attention_items',
    help: 'What needs an operator, by kind and severity (stop, act, wait); no line where there is none.',
    labelNames: ['kind', 'severity'],
    // Every process finds the same.
    aggregator: 'max',
    registers: [],
    collect() {
      this.reset();
      for (const { kind, severity, count } of readings.attentionCounts()) this.set({ kind, severity }, count);
    },
  });
  registry.registerMetric(attention);
  let longest = 0;
  let expectedAt = performance.now() + LAG_MILLISECONDS;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - expectedAt);
    expectedAt = performance.now() + LAG_MILLISECONDS;
  }, LAG_MILLISECONDS);
  timer.unref();
  const lag = () => {
    const seconds = Math.max(0, longest) / 1000;
    longest = 0;
    return seconds;
  };
  gauge('tollgate_event_loop_lag_seconds', 'Longest delay of a timer since the last question.', lag, 'max');
  return () => clearInterval(timer);
}
