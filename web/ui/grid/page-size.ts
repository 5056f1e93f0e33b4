/** The page size: one of four, ten until the user chooses, kept for every list under `page-size`. */
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '#contract/lists.ts';

const KEY = 'page-size';

export function readPageSize(storage: Pick<Storage, 'getItem'>): number {
  const stored = Number(storage.getItem(KEY));
  return PAGE_SIZES.find((size) => size === stored) ?? DEFAULT_PAGE_SIZE;
}

export function storePageSize(storage: Pick<Storage, 'setItem'>, size: number): void {
  storage.setItem(KEY, String(size));
}
