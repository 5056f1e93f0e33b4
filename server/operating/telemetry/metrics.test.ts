// What needs an operator as a gauge: one line for each kind and severity, and none once it is gone.
import { expect, test } from 'bun:test';
import { createMetrics } from './metrics.ts';

test('tollgate_attention_items shows what is there now, and no line of what is gone', async () => {
  let counts = [{ kind: 'channel_only', severity: 'stop', count: 2 }];
  const metrics = createMetrics({
    version: '1',
    node: 'n',
    runningCalls: () => 0,
    quotaPerUnit: () => 1,
    channels: () => [],
    attentionCounts: () => counts,
    upstreamLimits: () => [],
    answerCache: () => ({ hits: 3, misses: 2, bypasses: 1, evicted: 4, entries: 5, bytes: 600 }),
  });
  try {
    const lines = async () =>
      (await metrics.registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith('tollgate_attention_items'));
    expect(await lines()).toEqual(['tollgate_attention_items{kind="channel_only",severity="stop"} 2']);
    counts = [];
    expect(await lines()).toEqual([]);
  } finally {
    metrics.close();
  }
});
