import { describe, expect, test } from 'bun:test';
import { giveHues, readHues } from './model-hues.ts';

describe('colours of models (D26)', () => {
  test('a model keeps its colour when others come and go', () => {
    const day = giveHues(['a', 'b', 'c'], new Map());
    const month = giveHues(['d', 'c', 'e', 'a'], day);
    expect(month.get('a')).toBe(day.get('a'));
    expect(month.get('c')).toBe(day.get('c'));
    const again = giveHues(['c', 'b', 'a'], month);
    expect([again.get('a'), again.get('b'), again.get('c')]).toEqual([
      day.get('a'),
      day.get('b'),
      day.get('c'),
    ]);
  });

  test('models shown together have colours of their own, also after more models than colours', () => {
    let known: ReadonlyMap<string, number> = new Map();
    for (let first = 0; first < 40; first += 3) {
      const shown = Array.from({ length: 8 }, (_, index) => `m${(first + index * 5) % 40}`);
      known = giveHues(shown, known);
      expect(new Set(shown.map((model) => known.get(model))).size).toBe(8);
    }
  });

  test('what is stored is checked when it is read', () => {
    expect(readHues(null).size).toBe(0);
    expect(readHues('{').size).toBe(0);
    expect(readHues('{"a":1}').size).toBe(0);
    expect([...readHues('[["a",3],["b",10],["c",0],["d","1"],[4,1],5]')]).toEqual([['a', 3]]);
  });
});
