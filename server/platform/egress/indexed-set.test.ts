import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { IndexedSet, type IndexedSetMember } from './indexed-set.ts';

test('holds the members that were added and not removed, like a set', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(20)), { maxLength: 200 }), (steps) => {
      const people = Array.from({ length: 21 }, (_, id) => ({ id, placeInSet: -1 }));
      const roster = new IndexedSet<(typeof people)[number]>();
      const expected = new Set<number>();
      for (const [comes, id] of steps) {
        const person = people[id] as (typeof people)[number];
        if (comes) roster.add(person);
        else roster.remove(person);
        if (comes) expected.add(id);
        else expected.delete(id);
      }
      const seen: number[] = [];
      roster.visit(({ id }) => seen.push(id));
      expect(seen.toSorted((a, b) => a - b)).toEqual([...expected].toSorted((a, b) => a - b));
      expect(roster.size).toBe(expected.size);
    }),
  );
});

test('who is sent away during a visit is not visited', () => {
  const members: IndexedSetMember[] = [{ placeInSet: -1 }, { placeInSet: -1 }, { placeInSet: -1 }];
  const roster = new IndexedSet<IndexedSetMember>();
  for (const member of members) roster.add(member);
  const seen: IndexedSetMember[] = [];
  roster.visit((member) => {
    seen.push(member);
    for (const other of members) roster.remove(other);
  });
  expect(seen).toHaveLength(1);
  expect(roster.size).toBe(0);
});
