import { expect, test } from 'bun:test';
import type { PublicPrice } from '#server/admin/public-model.ts';
import { PriceCells } from './cells.tsx';
import { AsAnswered } from './virtual.tsx';

const BY_USAGE: PublicPrice = {
  kind: 'usage',
  input: 1,
  output: 4,
  cached: 0.5,
  cacheWrite: 1,
  cacheWrite1h: 1,
};
const BY_CALL: PublicPrice = { kind: 'call', price: 0.1, resolutions: {} };

/** The columns of a table at its full width, and below it, without those that are `wide-only`. */
function columnsOf(cells: unknown): [wide: number, tablet: number] {
  const found = String(cells).match(/<td class="[^"]*"/g) ?? [];
  return [found.length, found.filter((cell) => !cell.includes('wide-only')).length];
}

test('a model that is not sold by tokens has as many columns as others, at every width', () => {
  const decimals = { input: 2, cached: 2, output: 2 };
  const priced = (price: PublicPrice | undefined) => PriceCells({ price, decimals, language: 'en' });
  const rows = [priced(BY_USAGE), priced(BY_CALL), priced(undefined), AsAnswered({ language: 'en' })];
  expect(rows.map((cells) => columnsOf(cells))).toEqual([
    [3, 2],
    [3, 2],
    [3, 2],
    [3, 2],
  ]);
});
