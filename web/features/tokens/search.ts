/** What the address of the token page can say: the filter of the list, and which drawer is open at which field. */
import { z } from 'zod';
import { gridSearch } from '#web/ui/grid/search.ts';

export const EXPIRY_FACETS = ['never', 'week', 'expired'] as const;
export const FOCUS_FIELDS = ['expired_time', 'remain_quota'] as const;
export type FocusField = (typeof FOCUS_FIELDS)[number];

const id = z.number().int().positive().optional().catch(undefined);
/** The router reads `?q=123` as a number. */
const text = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);

export const tokenSearch = z.object({
  ...gridSearch,
  q: text,
  status: z.number().int().min(1).max(4).optional().catch(undefined),
  group: text,
  expiry: z.enum(EXPIRY_FACETS).optional().catch(undefined),
  /** The token in the edit drawer. */
  edit: id,
  /** Where the edit drawer starts. */
  field: z.enum(FOCUS_FIELDS).optional().catch(undefined),
  new: z.literal(1).optional().catch(undefined),
  /** The token in the connect drawer. */
  connect: id,
});

export type TokenSearch = z.output<typeof tokenSearch>;
