// A second attempt at a late call (ADR 121). Without schemas, so that the console loads none for its words.

/** Why a late call got no second attempt. */
export const HEDGE_REFUSALS = ['no_channel', 'share', 'money'] as const;
export type HedgeRefusal = (typeof HEDGE_REFUSALS)[number];

/** Whether a call would get one: the switch, what is asked, and what can be done twice. */
export const HEDGE_STATES = ['on', 'off', 'not_repeatable'] as const;
export type HedgeState = (typeof HEDGE_STATES)[number];
