import { expect, test } from 'bun:test';
import type { ChannelUsage, LatencyPiece } from '#contract/admin/dashboard.ts';
import { failureKinds } from './failures.ts';
import { secondsOf } from './latency.tsx';
import { channelStateOf } from './channel-tiles.tsx';

const channel = (change: Partial<ChannelUsage>): ChannelUsage => ({
  id: 1,
  name: 'one',
  status: 1,
  count: 100,
  error_count: 0,
  quota: 0,
  use_time_ms: 100_000,
  first_token_ms: 0,
  ...change,
});

test('a failing channel is marked, a working one is not', () => {
  expect(channelStateOf(channel({}))).toBe('good');
  expect(channelStateOf(channel({ error_count: 11 }))).toBe('good');
  expect(channelStateOf(channel({ error_count: 12 }))).toBe('failing');
  expect(channelStateOf(channel({ use_time_ms: 100 * 30_001 }))).toBe('slow');
  expect(channelStateOf(channel({ count: 0 }))).toBe('idle');
  expect(channelStateOf(channel({ status: 2 }))).toBe('off');
  expect(channelStateOf(channel({ status: 3, error_count: 50 }))).toBe('stopped');
});

test('failures are gathered by cause, most frequent first', () => {
  const contents = [
    { content: 'status 500', count: 3 },
    { content: 'status 429', count: 4 },
    { content: 'status 503', count: 2 },
    { content: '', count: 1 },
  ];
  expect(failureKinds({ contents })).toEqual([
    { cause: 'upstream', count: 5 },
    { cause: 'saturated', count: 4 },
    { cause: 'other', count: 1 },
  ]);
});

test('a bucket without calls interrupts the line, one without streams only that of the first token', () => {
  const piece = (sample: number, first_p50: number): LatencyPiece => ({
    start: 0,
    sample,
    p50: 1500,
    p95: 4000,
    first_p50,
    first_p95: 0,
  });
  const pieces = [piece(3, 250), piece(0, 0), piece(2, 0)];
  expect(secondsOf(pieces, 'p50')).toEqual([1.5, undefined, 1.5]);
  expect(secondsOf(pieces, 'p95')).toEqual([4, undefined, 4]);
  expect(secondsOf(pieces, 'first_p50')).toEqual([0.25, undefined, undefined]);
});
