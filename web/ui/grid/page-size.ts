/**
 * The page size: one of four, kept for every list under `page-size`. Until the user chooses, it is the largest that has room in
 * the window without scrolling, and never less than ten.
 */
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '#contract/lists.ts';

const KEY = 'page-size';
/** The bars above and below the rows of a list. */
const AROUND_PIXELS = 250;
const ROW_PIXELS = 32;
/** Lists are cards below it. */
const PHONE_PIXELS = 768;

interface Window {
  innerWidth: number;
  innerHeight: number;
}

export function fittingSize({ innerWidth, innerHeight }: Window): number {
  if (innerWidth < PHONE_PIXELS) return DEFAULT_PAGE_SIZE;
  const rows = (innerHeight - AROUND_PIXELS) / ROW_PIXELS;
  return PAGE_SIZES.findLast((size) => size <= rows) ?? DEFAULT_PAGE_SIZE;
}

/** Undefined until the user has chosen. */
export function chosenPageSize(storage: Pick<Storage, 'getItem'>): number | undefined {
  const stored = Number(storage.getItem(KEY));
  return PAGE_SIZES.find((size) => size === stored);
}

export function readPageSize(storage: Pick<Storage, 'getItem'>, screen: Window = window): number {
  return chosenPageSize(storage) ?? fittingSize(screen);
}

export function storePageSize(storage: Pick<Storage, 'setItem'>, size: number): void {
  storage.setItem(KEY, String(size));
}

/** Lists fill the window again. */
export function forgetPageSize(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(KEY);
}
