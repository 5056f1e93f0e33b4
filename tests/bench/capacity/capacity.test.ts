import { describe, expect, test } from 'bun:test';
import { ONE_MACHINE, partsAt, USUAL_TRAFFIC, type Footprint, type Setup } from './model.ts';
import { callsByMinute, clockOf, growUntilItHolds, OFFICE_DAY, replayDay } from './simulate.ts';

/** Round figures, so that the limits can be reckoned by hand. */
const footprint: Footprint = {
  gatewayMicroseconds: 200,
  chunkMicroseconds: 10,
  databaseMicroseconds: 100,
  walBytes: 1000,
  logBytes: 1000,
  ledgerBytes: 100,
  rowsWritten: 8,
  transactions: 0.1,
  connectionsPerNode: 20,
  residentMegabytes: 200,
  streamKilobytes: 64,
  reportRowsPerSecond: 5000,
  exportRowsPerSecond: 10_000,
  auditRowsPerSecond: 20_000,
};
const traffic = { callSeconds: 1, chunksPerCall: 80, callBytes: 1000, ledgerDays: 100 };
const setup: Setup = {
  cells: 1,
  nodes: 2,
  databaseCores: 4,
  databaseTerabytes: 10,
  maxConnections: 110,
  logDays: 10,
  isLogExported: true,
};
const flat = Array.from({ length: 24 }, () => 1);
const sharesAt = (callsPerSecond: number, change: Partial<Setup> = {}, callsPerDay = 1e8) =>
  Object.fromEntries(
    partsAt({ callsPerSecond, callsPerDay }, { setup: { ...setup, ...change }, footprint, traffic }).map(
      ({ name, share }) => [name.en, Number(share.toFixed(4))],
    ),
  );
const replay = (peak: number, change: Partial<Setup> = {}, curve: readonly number[] = flat) =>
  replayDay({ ...setup, ...change }, { curve, peak, footprint, traffic });

describe('the model', () => {
  test('a part takes what its calls take', () => {
    // 700 calls a second on each node: 700 × (200 + 80 × 10) µs of 0.7 s, 700 streams, 1,400 sockets.
    expect(sharesAt(1400)).toEqual({
      'CPU of a gateway': 1,
      'memory of a gateway': Number(((200 + (700 * 64) / 1024) / 4096).toFixed(4)),
      'sockets of a gateway': Number((1400 / 60_000).toFixed(4)),
      'network of a gateway': Number(((700 * 16_000) / 1.4e9).toFixed(4)),
      'CPU of the database': 0.05,
      'write-ahead log': 0.004,
      connections: 0.4,
      // 10 days of 1,000 bytes and 100 days of 100 bytes for each of 100 M calls a day, of 10 TB.
      storage: 0.2,
      'usage reports': 0.28,
      'money audit': 0.07,
      'log export': 0.14,
    });
  });

  test('cells divide what a database does, nodes what a gateway does; connections grow with the nodes of a cell', () => {
    const [base, cells, nodes] = [sharesAt(1400), sharesAt(1400, { cells: 2 }), sharesAt(1400, { nodes: 4 })];
    for (const name of [
      'CPU of the database',
      'write-ahead log',
      'storage',
      'usage reports',
      'CPU of a gateway',
    ])
      expect(cells[name]).toBeCloseTo((base[name] ?? 0) / 2, 3);
    expect(nodes['CPU of a gateway']).toBeCloseTo(0.5, 3);
    expect(nodes['CPU of the database']).toBe(base['CPU of the database'] ?? -1);
    expect([nodes['connections'], cells['connections']]).toEqual([0.8, 0.4]);
    expect(sharesAt(1400, { isLogExported: false })).not.toHaveProperty('log export');
  });

  test('every remedy lowers the share of its part', () => {
    const day = { callsPerSecond: 50_000, callsPerDay: 4e9 };
    for (const part of partsAt(day, { setup, footprint, traffic })) {
      const grown = part.grow(setup);
      const after = partsAt(day, { setup: grown, footprint, traffic }).find(
        ({ name }) => name.en === part.name.en,
      );
      expect([part.name.en, (after?.share ?? 0) < part.share]).toEqual([part.name.en, true]);
    }
  });
});

describe('a day', () => {
  test('a load below every limit breaks nothing, and the part nearest to its limit is named', () => {
    const { first, tightest, callsPerDay } = replay(700);
    expect([first, tightest.name.en, callsPerDay]).toEqual([undefined, 'CPU of a gateway', 700 * 86_400]);
  });

  test('the first part that breaks is named, at the minute in which it is too far behind', () => {
    // A quarter too much in each minute: more than a minute behind after five.
    expect(replay(1750).first).toMatchObject({ minute: 4, part: { name: { en: 'CPU of a gateway' } } });
    expect(replay(1750, { nodes: 3 }).first).toBeUndefined();
    expect(replay(700, { nodes: 8 }).first).toMatchObject({
      minute: 0,
      part: { name: { en: 'connections' } },
    });
    expect(replay(1400, { databaseTerabytes: 0.1 }).first?.part.name.en).toBe('storage');
  });

  test('a gateway that is briefly full catches up; a job may be hours late, but not for ever', () => {
    const peakOf = (hours: number) => flat.map((_, hour) => (hour >= 12 && hour < 12 + hours ? 1 : 0.1));
    const brief = replay(1410, {}, peakOf(1));
    expect(brief.first).toBeUndefined();
    expect(brief.tightest.share).toBeGreaterThan(1);
    const many = { nodes: 6, databaseTerabytes: 100, maxConnections: 500 };
    const fast = { ...footprint, chunkMicroseconds: 0 };
    const late = (hours: number) =>
      replayDay({ ...setup, ...many }, { curve: peakOf(hours), peak: 9000, footprint: fast, traffic }).first;
    expect(late(6)).toBeUndefined();
    expect(late(11)?.part.name.en).toBe('usage reports');
    expect(clockOf(late(11)?.minute ?? 0) > '18:00').toBe(true);
  });

  test('the load meets the curve at each hour and goes straight between them', () => {
    const minutes = callsByMinute(OFFICE_DAY, 1000);
    expect([minutes.length, minutes[0], minutes[14 * 60]]).toEqual([1440, 220, 1000]);
    expect(minutes[30]).toBeCloseTo(190);
    expect(Math.max(...minutes)).toBe(1000);
    for (const wrong of [[1], flat.map(() => Number.NaN), flat.map(() => 2)])
      expect(() => callsByMinute(wrong, 1)).toThrow('24 shares');
  });
});

test('an installation grows until it holds, and every step answers what broke before it', () => {
  const day = { curve: OFFICE_DAY, footprint, traffic: USUAL_TRAFFIC };
  expect(growUntilItHolds(ONE_MACHINE, { ...day, peak: 1 })).toMatchObject({ steps: [], setup: ONE_MACHINE });
  const { steps, setup: last } = growUntilItHolds(ONE_MACHINE, { ...day, peak: 100_000 });
  expect(steps.length).toBeGreaterThan(5);
  for (const [index, { setup: broken, broke }] of steps.entries())
    expect(broke.part.grow(broken)).toEqual(steps[index + 1]?.setup ?? last);
  expect(replayDay(last, { ...day, peak: 100_000 }).first).toBeUndefined();
  expect(last.cells).toBeGreaterThan(1);
  expect(last.isLogExported).toBe(true);
});
