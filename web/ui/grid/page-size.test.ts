import { expect, test } from 'bun:test';
import { PAGE_SIZES } from '#contract/lists.ts';
import { fittingSize, forgetPageSize, readPageSize, storePageSize } from './page-size.ts';

const storage = () => {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
};

const small = { innerWidth: 1280, innerHeight: 800 };
const large = { innerWidth: 1920, innerHeight: 1080 };

test('ACC-9.01 the page size is 10 until one is chosen', () => {
  expect(readPageSize(storage(), small)).toBe(10);
});

test('D12 until one is chosen a window shows as many of the four as have room, a phone ten', () => {
  expect(fittingSize({ innerWidth: 1440, innerHeight: 900 })).toBe(20);
  expect(fittingSize(large)).toBe(20);
  expect(fittingSize({ innerWidth: 2560, innerHeight: 1900 })).toBe(50);
  expect(fittingSize({ innerWidth: 375, innerHeight: 812 })).toBe(10);
  expect(fittingSize({ innerWidth: 1280, innerHeight: 0 })).toBe(10);
  const kept = storage();
  storePageSize(kept, 10);
  expect(readPageSize(kept, large)).toBe(10);
  forgetPageSize(kept);
  expect(readPageSize(kept, large)).toBe(20);
});

test('ACC-9.02 ACC-9.03 ACC-9.04 ACC-9.05 ACC-9.06 ACC-3.153 the choice of 10, 20, 50 or 100 is kept under page-size', () => {
  expect([...PAGE_SIZES]).toEqual([10, 20, 50, 100]);
  for (const size of PAGE_SIZES) {
    const kept = storage();
    storePageSize(kept, size);
    expect(kept.getItem('page-size')).toBe(String(size));
    expect(readPageSize(kept, small)).toBe(size);
  }
});

test('a stored size that is not offered falls back to the default', () => {
  const kept = storage();
  storePageSize(kept, 33);
  expect(readPageSize(kept, small)).toBe(10);
});
