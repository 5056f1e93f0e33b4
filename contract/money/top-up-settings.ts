// The shapes of the top-up options.
import { z } from 'zod';

/** Amounts in dollars; `discount` 0.9 costs a tenth less. */
export const topUpPresets = z
  .array(
    z.object({
      amount: z.number().int().min(1).max(1_000_000),
      discount: z.number().gt(0).max(1).optional(),
    }),
  )
  .max(12);

/** Code → what it does to the price, and until when (unix seconds; 0 = always). */
export const topUpPromotions = z.record(
  z.string().min(1).max(64),
  z.object({ discount: z.number().gt(0).max(1), until: z.number().int().min(0).default(0) }),
);
