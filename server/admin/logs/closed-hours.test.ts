import { expect, test } from 'bun:test';
import { createClosedHours } from './closed-hours.ts';
import type { HourFigures } from './hour-figures.ts';

const HOUR = 3600;
const NOW = 1000 * HOUR + 1234;

const figures = (hour: number): HourFigures => ({
  hour: hour * HOUR,
  consumed: hour,
  errors: 0,
  others: 0,
  quota: 0,
  promptTokens: 0,
  completionTokens: 0,
});

/** Every hour has one figure; what was read is written down. */
function source() {
  const read: [number, number][] = [];
  return {
    read,
    load: async (from: number, to: number) => {
      const first = Math.ceil(from / HOUR);
      const last = Math.floor(to / HOUR);
      read.push([first, last]);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => figures(last - index));
    },
  };
}

const scope = (from: number, to: number) => ({ type: 0, from: from * HOUR, to: to * HOUR });
const hoursOf = (found: readonly HourFigures[]) => found.map(({ hour }) => hour / HOUR);
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);

test('hours that are over are read once; the last ones every time', async () => {
  const { read, load } = source();
  const closed = createClosedHours();
  for (let round = 0; round < 3; round += 1) {
    expect(hoursOf(await closed.hours(scope(900, 1001), NOW, load))).toEqual(down(1001, 900));
  }
  expect(read).toEqual([
    [900, 996],
    [997, 1001],
    [997, 1001],
    [997, 1001],
  ]);
});

test('a longer range reads only what is missing, a shorter one nothing of the past', async () => {
  const { read, load } = source();
  const closed = createClosedHours();
  await closed.hours(scope(950, 1001), NOW, load);
  expect(hoursOf(await closed.hours(scope(900, 1001), NOW, load))).toEqual(down(1001, 900));
  expect(hoursOf(await closed.hours(scope(910, 920), NOW, load))).toEqual(down(920, 910));
  expect(read).toEqual([
    [950, 996],
    [997, 1001],
    [900, 949],
    [997, 1001],
  ]);
});

test('as time goes on, hours close', async () => {
  const { read, load } = source();
  const closed = createClosedHours();
  await closed.hours(scope(990, 1010), NOW, load);
  const later = await closed.hours(scope(990, 1010), NOW + 2 * HOUR, load);
  expect(hoursOf(later)).toEqual(down(1010, 990));
  expect(read.slice(2)).toEqual([
    [997, 998],
    [999, 1010],
  ]);
});

test('another filter is another memory; the present is never remembered', async () => {
  const { read, load } = source();
  const closed = createClosedHours();
  await closed.hours(scope(990, 1001), NOW, load);
  await closed.hours({ ...scope(990, 1001), userId: 7 }, NOW, load);
  await closed.hours(scope(999, 1001), NOW, load);
  await closed.hours(scope(999, 1001), NOW, load);
  expect(read.map(([first]) => first)).toEqual([990, 997, 990, 997, 999, 999]);
});

test('a reading that failed is not remembered', async () => {
  const { load } = source();
  const closed = createClosedHours();
  const failing = () => Promise.reject(new Error('away'));
  const outcome = await closed.hours(scope(990, 1001), NOW, failing).catch((error: Error) => error.message);
  expect(outcome).toBe('away');
  expect(hoursOf(await closed.hours(scope(990, 1001), NOW, load))).toEqual(down(1001, 990));
});
