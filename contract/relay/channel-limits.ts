// What limits of its upstream do to a channel, as the node that answers knows it: what is paused, why and until when, and what is left.
import { z } from 'zod';

/** Why no call is sent. `failures`: several in a row; the others are the upstream's refusals. */
export const PAUSE_CAUSES = ['requests', 'tokens', 'quota', 'overload', 'limit', 'failures'] as const;
export const pauseCause = z.enum(PAUSE_CAUSES);
export type PauseCause = z.output<typeof pauseCause>;

const leftOfLimit = z.object({
  left: z.number(),
  /** 0: not known. */
  limit: z.number(),
  /** Unix seconds. What is known ends then. */
  reset_at: z.number(),
});

export const channelLimits = z.object({
  pauses: z.array(
    z.object({
      /** The upstream's name; '': every model of the channel. */
      model: z.string(),
      cause: pauseCause,
      /** Unix seconds. */
      until: z.number(),
    }),
  ),
  /** Models of which the upstream said what is left, until the limit is reset. */
  left: z.array(
    z.object({
      /** The upstream's name. */
      model: z.string(),
      requests: leftOfLimit.nullable(),
      tokens: leftOfLimit.nullable(),
    }),
  ),
});
export type ChannelLimits = z.output<typeof channelLimits>;
