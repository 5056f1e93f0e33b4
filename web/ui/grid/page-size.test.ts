import { expect, test } from 'bun:test';
import { PAGE_SIZES } from '#contract/lists.ts';
import { readPageSize, storePageSize } from './page-size.ts';

const storage = () => {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
};

test('ACC-9.01 the page size is 10 until one is chosen', () => {
  expect(readPageSize(storage())).toBe(10);
});

test('ACC-9.02 ACC-9.03 ACC-9.04 ACC-9.05 ACC-9.06 ACC-3.153 the choice of 10, 20, 50 or 100 is kept under page-size', () => {
  expect([...PAGE_SIZES]).toEqual([10, 20, 50, 100]);
  for (const size of PAGE_SIZES) {
    const kept = storage();
    storePageSize(kept, size);
    expect(kept.getItem('page-size')).toBe(String(size));
    expect(readPageSize(kept)).toBe(size);
  }
});

test('a stored size that is not offered falls back to the default', () => {
  const kept = storage();
  storePageSize(kept, 33);
  expect(readPageSize(kept)).toBe(10);
});
