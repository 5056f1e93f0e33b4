// The members of all objects inside a request, from the vendors' own types: none may vanish on the way to another upstream
// without a note, and a strict caller is refused by that note.
import { expect, test } from 'bun:test';
import { fateFinder, readProbes, targets, type Fate } from '#tests/support/field-fates.ts';

const probes = await readProbes();

test('no member of any object in a request vanishes without a note towards any upstream (W28)', () => {
  const found: Record<Fate, Set<string>> = {
    carried: new Set(),
    approximated: new Set(),
    'dropped, noted': new Set(),
    'no effect': new Set(),
    refused: new Set(),
    lost: new Set(),
  };
  let count = 0;
  for (const [from, fields] of probes) {
    for (const to of Object.keys(targets).filter((target) => target !== from)) {
      const fateOf = fateFinder(from, to);
      for (const probe of fields) {
        found[fateOf(probe)].add(`${from} ${probe.variant} → ${to}`);
        count += 1;
      }
    }
  }
  expect([...found.lost]).toEqual([]);
  // Members whose value no request could have.
  expect([...found.refused].map((probe) => probe.replace(/ → .*/, ''))).toEqual([]);
  expect(count).toBeGreaterThan(10_000);
  expect(found.carried.size).toBeGreaterThan(500);
}, 120_000);
