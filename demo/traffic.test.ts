import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHANNELS, PEOPLE } from './users.ts';
import { MODELS } from './model-habits.ts';
import { DAYS, trafficOf } from './traffic.ts';

/** A Monday at noon, UTC. */
const NOW = 1_794_830_400;
const CALLS = 20_000;
const calls = trafficOf({ now: NOW, calls: CALLS });
const DAY_SECONDS = 86_400;

function expectBetween(value: number, low: number, high: number): void {
  expect(value).toBeGreaterThan(low);
  expect(value).toBeLessThan(high);
}

describe('the traffic of the demo', () => {
  test('has the wished number of calls, oldest first, none in the future, over thirty days', () => {
    expect(calls.length).toBe(CALLS);
    const times = calls.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBeLessThan(NOW);
    const days = new Set(times.map((at) => Math.floor(at / DAY_SECONDS)));
    expect(days.size).toBeGreaterThanOrEqual(DAYS);
  });

  test('is the same for the same input', () => {
    expect(trafficOf({ now: NOW, calls: 500 })).toEqual(trafficOf({ now: NOW, calls: 500 }));
  });

  test('is quiet at night and at the weekend', () => {
    const local = calls.map(({ at }) => new Date(at * 1000));
    const night = local.filter((time) => time.getHours() >= 2 && time.getHours() < 6).length;
    const day = local.filter((time) => time.getHours() >= 13 && time.getHours() < 17).length;
    expect(day).toBeGreaterThan(night * 5);
    const perDay = (isWanted: (weekday: number) => boolean) => {
      const wanted = local.filter((time) => isWanted(time.getDay()));
      return wanted.length / new Set(wanted.map((time) => time.toDateString())).size;
    };
    const weekend = perDay((weekday) => weekday === 0 || weekday === 6);
    expect(weekend).toBeLessThan(perDay((weekday) => weekday > 0 && weekday < 6) * 0.7);
  });

  test('has streams and whole answers, retries, and a few failures', () => {
    const part = (isWanted: (call: (typeof calls)[number]) => boolean) =>
      calls.filter(isWanted).length / calls.length;
    expectBetween(
      part(({ isStream }) => isStream),
      0.6,
      0.9,
    );
    expectBetween(
      part(({ hasFailed }) => hasFailed),
      0.002,
      0.03,
    );
    expectBetween(
      part(({ attempts, hasFailed }) => attempts.length > 1 && !hasFailed),
      0.01,
      0.06,
    );
    expect(new Set(calls.map(({ model }) => model)).size).toBe(MODELS.length);
    expect(new Set(calls.map(({ person }) => person)).size).toBe(PEOPLE.length);
  });

  test('calls only models of channels that exist and have them', () => {
    const known = new Map(CHANNELS.map(({ name, models }) => [name, models]));
    for (const { name, channels } of MODELS)
      for (const channel of channels) expect(known.get(channel)).toContain(name);
  });
});

describe('the folder of the demo', () => {
  test('is imported by nothing that production loads', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const importing = ['server', 'contract', 'web', 'packages']
      .flatMap((folder) =>
        readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
          path.join(root, folder, file),
        ),
      )
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
      .filter((file) => /['"](#demo\/|[./]*\/demo\/)/.test(readFileSync(file, 'utf8')));
    expect(importing).toEqual([]);
  });
});
