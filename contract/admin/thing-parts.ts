// Parts of the answers for the pages of things (channel, model, supplier): calls by posts, failures in the upstream's words, money,
// prices, events. Amounts in quota units, prices in dollars, times in unix seconds.
import { z } from 'zod';
import { cacheSavings } from '#contract/money/margins.ts';
import { THING_WINDOWS } from '#contract/thing-window.ts';

export const windowQuery = z.object({ window: z.enum(THING_WINDOWS).default('24h') });

/** What the answer covers. */
export const thingSpan = {
  now: z.number(),
  window: z.enum(THING_WINDOWS),
  start: z.number(),
  end: z.number(),
  /** Seconds of a post. */
  step: z.number(),
};

export const named = z.object({ id: z.number(), name: z.string() });
export type Named = z.output<typeof named>;

const counted = z.object({ name: z.string(), count: z.number() });

const post = z.object({
  at: z.number(),
  answered: z.number(),
  failed: z.number(),
  /** Milliseconds; 0: no stream. */
  first_token: z.number(),
});
export type ThingPost = z.output<typeof post>;

export const thingCalls = z.object({
  answered: z.number(),
  failed: z.number(),
  /** Calls that ended with an error; the other failures were answered by another attempt. */
  failed_calls: z.number(),
  /** The same time before the window. */
  before: z.object({ answered: z.number(), failed: z.number() }),
  /** Milliseconds to the first token; 0: no stream. */
  first_token: z.number(),
  /** Tokens a second after the first one; 0: none. */
  speed: z.number(),
  posts: z.array(post),
});
export type ThingCalls = z.output<typeof thingCalls>;

/** Groups of one answer. */
export const MOST_FAILURE_GROUPS = 12;

const failureGroup = z.object({
  /** The upstream's status; 0: no answer. */
  status: z.number(),
  /** As the newest of them says it; keys and prompts are masked. */
  words: z.string(),
  count: z.number(),
  /** How many in each post. */
  posts: z.array(z.number()),
  first_at: z.number(),
  last_at: z.number(),
  /** Most first, as are the users and channels. */
  models: z.array(counted),
  users: z.array(counted.extend({ id: z.number() })),
  /** Where the attempts were made. */
  channels: z.array(counted.extend({ id: z.number() })),
  /** The channels that answered the calls after it. */
  answered_by: z.array(counted.extend({ id: z.number() })),
  /** The newest ones. */
  request_ids: z.array(z.string()),
});
export type FailureGroup = z.output<typeof failureGroup>;

export const thingFailures = z.object({
  /** Failed attempts in the window. */
  total: z.number(),
  /** Those whose rows were read: the newest. */
  read: z.number(),
  groups: z.array(failureGroup),
});
export type ThingFailures = z.output<typeof thingFailures>;

/** `used` = `cost` + `margin` + `unknown`, to the unit; `cost` contains the fees. */
export const thingMoney = z.object({
  used: z.number(),
  cost: z.number(),
  fees: z.number(),
  margin: z.number(),
  unknown: z.number(),
  calls: z.number(),
  unknown_calls: z.number(),
  /** Of the prompts; not in the sums above. */
  cache: cacheSavings.nullable(),
});
export type ThingMoney = z.output<typeof thingMoney>;

/** Dollars per million tokens, or for each call or second, where both are the same. */
export const unitPrice = z.object({
  unit: z.enum(['tokens', 'call', 'second']),
  input: z.number(),
  output: z.number(),
});
export type UnitPrice = z.output<typeof unitPrice>;

/** The first and the last day of the money, and the zone whose days they are. */
const moneyDays = { from: z.string(), to: z.string(), time_zone: z.string() };

/** Events of one answer, the newest. */
export const MOST_EVENTS = 40;

export const thingEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('audit'),
    at: z.number(),
    /** Such as `channel.change`. */
    action: z.string(),
    /** Username; empty when the change was made without a signed-in user. */
    actor: z.string(),
    /** The fields that changed; values are left out where they are long or secret. */
    changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
  }),
  /** It switched itself off, or on again. */
  z.object({
    kind: z.enum(['off', 'on']),
    at: z.number(),
    reason: z.string(),
    channel: named,
  }),
  z.object({ kind: z.literal('test'), at: z.number(), seconds: z.number(), error: z.string() }),
  z.object({
    kind: z.literal('price'),
    at: z.number(),
    version: z.number(),
    actor: z.string(),
    model: z.string(),
    /** Further models of the same version. */
    more: z.number(),
    before: unitPrice,
    after: unitPrice,
  }),
  z.object({
    kind: z.literal('bill'),
    at: z.number(),
    id: z.number(),
    name: z.string(),
    /** In dollars. */
    billed: z.number(),
    recorded: z.number(),
    has_cost: z.boolean(),
  }),
  z.object({
    kind: z.literal('probe'),
    at: z.number(),
    model: z.string(),
    agrees: z.number(),
    total: z.number(),
  }),
]);
export type ThingEvent = z.output<typeof thingEvent>;

/** What the pages of channels, models and suppliers have in common. */
export const thingSections = {
  calls: thingCalls,
  money: thingMoney.extend(moneyDays),
  failures: thingFailures,
  events: z.array(thingEvent),
};
