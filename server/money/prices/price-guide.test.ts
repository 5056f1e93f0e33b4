// The figures of the guide on prices, computed by the code that charges.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PriceRule, PriceRules } from '#contract/money/price-rules.ts';
import { chargeOf } from './charge.ts';
import { noPrices, resolvePrice, type PriceSnapshot } from './price.ts';
import { withFees } from './tiers.ts';
import { usageOf, type Usage } from './usage.ts';

const guide = (name: string) =>
  readFileSync(path.resolve(import.meta.dir, '../../../docs/guides', name), 'utf8').replace(/\r/g, '');

/** The example of the guide and the rows of the table below it, as numbers. */
function exampleOf(text: string): { rules: PriceRules; rows: number[][] } {
  const block = /```json\n(\{\n {2}"gemini-2\.5-pro": [\s\S]+?)\n```/.exec(text);
  const rows = text
    .slice(block?.index ?? text.length)
    .split('\n')
    .filter((line) => /^\| [\d.]+ × /.test(line))
    .map((line) => (line.match(/[\d.]+/g) ?? []).map(Number));
  return { rules: JSON.parse(block?.[1] ?? '{}') as PriceRules, rows };
}

function charge(price: PriceSnapshot, usage: Usage): number {
  return chargeOf(price, withFees(price, usage));
}

/** A price of the example with only some of its rules; the class is given as its ratio. */
function priceWith(rule: PriceRule, group: number, classRatio: number): PriceSnapshot {
  const price = resolvePrice(
    { ...noPrices, GroupRatio: { mine: group }, ModelRatio: { model: 1 }, PriceRules: { model: rule } },
    () => undefined,
    'model',
    'mine',
  );
  if (typeof price === 'string') throw new Error(price);
  return { ...price, classRatio };
}

describe.each(['prices.md', 'prices.zh.md'])('%s', (name) => {
  const { rules, rows } = exampleOf(guide(name));
  const { classes, fee = 0, search = 0, minimum = 0 } = rules['gemini-2.5-pro'] ?? {};

  test('group and class multiply fees, searches and the minimum as its table says (M19)', () => {
    const oneSearch = usageOf({ surcharges: [{ name: 'web_search', count: 1, dollarsEach: 0 }] });
    const computed = rows.map(([group = 0, byClass = 0]) => [
      group,
      byClass,
      charge(priceWith({ fee }, group, byClass), usageOf({})),
      charge(priceWith({ search }, group, byClass), oneSearch),
      charge(priceWith({ minimum }, group, byClass), usageOf({ input: 1 })),
    ]);
    expect(computed).toEqual(rows);
    expect(rows).toHaveLength(4);
  });

  test('the classes of its table are those of its example', () => {
    expect(rows.map(([, byClass]) => byClass)).toEqual([1, 1, classes?.batch, classes?.priority]);
  });
});
