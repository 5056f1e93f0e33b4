/**
 * The part of a page's search parameters that every list shares. A page extends it with its own filters:
 * `z.object({ ...gridSearch, status: … })` in its search.ts. A wrong value is ignored, never an error page.
 */
import { z } from 'zod';
import { PAGE_SIZES } from '#contract/lists.ts';
import type { GridQuery } from './types.ts';
import { readPageSize } from './page-size.ts';

export const gridSearch = {
  /** From 1. */
  page: z.number().int().min(1).optional().catch(undefined),
  size: z
    .number()
    .refine((size) => PAGE_SIZES.some((offered) => offered === size))
    .optional()
    .catch(undefined),
  /** `name` or `-name` for descending. */
  sort: z
    .string()
    .regex(/^-?[a-z_]+$/)
    .optional()
    .catch(undefined),
};

export interface GridSearch {
  page?: number;
  size?: number;
  sort?: string;
}

export function gridQuery(search: GridSearch, storage: Pick<Storage, 'getItem'> = localStorage): GridQuery {
  const { page = 1, size, sort } = search;
  return {
    page,
    pageSize: size ?? readPageSize(storage),
    sort: sort ? { key: sort.replace(/^-/, ''), order: sort.startsWith('-') ? 'desc' : 'asc' } : undefined,
  };
}

/** The search parameters of a changed query; defaults are left out, so addresses stay short. */
export function searchOfQuery(query: Partial<GridQuery>): GridSearch {
  const search: GridSearch = {};
  if ('page' in query) search.page = query.page && query.page > 1 ? query.page : undefined;
  if ('pageSize' in query) search.size = query.pageSize;
  if ('sort' in query) {
    search.sort = query.sort ? `${query.sort.order === 'desc' ? '-' : ''}${query.sort.key}` : undefined;
  }
  return search;
}
