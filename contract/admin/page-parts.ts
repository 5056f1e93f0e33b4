// Parts that pages of single things share: its calls by the hour, and what happened to it.
import { z } from 'zod';
import { THING_WINDOWS } from '#contract/thing-window.ts';

const used = z.object({ calls: z.number(), failures: z.number(), quota: z.number() });

export const pageUse = z.object({
  window: z.enum(THING_WINDOWS),
  /** Unix seconds at which the first post begins. */
  start: z.number(),
  /** Seconds of one post. */
  step: z.number(),
  /** Oldest first; `calls` without the failed ones. */
  posts: z.array(used),
  total: used,
  /** The same length of time before. */
  before: used,
  /** Those that cost most in this time. */
  models: z.array(z.object({ model_name: z.string(), quota: z.number(), count: z.number() })),
});
export type PageUse = z.output<typeof pageUse>;

/** Events of one answer; the total counts all of them. */
export const PAGE_EVENTS = 20;

export const pageEvent = z.object({
  id: z.number(),
  created_at: z.number(),
  /** An action of the audit trail, such as `user.disable`. */
  action: z.string(),
  /** Such as `user:12`. */
  target: z.string(),
  /** 0 and empty: no user did it, or one whose name the reader may not see. */
  actor_id: z.number(),
  actor_name: z.string(),
  /** Fields that changed; null: there was none, or there is none now. */
  changes: z.array(
    z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
});
export type PageEvent = z.output<typeof pageEvent>;

export const pageEvents = z.object({ items: z.array(pageEvent), total: z.number() });
export type PageEvents = z.output<typeof pageEvents>;
