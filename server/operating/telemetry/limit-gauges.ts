// Limits of upstreams in /metrics: what this node sends no calls to, and what is left of limits. No line where nothing is known.
import { Gauge, type Registry } from 'prom-client';
import type { ChannelLimits } from '#contract/relay/channel-limits.ts';

export interface LimitsOfChannel {
  readonly id: number;
  readonly limits: ChannelLimits;
}

/** `modelLabel` bounds the number of labels: models past it share one. */
export function limitGauges(
  registry: Registry,
  limits: () => Iterable<LimitsOfChannel>,
  modelLabel: (model: string) => string,
  nowSeconds: () => number = () => Date.now() / 1000,
): void {
  const paused = new Gauge({
    name: 'tollgate_upstream_paused_seconds',
    help: 'Seconds for which no call is sent to a channel, or to a model of it (empty: all), by the cause.',
    labelNames: ['channel', 'model', 'cause'],
    aggregator: 'max',
    registers: [],
    collect() {
      this.reset();
      const longest = new Map<string, number>();
      for (const {
        id,
        limits: { pauses },
      } of limits())
        for (const { model, cause, until } of pauses) {
          const labels = { channel: String(id), model: model === '' ? '' : modelLabel(model), cause };
          const key = Object.values(labels).join(' ');
          const seconds = Math.max(until - nowSeconds(), longest.get(key) ?? 0);
          longest.set(key, seconds);
          this.set(labels, seconds);
        }
    },
  });
  registry.registerMetric(paused);
  const left = new Gauge({
    name: 'tollgate_upstream_limit_left',
    help: 'What is left of a limit of the upstream until its reset, as its last answer said, by what it counts.',
    labelNames: ['channel', 'model', 'counts'],
    aggregator: 'min',
    registers: [],
    collect() {
      this.reset();
      for (const {
        id,
        limits: { left: models },
      } of limits())
        for (const each of models)
          for (const counts of ['requests', 'tokens'] as const) {
            const limit = each[counts];
            if (limit !== null)
              this.set({ channel: String(id), model: modelLabel(each.model), counts }, limit.left);
          }
    },
  });
  registry.registerMetric(left);
}
