// The two list shapes of the API. Users, redemption codes and logs: `data: {items, total, page, page_size}`,
// pages from 1. Tokens, channels, drawing and tasks: `data` is the array and the counts are beside it, pages
// from 0. `size` and `page_size` are both accepted.
import { z } from 'zod';

export const PAGE_SIZES = [10, 20, 50, 100] as const;
/** Files a list can be exported as. */
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;

const pageSize = z.coerce
  .number()
  .int()
  .min(1)
  .transform((size) => Math.min(size, MAX_PAGE_SIZE));

const sizes = {
  size: pageSize.optional(),
  page_size: pageSize.optional(),
};

/** Page query of the bare-array lists, page 0 first. */
export const pageFromZero = z.object({
  p: z.coerce.number().int().min(0).max(1_000_000).default(0),
  ...sizes,
});

/** Page query of the item lists, page 1 first. */
export const pageFromOne = z.object({
  p: z.coerce.number().int().min(1).max(1_000_000).default(1),
  ...sizes,
});

export function pageSizeOf(query: { size?: number; page_size?: number }): number {
  return query.page_size ?? query.size ?? DEFAULT_PAGE_SIZE;
}

/** Counts beside a bare array. */
export const listCounts = z.object({ total: z.number(), page: z.number(), page_size: z.number() });

export const itemList = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.number(), page: z.number(), page_size: z.number() });

export const idParams = z.object({ id: z.coerce.number().int().positive() });

/** A flag in a query string: `true` or `1`. */
export const queryFlag = z
  .enum(['true', 'false', '1', '0', ''])
  .default('false')
  .transform((value) => value === 'true' || value === '1');
