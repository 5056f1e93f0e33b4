import { expect, test } from 'bun:test';
import { createBreaker } from './breaker.ts';
import type { Candidate, Catalog, Channel, Tiers } from './catalog.ts';
import { whyKept } from './why-kept.ts';

const candidate = (id: number, weight = 1, maxConcurrency = 0): Candidate => ({
  channel: { id, maxConcurrency } as unknown as Channel,
  weight,
});
const model = 'gpt-4o';
const empty = { requests: { limit: 9, left: 0, resetSeconds: 60 }, tokens: undefined, organization: '' };

function marker(tiers: Tiers, { off = [], unfit = [] }: { off?: number[]; unfit?: number[] } = {}) {
  const breaker = createBreaker();
  const catalog = {
    current: { channel: (id: number) => (off.includes(id) ? { isEnabled: false } : undefined) },
  } as unknown as Catalog;
  const chosen = tiers.flat()[0]?.channel as Channel;
  const choosing = {
    catalog,
    breaker,
    tiers,
    model,
    serves: ({ id }: Channel) => !unfit.includes(id),
  };
  return {
    breaker,
    why: (warmId: number | undefined, channel = chosen) => whyKept(choosing, warmId, channel),
  };
}

test('each reason for which a conversation left its channel has its word', () => {
  const pair: Tiers = [[candidate(1), candidate(2)]];
  expect(marker([[candidate(1)]]).why(1)).toBeUndefined();
  expect(marker(pair).why(undefined)).toEqual({ why: 'weight' });
  expect(marker(pair).why(1)).toEqual({ why: 'kept', channel: 1 });
  expect(marker(pair).why(9)).toEqual({ why: 'gone', channel: 9 });
  expect(marker(pair, { off: [9] }).why(9)).toEqual({ why: 'off', channel: 9 });
  expect(marker(pair, { unfit: [2] }).why(2)?.why).toBe('unsuited');
  expect(marker([[candidate(1)], [candidate(2)]]).why(2)?.why).toBe('priority');
  expect(marker([[candidate(1), candidate(2, 0)]]).why(2)?.why).toBe('reserve');

  const paused = marker(pair);
  paused.breaker.failed(2, { retryAfterSeconds: 60 });
  expect(paused.why(2)?.why).toBe('paused');
  const full = marker([[candidate(1), candidate(2, 1, 1)]]);
  full.breaker.begin(2, model);
  expect(full.why(2)?.why).toBe('busy');
  const limited = marker(pair);
  limited.breaker.headroom.note({ id: 2, baseUrl: '' }, model, empty);
  expect(limited.why(2)?.why).toBe('limit');
});
