// The price of one model in a price list of others.
import { z } from 'zod';

const dollars = z.number().min(0).max(1e9);

/** US dollars per million tokens by class, or for each call or second. A class that the list does not name is absent. */
export const listedPrice = z.strictObject({
  model: z.string().min(1).max(255),
  input: dollars.optional(),
  output: dollars.optional(),
  cacheRead: dollars.optional(),
  cacheWrite5m: dollars.optional(),
  cacheWrite1h: dollars.optional(),
  image: dollars.optional(),
  audioIn: dollars.optional(),
  audioOut: dollars.optional(),
  reasoning: dollars.optional(),
  perCall: dollars.optional(),
  perSecond: dollars.optional(),
  /** Dollars for each search. */
  search: dollars.optional(),
  /** Dollars per million for prompts with more tokens than `above`. */
  tiers: z
    .array(
      z.strictObject({
        above: z.int().min(1).max(1e9),
        input: dollars.optional(),
        output: dollars.optional(),
        cacheRead: dollars.optional(),
        cacheWrite: dollars.optional(),
      }),
    )
    .max(10)
    .optional(),
  /** Parts of the usual price. */
  classes: z.strictObject({ batch: dollars, flex: dollars, priority: dollars }).partial().optional(),
});
export type ListedPrice = z.output<typeof listedPrice>;
