// Cached answers in /metrics: how calls of callers who cache answers ended, and what the memory of this node holds.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface AnswerCacheReading {
  readonly hits: number;
  readonly misses: number;
  readonly bypasses: number;
  readonly evicted: number;
  readonly entries: number;
  readonly bytes: number;
}

export function answerCacheSeries(registry: Registry, read: () => AnswerCacheReading): void {
  const lookups = new Counter({
    name: 'tollgate_answer_cache_lookups_total',
    help: 'Calls of callers whose answers are kept: answered with a cached answer (hit), anew (miss), or not looked for (bypass).',
    labelNames: ['result'],
    registers: [],
    collect() {
      const { hits, misses, bypasses } = read();
      this.reset();
      this.inc({ result: 'hit' }, hits);
      this.inc({ result: 'miss' }, misses);
      this.inc({ result: 'bypass' }, bypasses);
    },
  });
  registry.registerMetric(lookups);
  const evicted = new Counter({
    name: 'tollgate_answer_cache_evicted_total',
    help: 'Cached answers that were removed to make room.',
    registers: [],
    collect() {
      this.reset();
      this.inc(read().evicted);
    },
  });
  registry.registerMetric(evicted);
  const gauge = (name: string, help: string, value: () => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(value());
        },
      }),
    );
  gauge('tollgate_answer_cache_entries', 'Cached answers in memory.', () => read().entries);
  gauge('tollgate_answer_cache_bytes', 'Memory of the cached answers.', () => read().bytes);
}
